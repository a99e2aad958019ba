// SPDX-License-Identifier: MIT
#pragma once

#include "predict/cpu_rates.h"

#include <memory>
#include <optional>
#include <string>

namespace strata {

// Where an operand lies when a pass begins: as left by the pass itself when an operator runs alone,
// again and again, or by the rest of a network, which has driven the parameters out of the caches,
// and the memory that the result is written to as well.
enum class Surroundings { alone, network };

// What a pass asks of a CPU, whatever its rates.
struct CpuWork {
    std::string family;  // whose rates: "pointwise forward", "relu inference"
    bool is_product = false;
    double operations = 0;   // of products at the peak, with what fills up registers; else its own
    double sum = 1;          // multiply-adds of each result of a product
    double row = 1;          // results along which an operand in registers is used again
    double columns = 1;      // results of a row that share the other operand
    double repeats = 1;      // one after the other
    Bytes parameters;        // read or written once in each repeat
    Bytes streamed;          // all else that moves
    double independent = 0;  // pieces that cores can share out; 0: any number
};

// The products of a task, or the streams that it is; none where it costs nothing.
std::vector<CpuWork> work_on_cpu(const LayerTask& task);

// A reorder of the parameters, which the backward passes of convolutions need because an update
// keeps changing them; nothing where there is none.
std::optional<CpuWork> reorder_on_cpu(const LayerTask& task);

// The time with the terms that it is made of:
//
//   time = repeats (call + (arithmetic^4 + (caches + memory)^4)^(1/4))
//   arithmetic = operations (1 + start / sum + refill / row + edge / columns) / (efficiency peak)
//   traffic = operands once + refetch operations
//
// with more of it where there are too few pieces for all cores. Caches and memory take their part
// of the traffic by what fits: a working set misses a cache for 1 / (1 + (capacity / bytes)^4) of
// its traffic. (The cache-aware roofline of Ilic, Pratas and Sousa, IEEE Computer Architecture
// Letters 2014, with reached instead of stated ceilings; the forms of efficiency and blend are
// ours.)
KernelPrediction predict_on_cpu(const CpuWork& work, const CpuCeilings& ceilings,
                                const CpuRates& rates, Surroundings surroundings, Mode mode);

// A CPU whose layers run by oneDNN, as `strata run` runs them with --algorithm direct.
std::unique_ptr<DeviceModel> cpu_model(Cpu cpu);

}  // namespace strata
