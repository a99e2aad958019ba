// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/run_time_compiler.h"

#include "backend/cuda/library/shared_library.h"

#include <cudnn.h>
#include <fmt/format.h>

namespace strata::cuda {

std::string refusal_of_run_time_compiler() {
    constexpr std::size_t thousands = 1000;
    constexpr int first_without_suffix = 13;  // of the packages on PyPI
    const auto major = static_cast<int>(cudnnGetCudartVersion() / thousands);
    const std::string name = library_name("nvrtc", major);
    const auto folders = library_folders(reinterpret_cast<const void*>(&cudnnGetVersion));
    if (open_first(places_of(name, "cuda_nvrtc", folders)).handle != nullptr) {
        return {};
    }
    const std::string suffix =
        major < first_without_suffix ? fmt::format("-cu{}", major) : std::string();
    return fmt::format(
        "NVRTC ({}) is not found, which cuDNN compiles fused attention with; install "
        "that of CUDA {} (PyPI: nvidia-cuda-nvrtc{}), or name its folder in "
        "STRATA_CUDA_LIBRARIES",
        name, major, suffix);
}

}  // namespace strata::cuda
