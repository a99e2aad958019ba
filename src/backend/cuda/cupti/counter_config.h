// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/metric_host.h"
#include "metric/formula.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace strata::cuda {

// A device whose counters may be read, and the counters that it makes available.
struct CountingDevice {
    void* context = nullptr;  // CUcontext
    std::string chip = {};    // "GH100"
    std::vector<std::uint8_t> availability = {};
};

// The device of the current CUDA context. Throws ProfilerError that says what forbids counting.
// Requires: if there is a GPU, its context exists.
CountingDevice open_counting_device(int device = 0);

// Counters of a chip, grouped into passes: only a limited number can be counted at once, so the
// work is repeated for each pass. Can be built without a GPU. Throws ProfilerError, naming the
// counter, if the chip lacks one, and for counters that cannot be combined.
class CounterConfig {
public:
    // Requires: at least one counter.
    CounterConfig(const std::string& chip, std::vector<std::string> counters,
                  std::span<const std::uint8_t> availability = {});

    const std::vector<std::string>& counters() const { return counters_; }
    // How often the work must be repeated.
    std::size_t passes() const { return passes_; }
    // The configuration image for the device.
    std::span<const std::uint8_t> image() const { return image_; }

    // The counters' values in one range of collected data. A value that is not a number is missing.
    CounterValues evaluate(std::span<const std::uint8_t> data, std::size_t range) const;

private:
    void add_counters(const std::string& chip);
    void make_image();
    void count_passes();
    std::vector<const char*> names() const;

    MetricHost host_;
    std::vector<std::string> counters_;
    std::vector<std::uint8_t> image_;
    std::size_t passes_ = 0;
};

}  // namespace strata::cuda
