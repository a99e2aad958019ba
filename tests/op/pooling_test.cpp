// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

#include "op/window.h"

namespace strata {
namespace {

TEST(Pooling, FloorDropsAnIncompleteWindowAndCeilKeepsIt) {
    EXPECT_EQ(output_of("pooling(1x64x112x112) kernel=3x3 stride=2x2"), "1x64x55x55");
    EXPECT_EQ(output_of("pooling(1x64x112x112) kernel=3x3 stride=2x2 ceil_mode=true"),
              "1x64x56x56");
    EXPECT_EQ(output_of("pooling(1x96x55x55) kernel=3x3 stride=2x2 ceil_mode=true"), "1x96x27x27");
}

TEST(Pooling, CeilDropsAWindowThatWouldStartBeyondTheInput) {
    // Room 4 + 2 - 2 = 4, stride 3: 3 windows rounded up, the last at 6 of 4 + 1.
    EXPECT_EQ(output_of("pooling(1x1x4) kernel=2 stride=3 pad_begin=1 pad_end=1 ceil_mode=true"),
              "1x1x2");
}

TEST(Pooling, AGlobalWindowIsTheWholePlaneWhateverItsAttributesSay) {
    EXPECT_EQ(output_of("pooling(2x512x7x5) kind=average global=true kernel=3x3"), "2x512x1x1");
    EXPECT_EQ(flops_of("pooling(2x512x7x5) kind=average global=true", Pass::forward),
              2 * 512 * (7 * 5 + 1));
}

TEST(Pooling, AMaximumComparesEveryElementOfItsWindow) {
    const auto* pool1 = "pooling(1x96x55x55) kernel=3x3 stride=2x2";
    EXPECT_EQ(flops_of(pool1, Pass::forward), 629'856);
    EXPECT_EQ(flops_of(pool1, Pass::backward_data), 96 * 27 * 27);
}

TEST(Pooling, TheMaximumsPlaceIsOneByteIfThatCanNumberTheWindow) {
    EXPECT_EQ(reads_of(parse_op("pooling kernel=3x3")).saved_bytes_per_output, 1);
    EXPECT_EQ(reads_of(parse_op("pooling kernel=17x17")).saved_bytes_per_output, 4);
    EXPECT_EQ(reads_of(parse_op("pooling kind=average kernel=3x3")).saved_bytes_per_output, 0);
}

TEST(Pooling, AWindowWithoutInputIsRefused) {
    EXPECT_TRUE(contains(refusal_of("pooling(1x1x4x4) kernel=2x2 pad_begin=2x0"),
                         "leave windows without input"));
    EXPECT_NE(refusal_of("pooling(1x1x4x4) kernel=5x5"), "");
    EXPECT_NE(refusal_of("pooling(1x1x4x4)"), "");
    EXPECT_NE(refusal_of("pooling(1x1x4x4) kernel=2x2 stride=0x1"), "");
}

TEST(Pooling, TheWindowThatKernelsUseHasEveryDefaultFilledIn) {
    const Window window = window_of(Pooling{.kernel = {3, 2}, .pad_end = {1, 0}}, {{1, 1, 9, 9}});
    EXPECT_EQ(window.stride, (Dims{1, 1}));
    EXPECT_EQ(window.dilation, (Dims{1, 1}));
    EXPECT_EQ(window.pad_begin, (Dims{0, 0}));
    EXPECT_EQ(window.pad_end, (Dims{1, 0}));
}

}  // namespace
}  // namespace strata
