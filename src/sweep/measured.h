// SPDX-License-Identifier: MIT
#pragma once

#include "run/campaign.h"
#include "store/sweeps.h"
#include "sweep/grid.h"

#include <functional>

namespace strata {

// The program's services that measuring a sweep needs.
struct MeasuredSweepHooks {
    // Backends, the machine lock and the interrupt; output for single runs is ignored.
    CampaignHooks campaign;
    // Called around each point that is measured; points that already have an outcome are skipped.
    std::function<void(const StoredPoint& point)> begins = {};
    std::function<void(const StoredPoint& point)> ends = {};
};

// The relative change of the anchor's time beyond which its run is flagged.
inline constexpr double anchor_drift = 0.05;

// A point before it is measured.
StoredPoint planned_point(const SweepSpec& spec, std::int64_t index, std::int64_t repeat = 0);

// The part of a sweep that one process measures.
struct MeasuredPart {
    std::vector<std::int64_t> places;  // in the order given by the seed
    std::int64_t before =
        0;  // number of places that this worker had before; counts towards the anchor
};

MeasuredPart part_of(const Shard& shard, std::int64_t points);

// Measures the points of the part that have no outcome yet, in the order given by the seed, and
// stores each outcome as soon as it is known. After every `anchor_every` points the anchor is
// measured again. A point that another living process has claimed is left to it; one whose process
// has died is taken over, with the samples that it had. A failing point gets the failure as its
// outcome and does not end the sweep; a broken database does. Returns `interrupted` after an
// interrupt, otherwise `done`.
ExitCode measure_sweep(const SweepSpec& spec, const MeasuredPart& part, Database& database,
                       const MeasuredSweepHooks& hooks);

}  // namespace strata
