// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/fast_exp.h"
#include "backend/cpu/kernels/lrn_loops.h"
#include "backend/cpu/kernels/narrow.h"
#include "backend/cpu/kernels/pack_weights.h"
#include "backend/cpu/kernels/small_gemm.h"
#include "backend/cpu/kernels/tile_gemm.h"
#include "backend/cpu/onednn/compat.h"
#include "backend/cpu/onednn/isa.h"
#include "backend/cpu/onednn/skinny_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

// The building blocks of attention and normalisations.

namespace strata::cpu {
namespace {

TEST(FastExp, IsWithinTwoUnitsOfTheLibrarys) {
    for (float x = -86; x < 88; x += 0.0137F) {
        EXPECT_NEAR(fast_exp(x) / std::exp(x), 1, 3e-7) << x;
    }
    EXPECT_EQ(fast_exp(0), 1);
}

TEST(FastExp, EndsInZeroAndStaysFinite) {
    EXPECT_EQ(fast_exp(-88), 0);
    EXPECT_EQ(fast_exp(-std::numeric_limits<float>::infinity()), 0);
    EXPECT_TRUE(std::isfinite(fast_exp(1e30F)));
}

std::vector<float> numbers(std::size_t count, std::size_t salt) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<float>((i * 7 + salt) % 11) - 5);
    }
    return values;
}

// Integers, so that every order of summation gives the same result.
float element(const std::vector<float>& a, std::size_t a_row, std::size_t a_depth,
              const std::vector<float>& b, std::size_t b_row, std::size_t b_depth,
              std::size_t depth) {
    float sum = 0;
    for (std::size_t k = 0; k < depth; ++k) {
        sum += a[a_row + k * a_depth] * b[b_row + k * b_depth];
    }
    return sum;
}

TEST(SmallGemm, MultipliesOddNumbersOfRowsByAnyMultipleOfSixteenColumns) {
    for (const std::size_t rows : {1U, 5U, 6U, 13U}) {
        for (const std::size_t columns : {16U, 48U, 64U, 144U}) {
            const std::size_t depth = 9;
            const auto a = numbers(rows * depth, 1), b = numbers(depth * columns, 2);
            std::vector<float> c(rows * columns, 100);
            small_gemm({rows, columns, depth}, {a.data(), 9, 1},
                       {b.data(), static_cast<std::ptrdiff_t>(columns)},
                       {c.data(), static_cast<std::ptrdiff_t>(columns)}, Into::overwrite);
            for (std::size_t i = 0; i < c.size(); ++i) {
                ASSERT_EQ(c[i], element(a, i / columns * depth, 1, b, i % columns, columns, depth))
                    << rows << "x" << columns << " at " << i;
            }
        }
    }
}

TEST(SmallGemm, AddsToTheResultAndReadsATransposedLeftMatrix) {
    const std::size_t rows = 7, columns = 32, depth = 5;
    const auto a = numbers(depth * rows, 3), b = numbers(depth * columns, 4);
    std::vector<float> c(rows * columns, 100);
    small_gemm({rows, columns, depth}, {a.data(), 1, 7}, {b.data(), 32}, {c.data(), 32}, Into::add);
    for (std::size_t i = 0; i < c.size(); ++i) {
        ASSERT_EQ(c[i], 100 + element(a, i / columns, rows, b, i % columns, columns, depth)) << i;
    }
}

TEST(SkinnyGemm, MultipliesFewRowsByPanelsOrAddsTheProduct) {
    const std::size_t columns = 192, depth = 144, panel_step = (depth + 16) * 64;
    const auto b = numbers(3 * panel_step, 7);
    for (const std::size_t rows : {1U, 6U, 27U}) {
        const auto x = numbers(rows * depth, 8);
        for (const Into into : {Into::overwrite, Into::add}) {
            const float before = into == Into::add ? 100 : 0;
            std::vector<float> y(rows * columns, 100);
            skinny_gemm({rows, columns, depth, panel_step}, x.data(), b.data(), y.data(), into);
            for (std::size_t i = 0; i < y.size(); ++i) {
                const std::size_t column = i % columns;
                const std::size_t first = column / 64 * panel_step + column % 64;
                ASSERT_EQ(y[i], before + element(x, i / columns * depth, 1, b, first, 64, depth))
                    << rows << " rows, at " << i;
            }
        }
    }
}

TEST(SkinnyGemm, ABiasIsAddedBeforeNegativeSumsBecomeZero) {
    const std::size_t rows = 2, columns = 64, depth = 16;
    const auto b = numbers(depth * 64, 7), x = numbers(rows * depth, 8), bias = numbers(columns, 9);
    std::vector<float> plain(rows * columns), finished(rows * columns);
    const SkinnyGemm product = {rows, columns, depth, depth * 64};
    skinny_gemm(product, x.data(), b.data(), plain.data(), Into::overwrite);
    skinny_gemm(product, x.data(), b.data(), finished.data(), Into::overwrite,
                {.bias = bias.data(), .relu = Relu::applied});
    for (std::size_t i = 0; i < plain.size(); ++i) {
        ASSERT_EQ(finished[i], std::max(plain[i] + bias[i % columns], 0.0F)) << i;
    }
}

