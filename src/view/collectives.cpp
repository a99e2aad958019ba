// SPDX-License-Identifier: MIT
#include "view/collectives.h"

#include "base/enumeration.h"
#include "parallel/collective_table.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr Bytes smallest_checked{64.0 * 1024};

// The message of largest size, by whose time the bandwidth is that of the whole collective.
Bandwidth largest_rate(const std::vector<CollectivePoint>& points) {
    const auto most = std::ranges::max_element(points, {}, &CollectivePoint::bytes);
    return most->bytes / most->time;
}

Seconds least_time(const std::vector<CollectivePoint>& points) {
    return std::ranges::min_element(points, {}, &CollectivePoint::time)->time;
}

Table line_table(const std::vector<CollectivePoint>& points, const Link& link, Origin origin) {
    Table table{.title = fmt::format("Collectives of {}", link.name),
                .columns = {{"collective", "collective", Importance::essential},
                            {"devices", "devices", Importance::essential},
                            {"points", "points", Importance::normal},
                            {"latency_s", "shortest", Importance::essential},
                            {"largest_b_per_s", "bytes/time of the largest", Importance::essential},
                            {"lines", "lines", Importance::normal},
                            {"left_out_error", "left out", Importance::essential}},
                .records = "collectives"};
    for (const MeasuredCollective& one : link.measured) {
        const auto own = points_of(points, one.collective, one.devices);
        table.rows.push_back(
            {std::string(name_of(one.collective)), count_cell(one.devices),
             count_cell(static_cast<double>(own.size())),
             time_cell(least_time(own), times_of(origin)),
             number_cell(largest_rate(own).value, "B/s", times_of(origin)),
             count_cell(static_cast<double>(one.lines.size())),
             optional_cell(
                 left_out_error(own, smallest_checked),
                 [](double error) { return percent_cell(error); }, "fewer than eight points")});
    }
    table.notes.emplace_back(
        "left out: mean error of points of 64 KiB and more that were left out of the fit, a fourth "
        "at a time.");
    add_origin(table, origin);
    return table;
}

Table algorithm_table(const std::vector<CollectivePoint>& points, Origin origin) {
    Table table{.title = "By algorithm: alpha + bytes / beta + bytes / gamma",
                .columns = {{"collective", "collective", Importance::essential},
                            {"collective_algorithm", "algorithm", Importance::essential},
                            {"alpha_s", "alpha", Importance::essential},
                            {"beta_b_per_s", "beta", Importance::essential},
                            {"gamma_b_per_s", "gamma", Importance::normal},
                            {"fit_error", "error", Importance::essential}},
                .records = "algorithms"};
    for (std::size_t i = 0; i < names_of(Collective{}).size(); ++i) {
        const auto own = points_of(points, static_cast<Collective>(i), 0);
        if (own.empty()) {
            continue;
        }
        for (const AlgorithmFit& fit : fit_algorithms(own)) {
            table.rows.push_back(
                {std::string(names_of(Collective{})[i]), std::string(name_of(fit.algorithm)),
                 time_cell(fit.cost.latency), number_cell(fit.cost.bandwidth.value, "B/s"),
                 optional_cell(
                     fit.cost.reduction,
                     [](Bandwidth rate) { return number_cell(rate.value, "B/s"); }, "adds nothing"),
                 percent_cell(fit.error)});
        }
    }
    table.notes.emplace_back(
        "One alpha, beta and gamma for all numbers of devices and bytes of a collective; error: "
        "mean, of the fitted points.");
    add_origin(table, origin);
    return table;
}

}  // namespace

Document collectives_document(const std::vector<CollectivePoint>& points, const Link& link,
                              Origin origin) {
    Document document{.title = "collectives", .blocks = {}, .kind = "collectives"};
    document.blocks.emplace_back(line_table(points, link, origin));
    document.blocks.emplace_back(algorithm_table(points, origin));
    return document;
}

}  // namespace strata
