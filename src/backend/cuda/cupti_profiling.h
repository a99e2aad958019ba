// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/activity_calls.h"
#include "backend/cuda/cupti/counter_config.h"
#include "backend/cuda/cupti/range_counter.h"
#include "backend/cuda/executable.h"

#include <functional>
#include <memory>

namespace strata::cuda {

// The functions of CUPTI that profiling an executable needs. Each throws ProfilerError.
struct CuptiLibrary {
    std::function<std::string()> warning = {};
    std::function<std::unique_ptr<ActivityCalls>()> open_activity = {};
    std::function<CountingDevice()> open_device = {};
    // Sets up counters for this many ranges in a pass. Requires: device and config outlive the
    // result.
    std::function<std::unique_ptr<RangeCounter>(const CountingDevice&, const CounterConfig&,
                                                std::size_t ranges)>
        make_counter = {};
    std::function<bool()> is_attached = {};
};

// CUPTI itself.
CuptiLibrary cupti_library();

// Counts these steps of the executable inside its iterations. Throws ProfilerError if the device or
// the library cannot count at all.
void count_with(const CuptiLibrary& library, CudaExecutable& executable,
                const std::vector<std::size_t>& steps, const CountingJob& job);

// An executable's iterations traced, and its steps counted within them.
class CuptiProfiling : public Profiling {
public:
    // Requires: the executable outlives it.
    CuptiProfiling(CudaExecutable& executable, CuptiLibrary library)
        : executable_(executable), library_(std::move(library)) {}

    Recording record(std::size_t iterations) override;
    void count(const CountingJob& job) override;
    bool is_attached() const override { return library_.is_attached(); }

private:
    CudaExecutable& executable_;
    CuptiLibrary library_;
};

}  // namespace strata::cuda
