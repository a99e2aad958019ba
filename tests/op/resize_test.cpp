// SPDX-License-Identifier: MIT
#include "op/resize.h"
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Resize, GivesTheRequestedSpatialExtents) {
    EXPECT_EQ(output_of("resize(2x16x5x5) sizes=10x15"), "2x16x10x15");
    EXPECT_EQ(output_of("resize(2x16x5) sizes=3"), "2x16x3");
    EXPECT_TRUE(contains(refusal_of("resize(2x16x5x5) sizes=10"), "sizes"));
    EXPECT_NE(refusal_of("resize(2x16x5x5) sizes=10x0"), "");
    EXPECT_NE(refusal_of("resize(2x16) sizes=10"), "");
}

TEST(Resize, AnOutputMultipliesTwoOrFourInputsAlongEachAxis) {
    const std::string op = "resize(1x2x4x4) sizes=8x8 interpolation=";
    const double outputs = 2 * 8 * 8;
    EXPECT_EQ(work_of(op + "nearest", Pass::forward).operations.multiply_adds, 0);
    EXPECT_EQ(work_of(op + "linear", Pass::forward).operations.multiply_adds, 4 * outputs);
    EXPECT_EQ(work_of(op + "cubic", Pass::forward).operations.multiply_adds, 16 * outputs);
    EXPECT_EQ(work_of(op + "nearest", Pass::backward_data).operations.adds, outputs);
}

TEST(Resize, TheWeightsOfEveryOutputAddUpToOneAndItsTapsStayInside) {
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
        for (const Coordinates coordinates :
             {Coordinates::half_pixel, Coordinates::pytorch_half_pixel, Coordinates::asymmetric,
              Coordinates::align_corners}) {
            for (const std::int64_t size : {1, 3, 7, 20}) {
                const Resize op = {
                    .sizes = {size}, .interpolation = interpolation, .coordinates = coordinates};
                const InterpolationAxis axis = interpolation_axes(op, {{1, 1, 7}}).at(0);
                ASSERT_EQ(axis.taps.size(), axis.each * static_cast<std::size_t>(size));
                for (std::size_t i = 0; i < axis.taps.size(); i += axis.each) {
                    double sum = 0;
                    for (std::size_t tap = i; tap < i + axis.each; ++tap) {
                        sum += axis.taps[tap].weight;
                        EXPECT_GE(axis.taps[tap].position, 0);
                        EXPECT_LT(axis.taps[tap].position, 7);
                    }
                    EXPECT_NEAR(sum, 1, 1e-12);
                }
            }
        }
    }
}

TEST(Resize, EqualExtentsLeaveTheImageUnchanged) {
    for (const Coordinates coordinates :
         {Coordinates::half_pixel, Coordinates::asymmetric, Coordinates::align_corners}) {
        const Resize op = {
            .sizes = {5}, .interpolation = Interpolation::linear, .coordinates = coordinates};
        const InterpolationAxis axis = interpolation_axes(op, {{1, 1, 5}}).at(0);
        for (std::int64_t i = 0; i < 5; ++i) {
            EXPECT_EQ(axis.taps[static_cast<std::size_t>(2 * i)], (InterpolationTap{i, 1}));
        }
    }
}

}  // namespace
}  // namespace strata
