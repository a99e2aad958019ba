// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/gather_loops.h"
#include "backend/cpu/kernels/move.h"
#include "base/error.h"
#include "tests/backend/cpu/kernels/numbers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace strata::cpu {
namespace {

using testing::at;

template <class Element>
std::vector<Element> counted(std::int64_t count) {
    std::vector<Element> values(at(count));
    std::iota(values.begin(), values.end(), Element{1});
    return values;
}

template <class Element>
void expect_rows() {
    const auto table = counted<Element>(5 * 7);
    const std::vector<std::int32_t> index = {4, 0, -1, 2, 2};
    std::vector<Element> y(5 * 7);
    gather_rows({1, 5, 5, 7}, sizeof(Element), table.data(), index.data(), y.data());
    const std::vector<std::size_t> rows = {4, 0, 4, 2, 2};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(std::memcmp(&y[7 * i], &table[7 * rows[i]], 7 * sizeof(Element)), 0) << i;
    }
}

TEST(TableRows, AreCopiedForEveryWidthOfAnElementAndNegativeIndicesCountFromTheEnd) {
    expect_rows<std::uint8_t>();
    expect_rows<std::uint16_t>();
    expect_rows<float>();
}

TEST(TableRows, AnIndexOutOfRangeIsAnError) {
    const std::vector<float> table(6);
    std::vector<float> y(2);
    for (const std::int32_t index : {3, -4, 1 << 30}) {
        EXPECT_THROW(gather_rows({1, 3, 1, 2}, 4, table.data(), &index, y.data()), Error);
        EXPECT_THROW(add_rows({1, 3, 1, 2}, y.data(), &index, y.data()), Error);
    }
}

TEST(TableRows, GradientsOfARepeatedIndexAddUpAndOthersAreZero) {
    const std::vector<std::int32_t> index = {2, 0, 2, -1};  // of 3 rows: the last is 2
    const auto dy = counted<float>(8);
    std::vector<float> gradient(6, 9);
    add_rows({1, 3, 4, 2}, dy.data(), index.data(), gradient.data());
    EXPECT_EQ(gradient, (std::vector<float>{3, 4, 0, 0, 1 + 5 + 7, 2 + 6 + 8}));
}

TEST(GatherAlongAnAxis, CopiesAndGivesBackToWhereItRead) {
    const GatherShape shape{2, 4, 3, 5};
    const auto data = counted<float>(2 * 4 * 5);
    const std::vector<float> indices = {3, -4, 3};
    std::vector<float> y(2 * 3 * 5);
    gather_slices(shape, 4, data.data(), indices.data(), y.data());
    const std::vector<std::int64_t> places = {3, 0, 3};
    std::vector<float> expected(data.size(), 0);
    const auto dy = counted<float>(2 * 3 * 5);
    for (std::int64_t o = 0; o < 2; ++o) {
        for (std::int64_t j = 0; j < 3; ++j) {
            for (std::int64_t i = 0; i < 5; ++i) {
                const std::size_t from = at((o * 4 + places[at(j)]) * 5 + i);
                const std::size_t to = at((o * 3 + j) * 5 + i);
                EXPECT_EQ(y[to], data[from]);
                expected[from] += dy[to];
            }
        }
    }
    std::vector<float> dx(data.size(), 9);
    add_slices(shape, dy.data(), indices.data(), dx.data());
    EXPECT_EQ(dx, expected);
}

// Offsets of a row-major tensor.
AxisOffsets row_major(const std::vector<std::int64_t>& extents) {
    AxisOffsets offsets(extents.size());
    std::int64_t step = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        for (std::int64_t i = 0; i < extents[axis]; ++i) {
            offsets[axis].push_back(i * step);
        }
        step *= extents[axis];
    }
    return offsets;
}

template <class Element>
void expect_blocks() {
    // 2 images of 19 channels of 3 x 5 pixels, in blocks of 8 channels: the last block has 3.
    const std::vector<std::int64_t> extents = {2, 19, 3, 5};
    const AxisOffsets from = row_major(extents);
    AxisOffsets to = row_major({2, 3, 3, 5, 8});
    to[1].clear();
    for (std::int64_t c = 0; c < 19; ++c) {
        to[1].push_back(c / 8 * (3 * 5 * 8) + c % 8);
    }
    to.pop_back();  // the channels within a block
    const auto x = counted<Element>(2 * 19 * 15);
    std::vector<Element> y(2 * 24 * 15, Element{0});
    Movement(from, to, sizeof(Element))(x.data(), y.data());
    std::vector<Element> back(x.size(), Element{0});
    Movement(to, from, sizeof(Element))(y.data(), back.data());
    EXPECT_EQ(back, x);
    for (std::int64_t c = 0; c < 19; ++c) {
        const std::int64_t place = to[0][1] + to[1][at(c)] + to[2][2] + to[3][4];
        EXPECT_EQ(y[at(place)], x[at(((1 * 19 + c) * 3 + 2) * 5 + 4)]) << c;
    }
}

TEST(Movement, BringsAnImageIntoBlocksOfChannelsAndBack) {
    expect_blocks<std::uint8_t>();
    expect_blocks<std::uint16_t>();
    expect_blocks<float>();
}

TEST(Movement, RepeatsAnElementWhoseOffsetsStayTheSame) {
    const AxisOffsets from = {{0, 1, 2}, {0, 0, 0, 0}};
    const std::vector<float> x = {1, 2, 3};
    std::vector<float> y(12);
    Movement(from, row_major({3, 4}), sizeof(float))(x.data(), y.data());
    EXPECT_EQ(y, (std::vector<float>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
}

}  // namespace
}  // namespace strata::cpu
