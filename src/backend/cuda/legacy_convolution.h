// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/device/program.h"

#include <memory>
#include <span>
#include <string_view>

namespace strata::cuda {

// cuDNN's older interface, in which convolution algorithms have the names that the literature gives
// them (Kim et al., ISPASS 2017, compare these). Which of them a present cuDNN still computes, only
// a device says.

// "IMPLICIT_GEMM", "WINOGRAD_NONFUSED", ...: an algorithm's place is its number.
std::span<const std::string_view> legacy_algorithms(Pass pass);

// Whether cuDNN says that its result differs from run to run.
bool is_deterministic(Pass pass, int algorithm);

// A convolution by one of them. Views: those of x, w and y, of which the pass writes one. Its
// workspace is known after `finalize`, which throws DeviceError where the algorithm cannot do it.
// Throws DeviceError for a problem that the older interface has no words for: padding that differs
// before and after.
std::shared_ptr<LibraryCall> legacy_convolution(const ConvolutionProblem& problem, int algorithm);

}  // namespace strata::cuda
