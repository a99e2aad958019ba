// SPDX-License-Identifier: MIT
#include "backend/cuda/device/format.h"

#include "backend/cuda/device/values.h"
#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/strides.h"

#include <gtest/gtest.h>

namespace strata::cuda {

namespace {

TEST(Format, ChannelsAreInnermostOnRequest) {
    EXPECT_EQ(strides_of({2, 3, 4, 5}, Order::rows), (Dims{60, 20, 5, 1}));
    EXPECT_EQ(strides_of({2, 3, 4, 5}, Order::channels_last), (Dims{60, 1, 15, 3}));
    EXPECT_EQ(strides_of({6, 7}, Order::channels_last), (Dims{7, 1}));
}

TEST(Format, OneChannelOrOnePixelHasNoOrder) {
    EXPECT_TRUE(has_channel_order({2, 3, 4, 5}));
    EXPECT_FALSE(has_channel_order({2, 1, 4, 5}));
    EXPECT_FALSE(has_channel_order({2, 3, 1, 1}));
    EXPECT_FALSE(has_channel_order({2, 3}));
}

TEST(Format, DescribesATensorsLayout) {
    EXPECT_EQ(text_of({2, 3, 4, 5}, {ElementType::f16, Order::channels_last}), "f16 nhwc");
    EXPECT_EQ(text_of({2, 3, 4}, {ElementType::f32, Order::rows}), "f32 ncw");
    EXPECT_EQ(text_of({7, 9}, {ElementType::bf16, Order::rows}), "bf16 7x9");
}

TEST(Format, ValuesComeBackAsTheyWent) {
    HostValues values(24);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i);  // exact in every type
    }
    for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
        for (const Order order : {Order::rows, Order::channels_last}) {
            const auto bytes = encode(values, {2, 3, 2, 2}, {type, order});
            EXPECT_EQ(decode(bytes, {2, 3, 2, 2}, {type, order}), values);
        }
    }
}

TEST(Strides, ContiguousAxesAreJoined) {
    const Axes axes = joined_axes({2, 3, 4}, {{12, 4, 1}, {24, 8, 2}});
    ASSERT_EQ(axes.rank, 1);
    EXPECT_EQ(axes.extents[0].value(), 24);
    EXPECT_EQ(axes.strides[1][0], 2);
}

TEST(Strides, AxesOfExtentOneAreGone) {
    EXPECT_EQ(joined_axes({1, 5, 1}, {{5, 1, 1}}).rank, 1);
    EXPECT_EQ(joined_axes({1, 1}, {{1, 1}}).rank, 0);
}

TEST(Strides, TheLastTensorIsWalkedThroughInItsOrder) {
    const Axes axes = sorted_axes({2, 3, 4}, {{12, 4, 1}, {1, 2, 6}});
    ASSERT_EQ(axes.rank, 3);
    EXPECT_EQ(axes.extents[2].value(), 2);
    EXPECT_EQ(axes.strides[1][0], 6);
}

TEST(Divisor, DividesAsTheProcessorDoes) {
    for (const std::int64_t divisor : {1L, 2L, 3L, 7L, 641L, 65536L, 1000003L, 2147483647L}) {
        for (const std::int64_t n :
             {0L, 1L, 2L, 6L, 640L, 641L, 123456789L, 2147483646L, 2147483647L, 9000000000L}) {
            EXPECT_EQ(Divisor(divisor).quotient(n), n / divisor) << n << " / " << divisor;
        }
    }
}

TEST(Divisor, DividesSmallNumbersAsTheProcessorDoes) {
    for (const int divisor : {1, 2, 3, 7, 641, 65536, 1000003, 2147483647}) {
        for (const int n : {0, 1, 2, 6, 640, 641, 123456789, 2147483646, 2147483647}) {
            EXPECT_EQ(Divisor(divisor).small_quotient(n), n / divisor) << n << " / " << divisor;
            EXPECT_EQ(Divisor(divisor).small_remainder(n), n % divisor) << n << " % " << divisor;
        }
    }
}

}  // namespace

}  // namespace strata::cuda
