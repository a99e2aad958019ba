// SPDX-License-Identifier: MIT
#include "analyze/infeed.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Samples always(double time) {
    return {std::vector<Seconds>(10, Seconds{time})};
}

// 32 images per step of 10 ms; one thread makes them in 40 ms of processor time.
InfeedResult slow_pipeline() {
    return {.source = "synthetic",
            .images = 64,
            .encoded = {},
            .threads = 1,
            .times = {.step = always(10e-3),
                      .serial = always(51e-3),
                      .decode = always(30e-3),
                      .augment = always(10e-3),
                      .produce = always(40e-3),
                      .copy = always(1e-3),
                      .overlapped = always(40e-3),
                      .waiting = always(28e-3),
                      .copying = always(1e-3)}};
}

TEST(InfeedFindingsTest, TheShareIsTheWaitAndCopyOfAnOverlappedStep) {
    const auto findings = findings_on(slow_pipeline(), 32);
    ASSERT_TRUE(findings);
    EXPECT_NEAR(findings->share, 29.0 / 40, 1e-9);
    EXPECT_NEAR(findings->beside.median.value, 11e-3, 1e-9);
    EXPECT_NEAR(
        (findings->waiting.median + findings->copying.median + findings->beside.median).value,
        findings->overlapped.median.value, 1e-9);
    EXPECT_NEAR(findings->made_per_second, 800, 1e-6);
    EXPECT_NEAR(findings->taken_per_second, 3200, 1e-6);
    EXPECT_NEAR(findings->processors, 4, 1e-9);
    EXPECT_TRUE(findings->is_infeed_bound());
}

TEST(InfeedFindingsTest, TheVerdictNamesBothRatesAndTheThreadsThatWouldKeepUp) {
    EXPECT_EQ(verdict_on(*findings_on(slow_pipeline(), 32), 1),
              "Infeed-bound: 1 thread makes 800 images/s and the network takes 3200. 72.5 % of an "
              "overlapped step goes into waiting for input and copying it; 4 threads, each with a "
              "processor of its own, "
              "would keep up.");
    InfeedResult quick = slow_pipeline();
    quick.times.step = always(80e-3);
    quick.times.overlapped = always(81e-3);
    quick.times.waiting = always(0);
    const auto findings = findings_on(quick, 32);
    EXPECT_FALSE(findings->is_infeed_bound());
    EXPECT_EQ(verdict_on(*findings, 2),
              "Not infeed-bound: 2 threads make 800 images/s and the network takes 400. 1.23 % of "
              "an overlapped step goes into waiting for input and copying it; making the images "
              "keeps 0.5 processors "
              "busy.");
}

TEST(InfeedFindingsTest, AZeroTimeGivesNoRateAndInconsistentSeriesAreRefused) {
    InfeedResult still = slow_pipeline();
    still.times.step = always(0);
    EXPECT_FALSE(findings_on(still, 32));
    InfeedResult torn = slow_pipeline();
    torn.times.waiting.values.pop_back();
    EXPECT_THROW(findings_on(torn, 32), Error);
}

}  // namespace
}  // namespace strata
