// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/collective_fit.h"
#include "predict/measured_networks.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A line of a table of measured collectives.
struct CollectiveRow {
    std::string device;   // empty: no such column
    std::string library;  // "nccl-2.29.2"; likewise
    CollectivePoint point;
};

// Reads the columns collective, gpus or devices, bytes, and ms; device and library if there are
// such columns. Names of collectives may have underscores or nothing between their words. Throws
// Error that names the line.
std::vector<CollectiveRow> parse_collectives(std::string_view csv, std::string_view origin);

// The points of such a table from this size on, beside times by lines that were fitted to others
// (left_out_points), each collective of each number of devices by itself; nothing if a text has no
// column `collective`. Shorter messages are mostly latency, which varies more.
inline constexpr Bytes smallest_checked{64.0 * 1024};
std::optional<std::vector<MeasuredTime>> left_out_collectives(std::string_view csv,
                                                              std::string_view origin);

// Each collective of each number of devices, with lines through its points; the link's latency and
// bandwidth are those of the all-reduce's best algorithm. Requires: some all-reduce.
Link fitted_link(std::string name, const std::vector<CollectivePoint>& points,
                 const std::string& source);

// The points of one collective, of one number of devices unless that is 0.
std::vector<CollectivePoint> points_of(const std::vector<CollectivePoint>& points,
                                       Collective collective, int devices);

// The numbers of devices that points have, ascending.
std::vector<int> device_counts_of(const std::vector<CollectivePoint>& points);

}  // namespace strata