std::vector<std::uint16_t> narrowed(const std::vector<float>& values) {
    std::vector<std::uint16_t> narrow(values.size());
    store(values.data(), values.size(), {narrow.data(), true}, 0);
    return narrow;
}

// w[depth][columns] in panels [depth / 2][64][2].
std::vector<float> in_panels(const std::vector<float>& w, std::size_t columns, std::size_t depth) {
    std::vector<float> panels(w.size());
    for (std::size_t k = 0; k < depth; ++k) {
        for (std::size_t j = 0; j < columns; ++j) {
            panels[j / 64 * 64 * depth + k / 2 * 128 + j % 64 * 2 + k % 2] = w[k * columns + j];
        }
    }
    return panels;
}

// Of a matrix [outputs][inputs], in panels of 64 outputs [inputs][64].
std::vector<float> masters_of(const std::vector<float>& w, std::size_t outputs,
                              std::size_t inputs) {
    std::vector<float> masters(w.size());
    for (std::size_t n = 0; n < outputs; ++n) {
        for (std::size_t k = 0; k < inputs; ++k) {
            masters[n / 64 * 64 * inputs + k * 64 + n % 64] = w[n * inputs + k];
        }
    }
    return masters;
}

TEST(PackWeights, RoundsMastersIntoThePanelsOfBothProducts) {
    if (!library_uses(dnnl::cpu_isa::avx512_core_bf16)) {
        GTEST_SKIP() << "this processor has no AVX512_BF16, or oneDNN does not use it";
    }
    constexpr std::size_t outputs = 192, inputs = 128;
    std::vector<float> w(outputs * inputs), transposed(outputs * inputs);
    for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = static_cast<float>(i) * 1.37F - 9000;
        transposed[i % inputs * outputs + i / inputs] = w[i];
    }
    const auto masters = masters_of(w, outputs, inputs);
    std::vector<std::uint16_t> packed(w.size());
    pack_weights(masters.data(), packed.data(), {outputs, inputs});
    EXPECT_EQ(packed, narrowed(in_panels(transposed, outputs, inputs)));
    pack_transposed_weights(masters.data(), packed.data(), {outputs, inputs});
    EXPECT_EQ(packed, narrowed(in_panels(w, inputs, outputs)));
}

// The sums are whole numbers of up to 8 bits, so that bf16 holds them exactly.
TEST(TileGemm, MultipliesAnyNumberOfRowsAndFinishesThem) {
    if (!has_tiles()) {
        GTEST_SKIP() << "this processor has no AMX tiles for bf16, or oneDNN does not use them";
    }
    const std::size_t columns = 128;
    for (const std::size_t rows : {1U, 15U, 16U, 17U, 32U, 33U, 257U, 300U}) {
        for (const std::size_t depth : {32U, 384U, 416U}) {
            std::vector<float> x(rows * depth), w(depth * columns), bias = numbers(columns, 9);
            for (std::size_t i = 0; i < x.size(); i += 7) {
                x[i] = static_cast<float>(i % 3) - 1;
            }
            for (std::size_t i = 0; i < w.size(); i += 5) {
                w[i] = static_cast<float>(i % 4) - 2;
            }
            std::vector<std::uint16_t> y(rows * columns);
            tile_gemm({rows, columns, depth}, narrowed(x).data(),
                      narrowed(in_panels(w, columns, depth)).data(), y.data(),
                      {.bias = bias.data(), .relu = Relu::applied});
            std::vector<float> found(y.size());
            load({y.data(), true}, 0, y.size(), found.data());
            for (std::size_t i = 0; i < y.size(); ++i) {
                const std::size_t column = i % columns;
                const float sum =
                    element(x, i / columns * depth, 1, w, column, columns, depth) + bias[column];
                ASSERT_EQ(found[i], std::max(sum, 0.0F)) << rows << "x" << depth << " at " << i;
            }
        }
    }
}

// Element (image, channel, position) of channels in blocks.
std::size_t index_in(const ChannelBlocks& shape, std::int64_t image, std::int64_t channel,
                     std::int64_t position) {
    const std::int64_t block = image * shape.blocks() + channel / shape.inner;
    return static_cast<std::size_t>((block * shape.positions + position) * shape.inner +
                                    channel % shape.inner);
}

// LRN at one position, by its definition in double precision.
class LrnOfPosition {
public:
    LrnOfPosition(const ChannelLrn& lrn, const std::vector<float>& x, std::int64_t image,
                  std::int64_t position)
        : lrn_(lrn), x_(x), image_(image), position_(position) {}

