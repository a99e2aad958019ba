// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cpu/convolution/method.h"

#include <memory>
#include <span>

namespace strata::cpu {

// oneDNN on this machine's processors: each operator uses the library's best primitive, or our own
// loops if the library has none; layouts are propagated from layer to layer. Convolutions with
// another requested algorithm use `methods`, which must outlive the backend.
std::unique_ptr<Backend> make_backend(
    std::span<const ConvolutionMethod> methods = convolution_methods());

}  // namespace strata::cpu
