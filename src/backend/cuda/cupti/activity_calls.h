// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/trouble.h"
#include "trace/trace.h"

#include <array>
#include <cstdint>
#include <memory>

namespace strata::cuda {

// What can be recorded. Calls are needed for ranges: a range is known by the calls made within it.
enum class Recorded { kernels, copies, fills, runtime_calls, driver_calls, ranges };
inline constexpr std::array all_recorded = {Recorded::kernels,      Recorded::copies,
                                            Recorded::fills,        Recorded::runtime_calls,
                                            Recorded::driver_calls, Recorded::ranges};

// CUPTI's recording of a device's work, as far as a tracer needs it. Every function but `stop`
// throws ProfilerError where CUPTI refuses.
class ActivityCalls {
public:
    virtual ~ActivityCalls() = default;

    // Takes the one place that a process has for a tracer, and watches the making of graph nodes.
    virtual void start() = 0;
    virtual void enable(Recorded kind) = 0;

    // The innermost range from here on; 0 where there is none any more. Ranges nest.
    virtual void enter(std::uint64_t range) = 0;
    virtual void leave(std::uint64_t outer) = 0;

    // Everything recorded so far. Requires: the device has done its work.
    virtual Trace collect() = 0;

    // Ends whatever was started and enabled, also after a failure or a second time.
    virtual void stop() noexcept = 0;
};

// CUPTI itself. One may live at a time.
std::unique_ptr<ActivityCalls> open_activity_calls();

}  // namespace strata::cuda
