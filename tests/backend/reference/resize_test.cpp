// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

// Values worked out by hand from the formulas of the ONNX operator Resize.

namespace strata::testing {
namespace {

HostValues resized(const Resize& op, const Dims& x, HostValues values) {
    ReferenceLayer layer(op, {x});
    layer.inputs[0] = std::move(values);
    layer.forward();
    return layer.outputs[0];
}

void expect_values(const HostValues& ours, const HostValues& expected) {
    ASSERT_EQ(ours.size(), expected.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_NEAR(ours[i], expected[i], 1e-6) << i;
    }
}

TEST(ReferenceResize, NearestRepeatsElementsAndRoundsAsRequested) {
    EXPECT_EQ(resized({.sizes = {4, 4}}, {1, 1, 2, 2}, {1, 2, 3, 4}),
              (HostValues{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
    // Halving: positions 0.5 and 2.5 are midway between two elements.
    Resize halved = {.sizes = {2}};
    EXPECT_EQ(resized(halved, {1, 1, 4}, {1, 2, 3, 4}), (HostValues{1, 3}));
    halved.rounding = NearestRounding::half_up;
    EXPECT_EQ(resized(halved, {1, 1, 4}, {1, 2, 3, 4}), (HostValues{2, 4}));
    halved.coordinates = Coordinates::asymmetric;
    EXPECT_EQ(resized(halved, {1, 1, 4}, {1, 2, 3, 4}), (HostValues{1, 3}));
}

TEST(ReferenceResize, NearestAlwaysDownOrUpKeepsInsideTheInput) {
    Resize op = {.sizes = {5}, .rounding = NearestRounding::down};
    // Positions -0.2, 0.4, 1, 1.6, 2.2.
    EXPECT_EQ(resized(op, {1, 1, 3}, {1, 2, 3}), (HostValues{1, 1, 2, 2, 3}));
    op.rounding = NearestRounding::up;
    EXPECT_EQ(resized(op, {1, 1, 3}, {1, 2, 3}), (HostValues{1, 2, 2, 3, 3}));
}

TEST(ReferenceResize, LinearWeighsTheTwoNeighbours) {
    Resize op = {.sizes = {4}, .interpolation = Interpolation::linear};
    expect_values(resized(op, {1, 1, 2}, {0, 4}), {0, 1, 3, 4});
    op.coordinates = Coordinates::asymmetric;
    expect_values(resized(op, {1, 1, 2}, {0, 4}), {0, 2, 4, 4});
    op.coordinates = Coordinates::align_corners;
    expect_values(resized(op, {1, 1, 2}, {0, 3}), {0, 1, 2, 3});
}

TEST(ReferenceResize, LinearIsTheProductOfItsAxes) {
    const Resize op = {.sizes = {2, 4}, .interpolation = Interpolation::linear};
    expect_values(resized(op, {1, 1, 2, 2}, {0, 4, 8, 12}), {0, 1, 3, 4, 8, 9, 11, 12});
}

TEST(ReferenceResize, ASingleOutputIsAtItsCoordinates) {
    Resize op = {.sizes = {1}, .interpolation = Interpolation::linear};
    expect_values(resized(op, {1, 1, 4}, {0, 2, 4, 6}), {3});
    op.coordinates = Coordinates::pytorch_half_pixel;
    expect_values(resized(op, {1, 1, 4}, {1, 2, 4, 6}), {1});
    op.coordinates = Coordinates::align_corners;
    expect_values(resized(op, {1, 1, 4}, {1, 2, 4, 6}), {1});
}

// At a distance of 1/4 the kernel with a = -0.75 gives the four neighbours these weights.
TEST(ReferenceResize, CubicWeighsFourNeighboursByTheKernelOfKeys) {
    const Resize op = {.sizes = {8}, .interpolation = Interpolation::cubic};
    const HostValues y = resized(op, {1, 1, 4}, {1, 10, 100, 1000});
    const double before = -0.03515625, near = 0.26171875, at = 0.87890625, far = -0.10546875;
    // Output 3 is at position 1.25: neighbours 0, 1, 2, 3.
    EXPECT_NEAR(y[3], 1 * far + 10 * at + 100 * near + 1000 * before, 1e-4);
    // Output 0 is at -0.25; positions outside take the first element.
    EXPECT_NEAR(y[0], (before + near + at) * 1 + far * 10, 1e-5);
}

}  // namespace
}  // namespace strata::testing
