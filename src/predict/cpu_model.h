// SPDX-License-Identifier: MIT
#pragma once

#include "predict/cpu_rates.h"
#include "predict/cpu_work.h"

#include <memory>

namespace strata {

// Where an operand lies when a pass begins: as left by the pass itself when an operator runs alone,
// again and again, or by the rest of a network, which has driven the parameters out of the caches,
// and the memory that the result is written to as well.
enum class Surroundings { alone, network };

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
