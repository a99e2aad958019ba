// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "base/error.h"
#include "graph/largest_batch.h"
#include "run/job.h"

#include <optional>
#include <string>

namespace strata {

// A job needs more memory than there is; distinct from other things that a machine cannot do.
class NeedsMemory : public Error {
public:
    explicit NeedsMemory(const std::string& sentence) : Error(sentence, ExitCode::machine_cannot) {}
};

// Throws NeedsMemory if a planned job needs more than it may use (job.memory), or than is free on
// the backend's device or else on this machine. Call it before anything is allocated: a machine
// that swaps measures its disk.
void require_memory(const Job& job, const BackendInfo& backend);

// The largest batch of this job whose footprint fits in its memory limit, else in the device's free
// memory, else in this machine's. Nothing if none of these is known, or the network's batch cannot
// change.
std::optional<Capacity> capacity_of(const Job& job, const BackendInfo& backend);

}  // namespace strata
