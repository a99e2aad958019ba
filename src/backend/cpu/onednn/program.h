// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/layout.h"
#include "backend/lower/program.h"

#include <functional>
#include <utility>
#include <variant>

namespace strata::cpu {

// Where values lie and how. A part of a buffer, such as one step of a sequence, begins `offset`
// bytes into it; only a layer's own calls use parts, the view of a tensor is a whole buffer.
struct TensorView {
    BufferId buffer = 0;
    Desc desc = {};
    std::size_t offset = 0;
};

// A primitive of the library and where its arguments lie.
struct PrimitiveCall {
    dnnl::primitive primitive;
    std::vector<std::pair<int, TensorView>> arguments;
};

// A loop of our own; it gets the addresses of its views, in order.
using Kernel = std::function<void(std::span<void* const>)>;
struct KernelCall {
    Kernel kernel;
    std::vector<TensorView> views;
};

using Call = std::variant<PrimitiveCall, KernelCall>;

using Program = LoweredProgram<TensorView, Call>;

}  // namespace strata::cpu
