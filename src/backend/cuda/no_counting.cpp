// SPDX-License-Identifier: MIT Replaces cupti_counting.cpp if CUPTI is older than CUDA 12.6 and has
// no range profiler.
#include "backend/cuda/cupti_profiling.h"
#include "backend/cuda/profiling.h"

namespace strata::cuda {

namespace {

ProfilerError no_counters() {
    return {ProfilerTrouble::no_counters, "count on the GPU"};
}

}  // namespace

CuptiLibrary cupti_library() {
    return {.warning = cupti_warning,
            .open_activity = [] { return open_activity_calls(); },
            .is_attached = is_cupti_attached};
}

void count_with(const CuptiLibrary&, CudaExecutable&, const std::vector<std::size_t>&,
                const CountingJob&) {
    throw no_counters();
}

std::string counting_refusal() {
    return no_counters().what();
}

}  // namespace strata::cuda
