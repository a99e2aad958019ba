// SPDX-License-Identifier: MIT
#include "view/collectives.h"

#include "base/enumeration.h"
#include "parallel/collective_table.h"
#include "view/cells.h"
#include "view/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace strata {

namespace {

// The message of largest size, by whose time the bandwidth is that of the whole collective.
Bandwidth largest_rate(const std::vector<CollectivePoint>& points) {
    const auto most = std::ranges::max_element(points, {}, &CollectivePoint::bytes);
    return most->bytes / most->time;
}

Seconds least_time(const std::vector<CollectivePoint>& points) {
    return std::ranges::min_element(points, {}, &CollectivePoint::time)->time;
}

// The lines of a collective, and the points that they were fitted to.
struct FittedCollective {
    const MeasuredCollective& fitted;
    std::vector<CollectivePoint> points;
};

Columns<FittedCollective> line_columns(Origin origin) {
    using One = const FittedCollective&;
    return {
        {{"collective", "collective", Importance::essential},
         [](One one) { return one.fitted.collective; }},
        {{"devices", "devices", Importance::essential}, [](One one) { return one.fitted.devices; }},
        {{"points", "points"}, [](One one) { return one.points.size(); }},
        {{"latency_s", "shortest", Importance::essential},
         [origin](One one) { return time_cell(least_time(one.points), times_of(origin)); }},
        {{"largest_b_per_s", "bytes/time of the largest", Importance::essential},
         [origin](One one) {
             return number_cell(largest_rate(one.points).value, "B/s", times_of(origin));
         }},
        {{"lines", "lines"}, [](One one) { return one.fitted.lines.size(); }},
        {{"left_out_error", "left out", Importance::essential}, [](One one) {
             return optional_cell(
                 left_out_error(one.points, smallest_checked),
                 [](double error) { return percent_cell(error); }, "fewer than eight points");
         }}};
}

Table line_table(const std::vector<CollectivePoint>& points, const Link& link, Origin origin) {
    std::vector<FittedCollective> rows;
    for (const MeasuredCollective& one : link.measured) {
        rows.push_back({one, points_of(points, one.collective, one.devices)});
    }
    Table table =
        table_of(line_columns(origin), rows,
                 {.title = fmt::format("Collectives of {}", link.name), .records = "collectives"});
    table.notes.emplace_back(
        "left out: mean error of points of 64 KiB and more that were left out of the fit, a fourth "
        "at a time.");
    add_origin(table, origin);
    return table;
}

struct FittedAlgorithm {
    Collective collective;
    AlgorithmFit fit;
};

Columns<FittedAlgorithm> algorithm_columns() {
    using One = const FittedAlgorithm&;
    return {
        {{"collective", "collective", Importance::essential}, &FittedAlgorithm::collective},
        {{"collective_algorithm", "algorithm", Importance::essential},
         [](One one) { return one.fit.algorithm; }},
        {{"alpha_s", "alpha", Importance::essential}, [](One one) { return one.fit.cost.latency; }},
        {{"beta_b_per_s", "beta", Importance::essential},
         [](One one) { return number_cell(one.fit.cost.bandwidth.value, "B/s"); }},
        {{"gamma_b_per_s", "gamma"},
         [](One one) {
             return optional_cell(
                 one.fit.cost.reduction,
                 [](Bandwidth rate) { return number_cell(rate.value, "B/s"); }, "adds nothing");
         }},
        {{"fit_error", "error", Importance::essential},
         [](One one) { return percent_cell(one.fit.error); }}};
}

Table algorithm_table(const std::vector<CollectivePoint>& points, Origin origin) {
    std::vector<FittedAlgorithm> rows;
    for (std::size_t i = 0; i < names_of(Collective{}).size(); ++i) {
        const auto collective = static_cast<Collective>(i);
        const auto own = points_of(points, collective, 0);
        if (own.empty()) {
            continue;
        }
        for (const AlgorithmFit& fit : fit_algorithms(own)) {
            rows.push_back({collective, fit});
        }
    }
    Table table = table_of(
        algorithm_columns(), rows,
        {.title = "By algorithm: alpha + bytes / beta + bytes / gamma", .records = "algorithms"});
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
