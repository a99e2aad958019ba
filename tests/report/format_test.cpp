// SPDX-License-Identifier: MIT
#include "report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

std::string text(double value, const std::string& unit) {
    return number_text({.value = value, .unit = unit});
}

std::string text(double value, const std::string& unit, double half) {
    return number_text({.value = value, .unit = unit, .low = value - half, .high = value + half});
}

TEST(Format, NumbersTakeTheSiPrefixThatFits) {
    EXPECT_EQ(text(0.0123, "s"), "12.3 ms");
    EXPECT_EQ(text(4.2e-9, "s"), "4.20 ns");
    EXPECT_EQ(text(1.35e9, "FLOP"), "1.35 GFLOP");
    EXPECT_EQ(text(512, "B"), "512 B");
    EXPECT_EQ(text(94.1e9, "FLOP/s"), "94.1 GFLOP/s");
    EXPECT_EQ(text(18.04, "%"), "18.0 %");
    EXPECT_EQ(text(3600, "s"), "3600 s");
}

TEST(Format, RoundingDoesNotLeaveAThousandOfASmallerUnit) {
    EXPECT_EQ(text(0.99996, "s"), "1.00 s");
}

TEST(Format, ZeroHasNoPrefix) {
    EXPECT_EQ(text(0, "s"), "0 s");
}

TEST(Format, TheIntervalSetsTheDigits) {
    EXPECT_EQ(text(0.0123456, "s", 0.0001), "12.35 ms ± 0.10");
    EXPECT_EQ(text(0.0123456, "s", 0.0004), "12.3 ms ± 0.4");
    EXPECT_EQ(text(0.0123456, "s", 0.004), "12 ms ± 4");
}

TEST(Format, AnIntervalBelowTheLastDigitIsNotPrintedAsZero) {
    EXPECT_EQ(text(0.0123456, "s", 1e-7), "12.35 ms ± <0.01");
}

TEST(Format, TheWiderSideOfAnUnevenIntervalIsPrinted) {
    EXPECT_EQ(number_text({.value = 10e-3, .unit = "s", .low = 9.9e-3, .high = 10.5e-3}),
              "10.0 ms ± 0.5");
}

TEST(Format, AWideAsymmetricIntervalShowsItsEnds) {
    EXPECT_EQ(number_text({.value = 8e-3, .unit = "s", .low = 7.9e-3, .high = 16e-3}),
              "8.0 ms [7.9, 16.0]");
    EXPECT_EQ(number_text({.value = 8e-3, .unit = "s", .low = 3e-3, .high = 13e-3}),
              "8.0 ms ± 5.0");
}

TEST(Format, AnIntervalNeverReachesBelowZero) {
    EXPECT_EQ(number_text({.value = 8e-3, .unit = "s", .low = 1e-3, .high = 17e-3}),
              "8.0 ms [1.0, 17.0]");
    EXPECT_EQ(number_text({.value = -8e-3, .unit = "s", .low = -17e-3, .high = 1e-3}),
              "-8.0 ms ± 9.0");
}

TEST(Format, AShareAndAWholeNumberHaveTheirIntervals) {
    EXPECT_EQ(number_text(Number{.value = 0, .unit = "%", .low = 0, .high = 16.1}),
              "0 % [0, 16.1]");
    EXPECT_EQ(number_text(Number{.value = 1, .unit = "", .low = 0.98, .high = 1.02}),
              "1.000 ± 0.020");
}

TEST(Format, CountsAreWrittenInFull) {
    EXPECT_EQ(text(60965224, ""), "60,965,224");
    EXPECT_EQ(text(-1234, ""), "-1,234");
    EXPECT_EQ(text(999, ""), "999");
}

TEST(Format, ModelledAndImportedNumbersAreMarked) {
    EXPECT_EQ(number_text({.value = 2e-3, .unit = "s", .provenance = Provenance::modelled}),
              "≈2.00 ms");
    EXPECT_EQ(number_text({.value = 2e-3, .unit = "s", .provenance = Provenance::imported}),
              "'2.00 ms");
}

TEST(Format, AForeignScaleShowsSmallNumbersWithoutFalseDigits) {
    const Scale milliseconds = scale_for("s", 0.01);
    EXPECT_EQ(number_text({.value = 2.13e-8, .unit = "s"}, milliseconds), "0.00002");
    EXPECT_EQ(number_text({.value = 1.234, .unit = "s"}, milliseconds), "1234");
}

TEST(Format, SharesHaveOneDecimalAndNeverVanish) {
    EXPECT_EQ(text(100, "%"), "100 %");
    EXPECT_EQ(text(7.456, "%"), "7.5 %");
    EXPECT_EQ(text(0.01, "%"), "<0.1 %");
    EXPECT_EQ(text(-0.01, "%"), ">-0.1 %");
    EXPECT_EQ(text(0, "%"), "0 %");
}

TEST(Format, NumbersThatAreNotFiniteAreMissing) {
    EXPECT_TRUE(is_missing(Missing{"why"}));
    EXPECT_TRUE(is_missing(Number{.value = std::numeric_limits<double>::quiet_NaN()}));
    EXPECT_TRUE(is_missing(Number{.value = std::numeric_limits<double>::infinity()}));
    EXPECT_FALSE(is_missing(Number{}));
    EXPECT_FALSE(is_missing(std::string()));
}

}  // namespace
}  // namespace strata
