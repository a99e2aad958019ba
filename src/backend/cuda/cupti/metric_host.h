// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace strata::cuda {

// CUPTI's database of one chip: its counters and their meaning. Needs neither a GPU nor a driver.
// Every function throws ProfilerError if CUPTI refuses.
class MetricHost {
public:
    // `availability`: the counters that this particular device makes available, as in
    // CountingDevice; if empty, all that the chip has.
    explicit MetricHost(const std::string& chip, std::span<const std::uint8_t> availability = {});

    // Names of the chips that this CUPTI knows.
    static std::vector<std::string> supported_chips();

    bool has_counter(const std::string& counter) const;

    // For strata::CounterMissing: why there is no such counter; empty if there is.
    std::optional<std::string> missing(std::string_view counter) const;

    // "byte", "nanosecond", "percent". Throws ProfilerError for a counter that does not exist.
    std::string unit_of(const std::string& counter) const;

    CUpti_Profiler_Host_Object* handle() const { return object_.get(); }

private:
    struct End {
        void operator()(CUpti_Profiler_Host_Object* object) const;
    };

    std::unique_ptr<CUpti_Profiler_Host_Object, End> object_;
};

}  // namespace strata::cuda
