// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "graph/outline.h"
#include "networks/generate/generator.h"
#include "sweep/grid.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace strata {

// The outlines of a grid's networks, one at a time: their layers, structure and peak memory. A
// graph is made only for a network with a new structure.
class PointOutline {
public:
    // Requires: the spec outlives it.
    explicit PointOutline(const SweepSpec& spec) : spec_(spec), structures_(spec.settings.size()) {}

    // Whether the point's network has an outline, which then becomes the current one. It has none
    // if its family refuses the sizes, or under settings with fused or chosen layers.
    bool find(const GridPlace& place);

    // The current network's outline. Requires: the last point has one.
    const Outline& outline() const { return builder_.outline(); }
    const Structure& structure() const { return *structure_; }
    Bytes peak() const { return peak_; }  // Footprint::peak

    // The generator of the point's network.
    const Generator& generator_at(const GridPlace& place);

    LayerTable& table() { return table_; }
    // Forgets every layer; everything that refers to the table must be rebuilt.
    void forget_layers();

private:
    void outline_at(const GridPlace& place);
    const Structure* structure_at(const GridPlace& place);

    const SweepSpec& spec_;
    std::int64_t network_ = -1;  // of generator_
    Generator generator_;
    LayerTable table_;
    OutlineBuilder builder_{table_};
    std::optional<GridPlace> place_;        // of the current outline; its target is arbitrary
    const Structure* structure_ = nullptr;  // none: it cannot be outlined
    Bytes peak_;
    std::vector<std::vector<Structure>> structures_;  // by settings
};

// Whether networks under these settings have outlines at all.
bool can_be_outlined(const Settings& settings);

}  // namespace strata
