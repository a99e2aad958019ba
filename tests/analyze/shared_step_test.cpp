// SPDX-License-Identifier: MIT
#include "analyze/shared_step.h"

#include "base/error.h"
#include "published/files.h"
#include "published/read.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {

namespace {

const Reproduced& figure_10() {
    static const Reproduced reproduced =
        reproduce(find_reproduction("kim2017-fig10"), {}, modelled_speedup);
    return reproduced;
}

TEST(SharedStep, CaffesAndTorchsSpeedupsAreWithinAFifth) {
    int count = 0;
    for (const ComparedNumber& number : figure_10().comparisons) {
        if (number.quantity.starts_with("Caffe") || number.quantity.starts_with("Torch")) {
            EXPECT_NEAR(number.ours, number.published, 0.2) << number.quantity;
            ++count;
        }
    }
    EXPECT_EQ(count, 12);
}

TEST(SharedStep, OneBitIsAboveThirtyTwoWhereverItIsPublishedSo) {
    int count = 0;
    for (const ComparedNumber& number : figure_10().comparisons) {
        if (number.quantity.ends_with("1 bit above 32")) {
            EXPECT_EQ(number.verdict, Agreement::equal) << number.quantity;
            ++count;
        }
    }
    EXPECT_EQ(count, 6);
}

TEST(SharedStep, EveryDifferenceIsExplainedAndNoAgreementIs) {
    const Reproduced& figure = figure_10();
    EXPECT_TRUE(agrees(figure));
    for (std::size_t i = 0; i < figure.comparisons.size(); ++i) {
        EXPECT_EQ(figure.comparisons[i].verdict == Agreement::differs,
                  !figure.reproduction.numbers[i].differs.empty())
            << figure.comparisons[i].quantity;
    }
}

// The slides: T(n) = T1 / n + 2 log2(n) 45 ms. One pair of boards is not slowed by the root.
TEST(SharedStep, TwoBoardsTakeTheSlidesTime) {
    const FromSpeedup asked{
        .device = "titan-x", .links = "pcie-3-root", .devices = 2, .single_ms = 200};
    const double ours = modelled_speedup({.network = "alexnet-ungrouped", .batch = 256}, asked);
    EXPECT_NEAR(ours, 200 / (100 + 2 * 45.0), 0.03);
}

TEST(SharedStep, RefusesWhatDoesNotExist) {
    const Counted network{.network = "alexnet", .batch = 16};
    const FromSpeedup good{.device = "titan-x", .links = "pcie-3-root", .single_ms = 10};
    EXPECT_GT(modelled_speedup(network, good), 0);
    for (const auto& [device, links, overlap] :
         {std::tuple{"no-such", "pcie-3-root", "on"}, std::tuple{"titan-x", "no-such", "on"},
          std::tuple{"titan-x", "pcie-3-root", "perhaps"}}) {
        FromSpeedup asked = good;
        asked.device = device;
        asked.links = links;
        asked.overlap = overlap;
        EXPECT_THROW(modelled_speedup(network, asked), Error);
    }
}

TEST(SharedStep, AFileNeedsTheTimeOfOneDevice) {
    const std::string_view text = R"(title = "t"
source = "s"
model = "m"
numbers = [{ name = "a", basis = "printed", where = "p", network = "alexnet", published = 1,
  device = "titan-x", links = "pcie-3-root", devices = 2, single_ms = 0 }]
)";
    EXPECT_THROW(parse_reproduction(text, "x.toml"), Error);
}

}  // namespace

}  // namespace strata::testing
