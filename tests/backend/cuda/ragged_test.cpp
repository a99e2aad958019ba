// SPDX-License-Identifier: MIT
#include "backend/cuda/device/values.h"
#include "backend/cuda/kernels/elementwise.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

// Extents at which a kernel's work does not fill its threads, warps, packs, slices or blocks. Every
// launch has the geometry that it has on a GPU: it depends on no device.
namespace strata::testing {

namespace {

// 1024 elements: a row of one warp; 8192: a row of 256 threads.
constexpr int row_lengths[] = {1, 31, 32, 33, 257, 1023, 1024, 1025, 4099, 8192, 8193};
constexpr int few_extents[] = {1, 31, 33, 130};

std::vector<std::string> ragged_problems() {
    std::vector<std::string> problems;
    for (const int length : row_lengths) {
        for (const char* text :
             {"softmax(3x{})", "softmax(2x{}) logarithm=true", "layer_normalization(3x{})",
              "layer_normalization(2x{}) kind=root_mean_square shift=false",
              "reduction(3x{}) axes=1", "reduction(2x{}) axes=1 kind=maximum",
              "reduction(2x{}) axes=1 kind=log_sum_exp", "softmax_cross_entropy(3x{})",
              "hardmax(3x{})", "activation({}x3)", "elementwise({0}x3, {0}x3)",
              "gather(7x{}, 5:s64)"}) {
            problems.push_back(fmt::format(fmt::runtime(text), length));
        }
    }
    for (const int a : few_extents) {
        for (const int b : few_extents) {
            for (const char* text : {"softmax({}x{}x3) axis=1", "reduction({}x{}) axes=0",
                                     "reduction({}x3x{}) axes=0x2", "batch_normalization({}x{})",
                                     "group_normalization({0}x6x{1}) groups=3"}) {
                problems.push_back(fmt::format(fmt::runtime(text), a, b));
            }
        }
    }
    for (const char* text : {"top_k(3x1025) k=5",
                             "top_k(2x8193) k=2",
                             "softmax(2x16403)",
                             "softmax_cross_entropy(2x50257)",
                             "layer_normalization(2x16403)",
                             "layer_normalization(2x16400)",
                             "layer_normalization(1030x96)",
                             "layer_normalization(70x1024)",
                             "group_normalization(3x12x5x8) groups=2",
                             "top_k(2x37x33) k=3 axis=1",
                             "hardmax(2x70x33) axis=1",
                             "attention(1x3x8, 1x1030x8, 1x1030x8)",
                             "attention(1x33x8, 1x31x8, 1x31x8) causal=true",
                             "batch_normalization(3x33x7x5)",
                             "batch_normalization(2x40x31x33)",
                             "batch_normalization(67x7x3x3) scope=per_activation",
                             "reduction(9001x2) axes=0",
                             "reduction(2x70001) axes=1",
                             "reduction(3001x33) axes=0 kind=mean",
                             "dropout(1023x3)",
                             "cast(1025x3) dtype=bf16",
                             "transpose(31x33) permutation=1x0",
                             "transpose(2x136x72) permutation=0x2x1",
                             "transpose(2x129x196) permutation=0x2x1",
                             "transpose(2x3x600) permutation=0x2x1",
                             "transpose(3x600x6) permutation=0x2x1",
                             "transpose(2x3x40x48) permutation=3x1x0x2",
                             "transpose(3x49x5x32) permutation=0x2x1x3",
                             "transpose(3x7x5x6) permutation=0x2x1x3",
                             "transpose(3x7x5x11) permutation=1x2x0x3",
                             "slice(3x40x64) axes=1x2 starts=3x16 extents=30x40",
                             "slice(3x40x64) axes=1x2 starts=3x5 extents=30x41",
                             "concat(2x40x7x5, 2x24x7x5)",
                             "pad(1x3x31x33) begin=0x0x1x2 end=0x0x2x1 kind=reflect",
                             "pad(2x3x31x33) begin=0x1x-1x2 end=0x0x2x-3 value=1.5",
                             "pad(2x8x32x40) begin=0x0x-4x-8 end=0x0x-4x-8",
                             "pad(3x5) begin=1x-4 end=0x3",
                             "softmax_cross_entropy(1030x2)",
                             "softmax(70x49)",
                             "elementwise(3x24x5x8, 3x24x1x1) kind=multiply",
                             "elementwise(3x24x7x7, 24x1x1) kind=multiply",
                             "elementwise(5x3x2, 3x1, 5x1x1) kind=maximum",
                             "elementwise(7x33x40, 40) kind=divide",
                             "lrn(1x33x7x5)",
                             "lrn(2x70x5x7) size=4",
                             "lrn(1x130x5x7) size=18",
                             "lrn(1x130x3x3) size=37",
                             "pooling(1x33x31x31) kernel=3x3 stride=2x2",
                             "pooling(2x3x95x97) kernel=3x3 stride=2x2 pad_begin=1x1",
                             "pooling(3x5x13x13) kernel=5x5 pad_begin=2x2 pad_end=2x2",
                             "pooling(1x3x79x83) kernel=3x2 stride=1x2 dilation=3x2",
                             "pooling(2x3x9001) kernel=3 stride=2",
                             "pooling(1x2x5x61x67) kernel=3x3x3 stride=1x2x2",
                             "pooling(1x3x31x33) kernel=31x33 kind=average",
                             "resize(1x33x7x5) sizes=13x11 interpolation=cubic",
                             "concat(2x33x5, 2x31x5)",
                             "embedding(31x5:s64) rows=11 width=33"}) {
        problems.emplace_back(text);
    }
    return problems;
}

class RaggedExtents : public ::testing::TestWithParam<std::string> {};

TEST_P(RaggedExtents, TrainInEveryType) {
    for (const DataType dtype : {DataType::f32, DataType::bf16, DataType::f16}) {
        EXPECT_EQ(without_combined(verify_graph(*emulated_backend(), graph_of_problem(GetParam()),
                                                kept_execution(Mode::training, dtype))),
                  "");
    }
}

INSTANTIATE_TEST_SUITE_P(Each, RaggedExtents, ::testing::ValuesIn(ragged_problems()), name_of_case);

// Images between convolutions, whose channels may be innermost.
class RaggedChannels : public ::testing::TestWithParam<std::string> {};

TEST_P(RaggedChannels, TrainInBothLayouts) {
    for (const ImageLayout layout : {ImageLayout::channels_first, ImageLayout::channels_last}) {
        for (const DataType dtype : {DataType::f32, DataType::bf16}) {
            Execution execution = kept_execution(Mode::training, dtype);
            execution.engine.image_layout = layout;
            EXPECT_EQ(without_combined(verify_graph(
                          *emulated_backend(), graph_between_convolutions(GetParam()), execution)),
                      "");
        }
    }
}

// Channels that fill packs of 8, warps of them, or neither; rows for several slices.
INSTANTIATE_TEST_SUITE_P(
    Each, RaggedChannels,
    ::testing::Values("batch_normalization(3x8x5x7)", "batch_normalization(3x31x5x7)",
                      "batch_normalization(3x264x3x3)", "batch_normalization(2x16x33x37)",
                      "batch_normalization(5x24x41x43)", "pooling(1x31x7x5) kernel=3x3 stride=2x2",
                      "pooling(1x40x7x5) kind=average kernel=3x3",
                      "pooling(3x40x31x33) kernel=3x3 stride=2x2", "lrn(1x31x3x5)", "lrn(3x40x3x5)",
                      "lrn(1x72x7x5) size=21"),
    name_of_case);

// A view that begins within a buffer may not be aligned for accesses of 16 bytes.
TEST(RaggedAddresses, AreReadAndWrittenElementByElement) {
    using enum cuda::ElementType;
    constexpr std::int64_t count = 37;
    for (const cuda::ElementType type : {f32, f16, bf16}) {
        const std::size_t size = cuda::size_in_bytes(type);
        std::vector<std::byte> from((count + 1) * size);
        std::vector<std::byte> to((count + 2) * size);
        for (std::int64_t i = 0; i < count; ++i) {
            cuda::store_element(from.data() + size, i, type, static_cast<float>(i - 18));
        }
        run_emulated(cuda::activation_forward(Activation{}, count, {type, type}),
                     {std::span<const std::byte>(from).subspan(size),
                      std::span<const std::byte>(to).subspan(size, count * size)},
                     std::array<void*, 2>{from.data() + size, to.data() + size});
        for (std::int64_t i = 0; i < count; ++i) {
            EXPECT_EQ(cuda::load_element(to.data() + size, i, type),
                      std::max(static_cast<float>(i - 18), 0.0F));
        }
    }
}

}  // namespace

}  // namespace strata::testing
