// SPDX-License-Identifier: MIT
#include "sweep/point_outline.h"

#include "base/error.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::size_t max_structures = 256;

bool is_of_same_network(const GridPlace& one, const GridPlace& other) {
    return one.network == other.network && one.batch == other.batch &&
           one.settings == other.settings;
}

}  // namespace

bool can_be_outlined(const Settings& settings) {
    return settings.slice.empty() && settings.execution.engine.fusion == Fusion::none;
}

const Generator& PointOutline::generator_at(const GridPlace& place) {
    if (place.network != network_) {
        generator_ = network_of(spec_, place.network);
        network_ = place.network;
    }
    return generator_;
}

void PointOutline::forget_layers() {
    table_ = LayerTable();
    place_.reset();
    structure_ = nullptr;
}

bool PointOutline::find(const GridPlace& place) {
    if (!can_be_outlined(spec_.settings[place.settings])) {
        return false;
    }
    if (!place_ || !is_of_same_network(*place_, place)) {
        place_ = place;
        structure_ = nullptr;
        try {
            outline_at(place);
        } catch (const Error&) {
            return false;  // making the graph gives the full reason
        }
    }
    return structure_ != nullptr;
}

void PointOutline::outline_at(const GridPlace& place) {
    const Execution& execution = spec_.settings[place.settings].execution;
    builder_.begin(execution.numerics.mode);
    build(generator_at(place), place.batch, builder_);
    structure_ = structure_at(place);
    if (structure_ != nullptr) {
        peak_ = structure_->peak(outline(), table_, execution);
    }
}

// The structure of the current outline. A new one is determined from the graph.
const Structure* PointOutline::structure_at(const GridPlace& place) {
    std::vector<Structure>& known = structures_[place.settings];
    const auto fits = [&](const Structure& structure) { return structure.fits(outline(), table_); };
    // Searches backwards: the latest is the most likely.
    if (const auto found = std::find_if(known.rbegin(), known.rend(), fits);
        found != known.rend()) {
        return &*found;
    }
    const auto plan = planned(job_of(spec_, point_of(spec_, place.index))).plan;
    if (!outline().is_of(plan->graph, table_)) {
        return nullptr;
    }
    if (known.size() >= max_structures) {
        known.clear();
    }
    known.reserve(max_structures);
    return &known.emplace_back(*plan, outline(), table_);
}

}  // namespace strata
