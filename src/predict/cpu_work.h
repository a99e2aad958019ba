// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

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

// A convolution of few channels with as many as the other kernels take, which may be faster though
// it does more; nothing of others.
std::optional<Signature> beyond_few_channels(const LayerTask& task);

// A reorder of the parameters, which the backward passes of convolutions need because an update
// keeps changing them; nothing where there is none.
std::optional<CpuWork> reorder_on_cpu(const LayerTask& task);

}  // namespace strata