    std::size_t at(std::int64_t channel) const {
        return index_in(lrn_.blocks, image_, channel, position_);
    }
    double x(std::int64_t channel) const { return static_cast<double>(x_[at(channel)]); }
    double scale(std::int64_t channel) const {
        double sum = static_cast<double>(lrn_.k);
        for (std::int64_t other = 0; other < lrn_.blocks.channels; ++other) {
            sum += sees(channel, other) ? static_cast<double>(lrn_.scale) * x(other) * x(other) : 0;
        }
        return sum;
    }
    double y(std::int64_t channel) const {
        return x(channel) * std::pow(scale(channel), -static_cast<double>(lrn_.beta));
    }
    // The derivative of y[of] for x[by].
    double derivative(std::int64_t of, std::int64_t by) const {
        const double beta = static_cast<double>(lrn_.beta), s = scale(of);
        double found = of == by ? std::pow(s, -beta) : 0;
        if (sees(of, by)) {
            found -=
                2 * static_cast<double>(lrn_.scale) * beta * x(of) * x(by) * std::pow(s, -beta - 1);
        }
        return found;
    }

private:
    bool sees(std::int64_t channel, std::int64_t other) const {
        const auto size = static_cast<std::int64_t>(lrn_.size);
        const std::int64_t first = channel - (size - 1) / 2;
        return other >= first && other < first + size;
    }

    const ChannelLrn& lrn_;
    const std::vector<float>& x_;
    std::int64_t image_, position_;
};

// Plain, in padded blocks, and channels last; more positions than are processed at a time.
TEST(Lrn, IsTheFormulaInEveryLayoutAndWindowForwardAndBackward) {
    for (const std::int64_t inner : {1, 8, 21}) {
        for (const std::size_t size : {1U, 4U, 5U, 9U}) {
            const ChannelBlocks blocks = {
                .images = 2, .channels = 21, .positions = 67, .inner = inner};
            const ChannelLrn lrn = {.blocks = blocks,
                                    .size = size,
                                    .scale = 0.25F,
                                    .beta = size == 4 ? 0.6F : 0.75F,
                                    .k = 2};
            const auto count = static_cast<std::size_t>(2 * 67 * blocks.blocks() * inner);
            std::vector<float> x(count), dy(count), y(count, -1), dx(count, -1);
            for (std::int64_t image = 0; image < 2; ++image) {
                for (std::int64_t c = 0; c < blocks.channels; ++c) {
                    for (std::int64_t i = 0; i < blocks.positions; ++i) {
                        const std::size_t at = index_in(blocks, image, c, i);
                        x[at] = static_cast<float>((c * 7 + i * 3 + image) % 11) - 5;
                        dy[at] = static_cast<float>((c * 5 + i + image) % 7) - 3;
                    }
                }
            }
            normalize_channels(lrn, x.data(), y.data());
            normalize_channels_gradient(lrn, x.data(), dy.data(), dx.data());
            for (std::int64_t c = 0; c < blocks.blocks() * inner; ++c) {
                for (const std::int64_t i : {0, 40, 66}) {
                    const LrnOfPosition expected(lrn, x, 1, i);
                    double y_c = 0, dx_c = 0;  // padding stays zero
                    if (c < blocks.channels) {
                        y_c = expected.y(c);
                        for (std::int64_t of = 0; of < blocks.channels; ++of) {
                            dx_c += expected.derivative(of, c) *
                                    static_cast<double>(dy[expected.at(of)]);
                        }
                    }
                    ASSERT_NEAR(y[expected.at(c)], y_c, 1e-5) << inner << " " << size << " " << c;
                    ASSERT_NEAR(dx[expected.at(c)], dx_c, 1e-5) << inner << " " << size << " " << c;
                }
            }
        }
    }
}

TEST(SmallGemm, PanelsAreTheirRowsTransposedAndPaddedWithZeros) {
    const std::size_t rows = 3, count = 70, width = 5;
    const auto a = numbers(rows * width, 5), b = numbers(count * width, 6);
    std::vector<float> panels(panel_floats(count, width), -1);
    transpose_to_panels({b.data(), 5}, count, width, panels.data());
    std::vector<float> c(rows * 80, -1);
    gemm_by_panels({rows, 80, width}, {a.data(), 5, 1}, panels.data(), {c.data(), 80});
    for (std::size_t i = 0; i < c.size(); ++i) {
        const float expected =
            i % 80 < count ? element(a, i / 80 * width, 1, b, i % 80 * width, 1, width) : 0;
        ASSERT_EQ(c[i], expected) << i;
    }
}

TEST(Narrow, RoundsToTheNearestAndTiesToEven) {
    const std::vector<float> values = {1, 1 + 0x1p-8F, 1 + 0x3p-8F, -2.5F,
                                       std::numeric_limits<float>::infinity()};
    std::vector<std::uint16_t> stored(values.size());
    std::vector<float> back(values.size());
    store(values.data(), values.size(), {stored.data(), true}, 0);
    load({stored.data(), true}, 0, back.size(), back.data());
    EXPECT_EQ(back, (std::vector<float>{1, 1, 1 + 0x1p-6F, -2.5F,
                                        std::numeric_limits<float>::infinity()}));
}

TEST(Narrow, KeepsNan) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::uint16_t stored = 0;
    float back = 0;
    store(&nan, 1, {&stored, true}, 0);
    load({&stored, true}, 0, 1, &back);
    EXPECT_TRUE(std::isnan(back));
}

}  // namespace
}  // namespace strata::cpu
