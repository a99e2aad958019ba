// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

#include <functional>

// The library's convolutions, in the memory orders that it prefers.
namespace strata::cpu {

enum class LibraryAlgorithm { direct, winograd };

// A prepared run on its own operands, with arbitrary values; empty if the library cannot do it.
std::function<void()> library_convolution(const ConvolutionProblem& problem,
                                          LibraryAlgorithm algorithm);

}  // namespace strata::cpu
