// SPDX-License-Identifier: MIT
#include "measure/rates.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Rates, AreOfTheQuickestAndOfTheMiddleTime) {
    const Rates rates = rates_from("copy", 12, {Seconds{3}, Seconds{2}, Seconds{4}});
    EXPECT_EQ(rates.kernel, "copy");
    EXPECT_EQ(rates.best, 6);
    EXPECT_EQ(rates.median, 4);
    EXPECT_EQ(rates.samples, 3U);
}

TEST(Rates, TheBestKernelIsTheCeilingAndTheOthersAreListedWithIt) {
    const Fact<Bandwidth> fact =
        best_of<Bandwidth>({{"read", 5e9, 4e9, 20}, {"copy", 8e9, 6e9, 20}}, "; 64 MiB");
    EXPECT_EQ(fact.value, Bandwidth{8e9});
    EXPECT_EQ(fact.source.find("measured 20"), 0U);
    EXPECT_NE(fact.source.find("copy; best of 20, median 25.0 % lower; read: 5e+09; 64 MiB"),
              std::string::npos)
        << fact.source;
}

}  // namespace
}  // namespace strata
