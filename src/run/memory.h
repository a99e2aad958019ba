// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "base/error.h"
#include "graph/largest_batch.h"
#include "run/job.h"

#include <optional>
#include <string>

namespace strata {

// That a job needs more memory than there is, apart from whatever else a machine cannot do.
class NeedsMemory : public Error {
public:
    explicit NeedsMemory(const std::string& sentence) : Error(sentence, ExitCode::machine_cannot) {}
};

// Throws NeedsMemory where a job that needs this much has no such memory:
// beyond what the job allows (job.memory), or what the backend's device or else this machine has
// free. Called before anything is allocated: a machine that swaps measures its disk.
void require_memory(const Job& job, const Graph& graph, Bytes needed, const BackendInfo& backend);

// The largest batch of this job whose footprint fits in its memory limit, else in what the device
// has free, else in what this machine has free. Nothing where none of these is known, or the
// network's batch cannot change.
std::optional<Capacity> capacity_of(const Job& job, const BackendInfo& backend);

}  // namespace strata
