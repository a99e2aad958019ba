// SPDX-License-Identifier: MIT
#include "view/metrics.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

MetricCatalogue two_chips() {
    return {.sets = {{.name = "memory",
                      .remarks = {"a sector is 32 bytes."},
                      .metrics = {{.name = "read", .formula = MetricFormula::parse("a / b")},
                                  {.name = "sync",
                                   .formula = MetricFormula::parse("c"),
                                   .stall = StallCategory::sync}}}},
            .architectures = {{.name = "Old",
                               .chips = {"O1", "O2"},
                               .gaps = {{.counters = "a", .chips = "O2", .reason = "none"},
                                        {.counters = "c", .reason = "none"}}}}};
}

std::string cell(const Table& table, std::size_t row, std::size_t column) {
    return std::get<std::string>(table.rows.at(row).at(column));
}

TEST(MetricsView, NamesChipsThatLackAMetricAndArchitecturesWhoseChipsAllDo) {
    const Document document = metrics_document(two_chips());
    const auto& table = std::get<Table>(document.blocks.at(0));
    EXPECT_EQ(cell(table, 0, 5), "O2");
    EXPECT_EQ(cell(table, 1, 5), "Old");
    EXPECT_EQ(cell(table, 1, 6), "sync");
    EXPECT_EQ(table.notes, std::vector<std::string>{"memory: a sector is 32 bytes."});
}

}  // namespace
}  // namespace strata
