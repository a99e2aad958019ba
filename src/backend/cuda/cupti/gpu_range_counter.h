// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/counter_config.h"
#include "backend/cuda/cupti/range_counter.h"

#include <memory>

struct CUpti_RangeProfiler_Object;

namespace strata::cuda {

// CUPTI's range profiler on a device. We push and pop the ranges and repeat the work ourselves
// (user range, user replay). It occupies the device's counters for its lifetime.
class GpuRangeCounter : public RangeCounter {
public:
    // At most `ranges` ranges in one pass. Requires: device and config outlive it.
    GpuRangeCounter(const CountingDevice& device, const CounterConfig& config, std::size_t ranges);

    void start_pass() override;
    void push(const std::string& name) override;
    void pop() override;
    Passes stop_pass() override;
    std::vector<CountedRange> read() override;

private:
    struct Disable {
        void operator()(CUpti_RangeProfiler_Object* object) const;
    };

    void make_data(std::size_t ranges);
    void configure(std::size_t ranges);
    void decode();
    std::size_t count_of_ranges() const;
    std::string name_of_range(std::size_t range) const;

    const CounterConfig& config_;
    std::unique_ptr<CUpti_RangeProfiler_Object, Disable> object_;
    std::vector<std::uint8_t> data_;
};

}  // namespace strata::cuda
