// SPDX-License-Identifier: MIT
#pragma once

#include "run/campaign.h"
#include "store/sweeps.h"
#include "sweep/grid.h"

#include <functional>

namespace strata {

// The program's services that measuring a sweep needs.
struct MeasuredSweepHooks {
    // Backends, the turn on the machine, and the interrupt; what is shown of single runs is
    // ignored.
    CampaignHooks campaign;
    // Around each point that is measured, not those that have their outcome already.
    std::function<void(const StoredPoint& point)> begins = {};
    std::function<void(const StoredPoint& point)> ends = {};
};

// How much slower or faster the anchor may be than at first before its run is flagged, relative.
inline constexpr double anchor_drift = 0.05;

// A point before it is measured.
StoredPoint planned_point(const SweepSpec& spec, std::int64_t index, std::int64_t repeat = 0);

// What one process measures of a sweep.
struct MeasuredPart {
    std::vector<std::int64_t> places;  // in the order that the seed decides
    std::int64_t before = 0;           // so many this worker had before; the anchor counts them
};

MeasuredPart part_of(const Shard& shard, std::int64_t points);

// Measures the points of the part that have no outcome yet, in the order that the seed decides, and
// stores the outcome of each as soon as it is known. After every `anchor_every` points the
// anchor is measured again. A point that another living process has claimed is left to it; one
// whose process has died is taken over, with the samples that it had. What a point cannot do is its
// outcome and ends nothing; a broken database does. Returns `interrupted` after an interrupt,
// otherwise `done`.
ExitCode measure_sweep(const SweepSpec& spec, const MeasuredPart& part, Database& database,
                       const MeasuredSweepHooks& hooks);

}  // namespace strata
