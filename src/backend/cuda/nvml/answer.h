// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/nvml/library.h"

#include <array>
#include <optional>
#include <string>

namespace strata::cuda {

// NVML's answer to a query: a value, or the status that says why there is none.
template <class Value>
struct NvmlAnswer {
    std::optional<Value> value = {};
    NvmlStatus status = nvml_success;
};

// Calls a function whose last argument is the output pointer.
template <class Value, class Function, class... Given>
NvmlAnswer<Value> ask_nvml(const Function& function, Given... given) {
    if (!function) {
        return {{}, nvml_function_not_found};
    }
    Value value = {};
    const NvmlStatus status = function(given..., &value);
    return status == nvml_success ? NvmlAnswer<Value>{value} : NvmlAnswer<Value>{{}, status};
}

// The same for a function that writes into a buffer.
template <class Function, class... Given>
NvmlAnswer<std::string> ask_nvml_text(const Function& function, Given... given) {
    if (!function) {
        return {{}, nvml_function_not_found};
    }
    std::array<char, 128> text = {};  // NVML's own limits are 80 and 96
    const NvmlStatus status = function(given..., text.data(), unsigned{text.size() - 1});
    return status == nvml_success ? NvmlAnswer<std::string>{std::string(text.data())}
                                  : NvmlAnswer<std::string>{{}, status};
}

}  // namespace strata::cuda
