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

// The part of CUPTI's activity recording that a tracer needs. Every function except `stop` throws
// ProfilerError if CUPTI refuses. CUPTI itself stays attached to the process from the first `start`
// on, and keeps recording; what it records between traces is discarded.
class ActivityCalls {
public:
    virtual ~ActivityCalls() = default;

    // Takes the process's only tracer slot, and watches the creation of graph nodes.
    virtual void start() = 0;
    // If CUPTI refuses one kind, none is left enabled.
    virtual void enable(Recorded kind) = 0;

    // Sets the innermost range from here on; 0 if none is open. Ranges nest.
    virtual void enter(std::uint64_t range) = 0;
    virtual void leave(std::uint64_t outer) = 0;

    // Everything recorded since `start`. Requires: the device is idle.
    virtual Trace collect() = 0;

    // Releases the slot; may follow a failure or be called again.
    virtual void stop() noexcept = 0;
};

// Known problems of the running CUPTI; empty if there are none.
std::string cupti_warning();

// Attaches CUPTI and ends all recording, which would slow down and disturb what is counted. The
// next trace resumes it. Throws ProfilerError. Requires: no trace is active.
void begin_counting();

// Whether CUPTI was attached to this process, to trace or to count; it is never detached.
// cuptiFinalize would do it, but it destroys what CUPTI holds, which is only safe within the exit
// of a CUDA call, and crashed with graphs before CUDA 12.4 update 1.
bool is_cupti_attached();

// CUPTI itself. Only one may trace at a time.
std::unique_ptr<ActivityCalls> open_activity_calls();

}  // namespace strata::cuda
