// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "measure/doubt.h"

#include <map>
#include <string>
#include <vector>

namespace strata {

// Doubts of kind overridden for variables (measure/environment.h) that make a library contradict
// the run's settings:
//
//   NVIDIA_TF32_OVERRIDE=0   with --tf32: libraries then never compute in TF32
//   NVIDIA_TF32_OVERRIDE=1   with full f32: only 0 is documented, 1 may allow TF32
//   CUDA_LAUNCH_BLOCKING     other than 0: the host waits for each kernel
//   ONEDNN_DEFAULT_FPMATH_MODE, DNNL_DEFAULT_FPMATH_MODE   other than strict, with f32
//
// The first three concern a device of the backend's own, the last this machine's processors.
std::vector<Doubt> doubts_about_overrides(const std::map<std::string, std::string>& variables,
                                          const Execution& execution, bool is_on_device);

}  // namespace strata
