// SPDX-License-Identifier: MIT
#include "graph/largest_batch.h"

#include "graph/memory.h"
#include "networks/network.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// A network without memory: only the batch.
std::optional<std::int64_t> batch_within(const PeakAtBatch& peak, Bytes memory) {
    const auto found = largest_batch(peak, memory);
    return found ? std::optional(found->batch) : std::nullopt;
}

// Counts how often it is called.
struct Line {
    double fixed = 0;
    double each = 0;
    int asked = 0;

    PeakAtBatch peak() {
        return [this](std::int64_t batch) -> std::optional<Bytes> {
            ++asked;
            return Bytes{fixed + each * static_cast<double>(batch)};
        };
    }
};

TEST(LargestBatch, IsWhereTheLineReachesTheLimit) {
    Line line{.fixed = 1000, .each = 7};
    EXPECT_EQ(batch_within(line.peak(), Bytes{1000 + 7 * 321}), 321);
    EXPECT_EQ(batch_within(line.peak(), Bytes{1000 + 7 * 321 + 6}), 321);
}

TEST(LargestBatch, TriesFewBatchesOfALine) {
    Line line{.fixed = 5e8, .each = 3e6};
    EXPECT_EQ(batch_within(line.peak(), Bytes{24e9}), 7833);
    EXPECT_LE(line.asked, 8);
}

TEST(LargestBatch, IsZeroIfOneImageIsTooMuch) {
    Line line{.fixed = 100, .each = 1};
    EXPECT_EQ(batch_within(line.peak(), Bytes{100}), 0);
    EXPECT_EQ(batch_within(line.peak(), Bytes{101}), 1);
}

TEST(LargestBatch, IsRightIfTheNeedIsNotLinear) {
    const auto square = [](std::int64_t batch) -> std::optional<Bytes> {
        return Bytes{static_cast<double>(batch) * static_cast<double>(batch)};
    };
    const auto steps = [](std::int64_t batch) -> std::optional<Bytes> {
        return Bytes{static_cast<double>(batch / 100)};
    };
    EXPECT_EQ(batch_within(square, Bytes{1e6}), 1000);
    EXPECT_EQ(batch_within(steps, Bytes{5}), 599);
}

TEST(LargestBatch, ABatchThatTheNetworkCannotHaveDoesNotFit) {
    const auto up_to_ten = [](std::int64_t batch) {
        return batch <= 10 ? std::optional(Bytes{1}) : std::nullopt;
    };
    EXPECT_EQ(batch_within(up_to_ten, Bytes{5}), 10);
    EXPECT_EQ(batch_within([](std::int64_t) { return std::optional<Bytes>(); }, Bytes{5}),
              std::nullopt);
}

TEST(LargestBatch, ReportsWhatPreventsALargerOne) {
    const auto anything = [](std::int64_t) { return std::optional(Bytes{1}); };
    EXPECT_EQ(largest_batch(anything, Bytes{5}),
              (LargestBatch{largest_batch_tried, Bytes{1}, BatchLimit::none}));
    const auto up_to_ten = [](std::int64_t batch) {
        return batch <= 10 ? std::optional(Bytes{1}) : std::nullopt;
    };
    EXPECT_EQ(largest_batch(up_to_ten, Bytes{5}),
              (LargestBatch{10, Bytes{1}, BatchLimit::network}));
    Line line{.fixed = 100, .each = 7};
    EXPECT_EQ(largest_batch(line.peak(), Bytes{150}),
              (LargestBatch{7, Bytes{149}, BatchLimit::memory}));
    EXPECT_EQ(largest_batch(line.peak(), Bytes{106}),
              (LargestBatch{0, Bytes{107}, BatchLimit::memory}));
}

TEST(LargestBatch, IsTheLastBatchOfANetworkThatFits) {
    const auto peak = [](std::int64_t batch) -> std::optional<Bytes> {
        const Graph graph = find_zoo_network("alexnet").build(batch);
        return footprint_of(graph, {.numerics = {.mode = Mode::inference}}).peak;
    };
    const Bytes limit{1e9};
    const std::int64_t found = batch_within(peak, limit).value();
    EXPECT_LE(peak(found), limit);
    EXPECT_GT(peak(found + 1), limit);
}

}  // namespace
}  // namespace strata
