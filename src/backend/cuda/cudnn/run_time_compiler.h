// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace strata::cuda {

// cuDNN compiles the kernels of some engines, fused attention among them, when their plans are
// built. It opens NVRTC for that, which NVIDIA's installation guide lists among the libraries that
// are "required by dlopen() at runtime when using runtime-compiled engines". If NVRTC is missing,
// cuDNN silently offers none of these engines.
//
// Opens NVRTC of the version that cuDNN was built with, in more places than cuDNN does (but first
// as it does); from then on cuDNN finds it by its name. Returns why that fails; empty if it does
// not.
std::string refusal_of_run_time_compiler();

}  // namespace strata::cuda
