// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/trouble.h"
#include "trace/trace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace strata::cuda {

// What can be recorded. Ranges need calls: a range is identified by the calls made within it.
enum class Recorded { kernels, copies, fills, runtime_calls, driver_calls, ranges };
inline constexpr std::array all_recorded = {Recorded::kernels,      Recorded::copies,
                                            Recorded::fills,        Recorded::runtime_calls,
                                            Recorded::driver_calls, Recorded::ranges};

// CUPTI's activity recording, as far as a tracer needs it. Every function except `stop` throws
// ProfilerError if CUPTI refuses.
class ActivityCalls {
public:
    virtual ~ActivityCalls() = default;

    // Takes the process's only tracer slot, and watches the creation of graph nodes.
    virtual void start() = 0;
    virtual void enable(Recorded kind) = 0;

    // Sets the innermost range from here on; 0 if none is open. Ranges nest.
    virtual void enter(std::uint64_t range) = 0;
    virtual void leave(std::uint64_t outer) = 0;

    // Everything recorded so far. Requires: the device is idle.
    virtual Trace collect() = 0;

    // Ends whatever was started and enabled, also after a failure or when called again.
    virtual void stop() noexcept = 0;
};

// What is known to go wrong with the CUPTI that runs; empty if nothing is.
std::string cupti_warning();

// CUPTI itself. Only one may exist at a time.
std::unique_ptr<ActivityCalls> open_activity_calls();

}  // namespace strata::cuda
