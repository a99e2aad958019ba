// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// The work of a pass on a CPU, independent of rates.
struct CpuWork {
    std::string family;  // that its rates belong to: "pointwise forward", "relu inference"
    bool is_product = false;
    double operations = 0;   // of products at the peak, with padded registers; else its own
    double sum = 1;          // multiply-adds for each result of a product
    double row = 1;          // results along which an operand in registers is reused
    double columns = 1;      // results of a row that share the other operand
    double repeats = 1;      // run in sequence
    Bytes parameters;        // read or written once in each repeat
    Bytes streamed;          // all other traffic
    double independent = 0;  // pieces that cores can share; 0: any number
};

// The products of a task, or the streams that replace them; none if it costs nothing.
std::vector<CpuWork> work_on_cpu(const LayerTask& task);

// A convolution of few channels, padded to as many as the other kernels take. It may be faster
// although it does more work. Nothing for other convolutions.
std::optional<Signature> beyond_few_channels(const LayerTask& task);

// A reorder of the parameters. The backward passes of convolutions need it because updates keep
// changing the parameters. Nothing if there is none.
std::optional<CpuWork> reorder_on_cpu(const LayerTask& task);

}  // namespace strata
