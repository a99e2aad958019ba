// SPDX-License-Identifier: MIT
#include "view/comparison_rates.h"

#include "analyze/advice.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

Cell share_cell(std::int64_t count, std::int64_t all) {
    const Share share = share_of(count, all);
    return Number{
        .value = 100 * share.value, .unit = "%", .low = 100 * share.low, .high = 100 * share.high};
}

std::vector<Cell> row_of(const PlantedRate& rate, const ComparisonRates& rates) {
    const auto cell = [](std::int64_t count) { return count_cell(static_cast<double>(count)); };
    return {percent_cell(rate.planted), cell(rate.faster),
            cell(rate.slower),          cell(rate.same),
            cell(rate.unclear),         share_cell(rate.faster + rate.slower, rates.comparisons),
            cell(rate.layers),          cell(rate.layers_faster + rate.layers_slower)};
}

}  // namespace

Document comparison_rates_document(const ComparisonRates& rates) {
    Table table{.title = fmt::format("{} comparisons of {}, batch {}, with itself on {}",
                                     rates.comparisons, rates.network, rates.batch, rates.backend)};
    table.columns = {{"planted", "slow-down", Importance::essential},
                     {"faster", "faster", Importance::essential},
                     {"slower", "slower", Importance::essential},
                     {"same", "same", Importance::essential},
                     {"unclear", "cannot tell", Importance::essential},
                     {"different_share", "called different", Importance::essential, Audience::all,
                      Bounds::interval},
                     {"layers", "layers", Importance::normal},
                     {"layers_different", "layers called different", Importance::normal}};
    for (const PlantedRate& rate : rates.planted) {
        table.rows.push_back(row_of(rate, rates));
    }
    table.notes = {
        fmt::format(
            "{}, {} threads, a margin of {}. A slow-down is added to the samples of one side.",
            processes_text(rates), rates.threads, percent(rates.margin)),
        fmt::format("Half of the comparisons can show differences of the whole of {} or more.",
                    percent(rates.smallest_visible))};
    if (rates.process_spread) {
        table.notes.push_back(
            fmt::format("Single processes differ by {} (standard deviation), so comparisons of "
                        "fewer than {} processes a side can be off by as much.",
                        percent(*rates.process_spread), min_launches_for_interval));
    }
    table.records = "rates";
    Document document{"calibration of verdicts", {Lead{sentence_on(rates)}, std::move(table)}};
    document.kind = "comparison-rates";
    return document;
}

}  // namespace strata
