// SPDX-License-Identifier: MIT
#include "store/stored_values.h"

#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

TEST(StoredValues, SamplesRoundTripToTheLastBit) {
    const std::vector<Seconds> values = {{0.1}, {1e-9}, {-0.0}, {1.0 / 3}, {5e-324}};
    const auto back = unpack(pack(values));
    ASSERT_EQ(back.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i].value),
                  std::bit_cast<std::uint64_t>(values[i].value));
    }
}

TEST(StoredValues, SamplesAreLittleEndianDoubles) {
    const std::vector<Seconds> one = {{1.0}};  // 0x3ff0000000000000
    const auto bytes = pack(one);
    ASSERT_EQ(bytes.size(), 8U);
    EXPECT_EQ(bytes[7], std::byte{0x3f});
    EXPECT_EQ(bytes[6], std::byte{0xf0});
    EXPECT_EQ(bytes[0], std::byte{0});
}

TEST(StoredValues, ATruncatedBlobIsDamage) {
    const std::vector<std::byte> bytes(12);
    EXPECT_NE(error_of([&] { unpack(bytes); }).find("damaged"), std::string::npos);
}

TEST(StoredValues, TimesAreRoundedToNanoseconds) {
    EXPECT_EQ(nanoseconds({1.4e-9}), 1);
    EXPECT_EQ(nanoseconds({3600}), 3600000000000);
}

TEST(StoredValues, InvalidCountsAreRefused) {
    for (const double count : {-1.0, 1e30, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_NE(error_of([&] { whole_count(count); }), "no error") << count;
    }
    EXPECT_EQ(whole_count(0x1p53), 9007199254740992);
}

TEST(StoredValues, TheSummaryOfSamplesIsTheirMedianAndItsInterval) {
    const StoredSeries series = stored({{{3e-9}, {1e-9}, {2e-9}}});
    EXPECT_EQ(series.samples, 3);
    EXPECT_EQ(series.median, 2);
    EXPECT_EQ(series.low, 1);
    EXPECT_EQ(series.high, 3);
}

TEST(StoredValues, NothingMeasuredHasNoSummary) {
    const StoredSeries series = stored(Samples{});
    EXPECT_EQ(series.samples, 0);
    EXPECT_EQ(series.median, std::nullopt);
    EXPECT_EQ(series.values, std::nullopt);
}

TEST(StoredValues, AReasonIsKeptWithTheStatus) {
    const StoredStatus status = stored_status_of(Skipped{"why: not"});
    EXPECT_EQ(status, (StoredStatus{"skipped", "why: not"}));
    EXPECT_EQ(std::get<Skipped>(measurement_of(status, {})).reason, "why: not");
    EXPECT_EQ(std::get<Failed>(measurement_of({"failed", "x"}, {})).reason, "x");
    EXPECT_EQ(stored_status_of(Included{"conv1 forward"}),
              (StoredStatus{"included", "conv1 forward"}));
    EXPECT_EQ(std::get<Included>(measurement_of({"included", "x"}, {})).step, "x");
    EXPECT_EQ(stored_status_of(Samples{}), StoredStatus{"planned"});
    EXPECT_EQ(stored_status_of(NoOp{}), StoredStatus{"no-op"});
    EXPECT_TRUE(std::holds_alternative<NoOp>(measurement_of({"no-op"}, {})));
}

TEST(StoredValues, AnUnknownStatusIsDamage) {
    EXPECT_NE(error_of([] { measurement_of({"fine"}, {}); }).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace strata
