// SPDX-License-Identifier: MIT
#include "report/page_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace strata {

namespace {

// The indices of the heaviest, in their order; the first of equal ones win.
template <class Weight>
std::vector<std::size_t> heaviest(std::size_t count, std::size_t max_kept, Weight&& weight) {
    std::vector<double> weights(count);
    std::vector<std::size_t> places(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::transform(places, weights.begin(), weight);
    std::ranges::stable_sort(places, std::greater(), [&](std::size_t i) { return weights[i]; });
    places.resize(std::min(max_kept, count));
    std::ranges::sort(places);
    return places;
}

template <class Item>
void keep(std::vector<Item>& items, const std::vector<std::size_t>& places) {
    std::vector<Item> kept;
    kept.reserve(places.size());
    for (const std::size_t place : places) {
        kept.push_back(std::move(items[place]));
    }
    items = std::move(kept);
}

using ColumnPlace = std::optional<std::size_t>;

// The column of the rows' shares of the time, if the table has one.
ColumnPlace share_column(const Table& table) {
    const auto column = std::ranges::find(table.columns, "share", &Column::key);
    return column == table.columns.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(column - table.columns.begin()));
}

// Rows without a share weigh the same, so the first ones are kept.
double weight_of(const std::vector<Cell>& row, ColumnPlace share) {
    const auto* number = share ? std::get_if<Number>(&row[*share]) : nullptr;
    return number != nullptr ? number->value : 0;
}

class Limiter {
public:
    Limiter(const PageLimit& limit, std::size_t max_rows) : limit_(limit), max_rows_(max_rows) {}

    // In a tree a row weighs at least as much as its parts and precedes them, so no part loses its
    // row.
    void operator()(Table& table) const {
        const std::size_t count = table.rows.size();
        if (count <= max_rows_) {
            return;
        }
        const ColumnPlace share = share_column(table);
        const auto places = heaviest(
            count, max_rows_, [&](std::size_t i) { return weight_of(table.rows[i], share); });
        keep(table.rows, places);
        if (!table.levels.empty()) {
            keep(table.levels, places);
        }
        table.notes.push_back(
            share ? fmt::format("The page has the {} heaviest of {} rows; strata explain --csv has "
                                "every step.",
                                places.size(), count)
                  : fmt::format("The page has the first {} of {} rows; --csv has all.",
                                places.size(), count));
    }

    void operator()(StackedBars& chart) const {
        const std::size_t count = chart.labels.size();
        if (count <= limit_.bars) {
            return;
        }
        const auto places =
            heaviest(count, limit_.bars, [&](std::size_t i) { return chart.total(i).value_or(0); });
        keep(chart.labels, places);
        for (StackedBars::Series& series : chart.series) {
            series.values.resize(count);
            keep(series.values, places);
        }
        chart.title += fmt::format(": the {} longest of {} bars", places.size(), count);
    }

    void operator()(RooflineChart& chart) const {
        const std::size_t count = chart.points.size();
        if (count <= limit_.points) {
            return;
        }
        const auto places = heaviest(
            count, limit_.points, [&](std::size_t i) { return chart.points[i].share.value_or(0); });
        keep(chart.points, places);
        chart.title += fmt::format(", the {} heaviest of {}", places.size(), count);
    }

    void operator()(auto&) const {}

private:
    const PageLimit& limit_;
    std::size_t max_rows_;
};

bool is_part(const Block& block) {
    const auto* heading = std::get_if<Heading>(&block);
    return heading != nullptr && heading->level == HeadingLevel::part;
}

}  // namespace

Document limited_to_page(Document document, const PageLimit& limit) {
    auto& blocks = document.blocks;
    const auto parts = static_cast<std::size_t>(std::ranges::count_if(blocks, is_part));
    if (parts > limit.parts) {
        std::size_t seen = 0;
        const auto end = std::ranges::find_if(
            blocks, [&](const Block& block) { return is_part(block) && ++seen > limit.parts; });
        blocks.erase(end, blocks.end());
        blocks.emplace_back(Paragraph{
            fmt::format("The page has the tables of {} of {} runs; strata report RUN writes "
                        "those of another run.",
                        limit.parts, parts)});
    }
    const std::size_t shown = std::min(parts, limit.parts);
    const Limiter limiter(limit, shown < 2 ? limit.rows : 4 * limit.rows / shown);
    for (Block& block : blocks) {
        std::visit(limiter, block);
    }
    return document;
}

}  // namespace strata
