// SPDX-License-Identifier: MIT
#pragma once

#include "predict/simulated_pass.h"
#include "published/modelled_figure.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A layer's published and own value, in the figure's unit.
struct ComparedLayer {
    std::string layer = {};
    double published = 0;
    std::optional<double> ours = {};
};

// A panel and how the order of its layers agrees with ours.
struct ComparedMeasure {
    MeasurePanel panel = {};
    std::vector<ComparedLayer> layers = {};
    std::optional<double> rank_correlation = {};  // Spearman's, if all layers have a value of ours
};

// Each panel with the simulation of its batch; a panel of another batch has no values of ours. A
// layer's passes except the update count together: hit rates by their accesses, shares of stalls by
// the modelled time. Stalls for data are the short and long scoreboard and the throttles of the
// memory's queues, as a share of the time in which a resident warp does not issue.
std::vector<ComparedMeasure> compare_modelled_figure(const ModelledFigure& figure,
                                                     std::span<const SimulatedNetwork> batches);

}  // namespace strata
