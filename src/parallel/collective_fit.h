// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/cluster.h"

#include <optional>
#include <span>
#include <vector>

namespace strata {

// A measured time of a collective.
struct CollectivePoint {
    Collective collective = Collective::all_reduce;
    int devices = 2;
    Bytes bytes;
    Seconds time;
};

// The lowest of at most three lines through the times of one collective of one number of devices;
// as many as predict left-out points best. Requires: at least one point, all of positive time.
std::vector<CollectiveLine> fit_lines(std::span<const CollectivePoint> points);

// Mean relative error of predictions of points that were left out of the fit, a fourth at a time;
// points below the smallest size count for the fit only. Nothing for fewer than eight points.
std::optional<double> left_out_error(std::span<const CollectivePoint> points, Bytes smallest);

// The same points, each beside its time by lines fitted to others. None for fewer than eight.
struct LeftOutPoint {
    CollectivePoint point;
    Seconds predicted;
};
std::vector<LeftOutPoint> left_out_points(std::span<const CollectivePoint> points);

// One algorithm's alpha, beta and gamma for all points of a collective, of any number of devices,
// and the mean relative error of the fit.
struct AlgorithmFit {
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;
    LinkCost cost;
    double error = 0;
};

// The fits of the algorithms that can do every point, the best first. Requires: points of one
// collective.
std::vector<AlgorithmFit> fit_algorithms(std::span<const CollectivePoint> points);

}  // namespace strata
