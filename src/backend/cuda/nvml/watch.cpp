// SPDX-License-Identifier: MIT
#include "backend/cuda/nvml/watch.h"

namespace strata::cuda {

std::map<std::string, std::string> NvmlWatch::describe() {
    auto words = device_.describe();
    words["gpu.name"] = name_;
    return words;
}

}  // namespace strata::cuda
