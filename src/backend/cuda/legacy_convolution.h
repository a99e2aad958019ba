// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/device/program.h"

#include <memory>
#include <span>
#include <string_view>

namespace strata::cuda {

// cuDNN's older interface, whose convolution algorithms have the names used in the literature (Kim
// et al., ISPASS 2017, compare them). Only a device can say which of them a current cuDNN still
// computes.

// "IMPLICIT_GEMM", "WINOGRAD_NONFUSED", ...: the index of an algorithm is its number.
std::span<const std::string_view> legacy_algorithms(Pass pass);

// Whether cuDNN declares its result to be the same in every run.
bool is_deterministic(Pass pass, int algorithm);

// A convolution by one of them. Views: x, w and y; the pass writes one of them. Its workspace is
// known after `finalize`, which throws DeviceError if the algorithm does not support the problem.
// Throws DeviceError for a problem that the older interface cannot express: padding that differs
// before and after.
std::shared_ptr<LibraryCall> legacy_convolution(const ConvolutionProblem& problem, int algorithm);

}  // namespace strata::cuda
