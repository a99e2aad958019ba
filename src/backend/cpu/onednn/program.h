// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/layout.h"
#include "backend/lower/program.h"

#include <functional>
#include <utility>
#include <variant>

namespace strata::cpu {

// The place and layout of values. A part of a buffer, such as one step of a sequence, begins
// `offset` bytes into it. Only a layer's own calls use parts; a tensor's view covers a whole
// buffer.
struct TensorView {
    BufferId buffer = 0;
    Desc desc = {};
    std::size_t offset = 0;
};

// A primitive of the library and the views of its arguments.
struct PrimitiveCall {
    dnnl::primitive primitive;
    std::vector<std::pair<int, TensorView>> arguments;
};

// One of our own loops; it receives the addresses of its views, in order.
using Kernel = std::function<void(std::span<void* const>)>;
struct KernelCall {
    Kernel kernel;
    std::vector<TensorView> views;
};

using Call = std::variant<PrimitiveCall, KernelCall>;

using Program = LoweredProgram<TensorView, Call>;

}  // namespace strata::cpu
