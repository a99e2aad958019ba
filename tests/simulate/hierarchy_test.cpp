// SPDX-License-Identifier: MIT
#include "simulate/hierarchy.h"

#include "base/error.h"
#include "simulate/product_accesses.h"
#include "simulate/stream_accesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace strata::testing {

namespace {

constexpr std::uint64_t all = std::uint64_t{1} << 40;

GpuMemory memory_with_l2(std::size_t lines) {
    return {.processors = 40, .resident_blocks = 4, .l1 = CacheShape{384, 16}, .l2 = {lines, 16}};
}

struct Kernel {
    std::string name;
    std::unique_ptr<KernelAccesses> accesses;
};

TiledProduct linear(std::int64_t k) {
    const auto pitch = static_cast<std::uint64_t>(k) * 4;
    return {.m = 2048,
            .n = 2048,
            .k = k,
            .a = {.view = MatrixView{.base = 0, .pitch = pitch}},
            .b = OperandView{.view = MatrixView{.base = 1 << 24, .pitch = pitch}},
            .c = OperandView{.view = MatrixView{.base = 1 << 26, .pitch = 2048 * 4}}};
}

constexpr std::int64_t images = 4;

// A convolution of 64 x 27 x 27 by 3 x 3, read in place.
TiledProduct convolution() {
    const WindowView x{.channels_of_image = 64,
                       .height = 27,
                       .width = 27,
                       .positions_h = 27,
                       .positions_w = 27,
                       .kernel_h = 3,
                       .kernel_w = 3,
                       .pad_h = 1,
                       .pad_w = 1};
    const WindowView y{.base = 1 << 26,
                       .channels_of_image = 96,
                       .height = 27,
                       .width = 27,
                       .positions_h = 27,
                       .positions_w = 27};
    return {.m = images * 27 * 27,
            .n = 96,
            .k = 64 * 9,
            .tile_n = 64,
            .a = {.view = x},
            .b = OperandView{.view = MatrixView{.base = 1 << 25, .pitch = 64 * 9 * 4}},
            .c = OperandView{.view = y}};
}

// The same with filters as rows, so that every filter's blocks traverse all pixels.
TiledProduct convolution_by_filters() {
    TiledProduct turned = convolution();
    std::swap(turned.m, turned.n);
    std::swap(turned.tile_m, turned.tile_n);
    std::swap(turned.a, *turned.b);
    turned.c->is_transposed = true;
    return turned;
}

TiledProduct scores() {
    return {
        .batch = 24,
        .m = 256,
        .n = 256,
        .k = 64,
        .a = {.view = MatrixView{.base = 0, .pitch = 256, .batch_pitch = 65536}},
        .b = OperandView{.view = MatrixView{.base = 1 << 24, .pitch = 256, .batch_pitch = 65536}},
        .c =
            OperandView{.view = MatrixView{.base = 1 << 25, .pitch = 1024, .batch_pitch = 262144}}};
}

std::vector<Kernel> kernels() {
    std::vector<Kernel> found;
    found.push_back({"product", std::make_unique<ProductAccesses>(linear(128))});
    found.push_back({"product with odd rows", std::make_unique<ProductAccesses>(linear(122))});
    found.push_back({"convolution", std::make_unique<ProductAccesses>(convolution())});
    found.push_back(
        {"convolution by filters", std::make_unique<ProductAccesses>(convolution_by_filters())});
    found.push_back({"attention's scores", std::make_unique<ProductAccesses>(scores())});
    const std::uint64_t bytes = 4 << 20;
    found.push_back(
        {"elementwise", std::make_unique<StreamAccesses>(std::vector<StreamRange>{
                            {0, bytes}, {1 << 24, bytes}, {1 << 25, bytes, AccessKind::write}})});
    found.push_back(
        {"two passes",
         std::make_unique<StreamAccesses>(
             std::vector<StreamRange>{{0, bytes}, {0, bytes}, {1 << 24, bytes, AccessKind::write}},
             65536)});
    return found;
}

double hit_rate(const LevelCounts& level) {
    return level.sectors.hits() / level.sectors.accesses();
}

// The accuracy that lets stack distances replace the exact cache, both off and on the steps of the
// hit rate. From 256 sets on: the statistics of hashes need that many.
TEST(Hierarchy, BothEnginesAgreeWithinHalfAPointForEveryKernelAndCapacity) {
    double lowest = 1, highest = 0;
    for (const Kernel& kernel : kernels()) {
        for (const std::size_t lines : {4096U, 5120U, 8192U, 24576U}) {
            const GpuMemory memory = memory_with_l2(lines);
            const auto expected = simulate(*kernel.accesses, memory, CacheEngine::exact, all);
            const auto found = simulate(*kernel.accesses, memory, CacheEngine::distances, all);
            EXPECT_NEAR(hit_rate(found.l2), hit_rate(expected.l2), 0.005)
                << kernel.name << ", " << lines << " lines";
            EXPECT_NEAR(found.dram_reads + found.dram_writes,
                        expected.dram_reads + expected.dram_writes,
                        0.005 * expected.l2.sectors.accesses())
                << kernel.name << ", " << lines << " lines";
            EXPECT_EQ(found.l1->sectors.hits(), expected.l1->sectors.hits());
            lowest = std::min(lowest, hit_rate(expected.l2));
            highest = std::max(highest, hit_rate(expected.l2));
        }
    }
    EXPECT_LT(lowest, 0.1);
    EXPECT_GT(highest, 0.7);
}

// One set in 32, and at least 256, of caches that hold all, a part or almost nothing of what a
// kernel traverses twice. On a step of the hit rate, sampled sets may be off by more than half a
// point; their stated confidence says so.
TEST(Hierarchy, SampledSetsRepresentAllWithinTheirConfidence) {
    int estimates = 0, outside = 0;
    for (const Kernel& kernel : kernels()) {
        for (const std::size_t lines : {8192U, 24576U}) {
            const GpuMemory memory = memory_with_l2(lines);
            const auto expected = simulate(*kernel.accesses, memory, CacheEngine::exact, all);
            const auto found = simulate(*kernel.accesses, memory, CacheEngine::sampled, all);
            const double error = found.l2.hits_error / found.l2.sectors.accesses();
            const double off = std::abs(hit_rate(found.l2) - hit_rate(expected.l2));
            EXPECT_NEAR(found.l2.sectors.reads, expected.l2.sectors.reads,
                        1e-3 * expected.l2.sectors.reads);
            EXPECT_EQ(found.l2.sectors.writes, expected.l2.sectors.writes);
            EXPECT_EQ(expected.l2.hits_error, 0);
            EXPECT_LE(off, std::max(0.005, 1.5 * error)) << kernel.name << ", " << lines;
            ++estimates;
            outside += off > error + 0.0005 ? 1 : 0;
        }
    }
    EXPECT_LE(outside, estimates / 5);
}

TEST(Hierarchy, EveryLevelReceivesTheMissesOfTheLevelAbove) {
    for (const Kernel& kernel : kernels()) {
        for (const CacheEngine engine : {CacheEngine::distances, CacheEngine::exact}) {
            const auto found = simulate(*kernel.accesses, memory_with_l2(4096), engine, all);
            const SectorCounts& l1 = found.l1->sectors;
            const SectorCounts& l2 = found.l2.sectors;
            EXPECT_NEAR(l2.reads, l1.reads - l1.read_hits, 1e-6 * l2.reads) << kernel.name;
            EXPECT_EQ(l2.writes, l1.writes) << kernel.name;
            EXPECT_EQ(found.dram_reads, l2.reads - l2.read_hits) << kernel.name;
            EXPECT_LE(found.dram_writes, l2.writes * (1 + 1e-9)) << kernel.name;
            EXPECT_GE(found.dram_writes, l2.writes - l2.write_hits - 1e-6 * l2.writes);
            EXPECT_NEAR(found.l2.kinds.misses(), l2.misses(), 1e-6 * l2.accesses());
            EXPECT_NEAR(found.l1->kinds.misses(), l1.reads - l1.read_hits, 1e-6 * l1.reads);
            EXPECT_GE(found.l2.kinds.capacity, 0);
            EXPECT_EQ(l1.write_hits, 0);
        }
    }
}

TEST(Hierarchy, ALargerCacheNeverHasMoreCapacityMissesAndTheSameCompulsoryOnes) {
    for (const Kernel& kernel : kernels()) {
        MissKinds before{.compulsory = 0, .capacity = 1e18};
        for (const std::size_t lines : {4096U, 65536U}) {
            const auto found =
                simulate(*kernel.accesses, memory_with_l2(lines), CacheEngine::distances, all);
            EXPECT_LE(found.l2.kinds.capacity, before.capacity) << kernel.name;
            EXPECT_TRUE(before.compulsory == 0 || before.compulsory == found.l2.kinds.compulsory);
            before = found.l2.kinds;
        }
    }
}

// Counts every operand once, from the extents.
TEST(Hierarchy, AHugeCacheReadsEachOperandOnceAndWritesTheResultOnce) {
    auto memory = memory_with_l2(std::size_t{1} << 20);
    const auto product = simulate(ProductAccesses(linear(128)), memory, CacheEngine::exact, all);
    EXPECT_EQ(product.dram_reads, (2048 + 2048) * 128 * 4 / 32);
    EXPECT_EQ(product.dram_writes, 2048 * 2048 * 4 / 32);
    const auto convolved =
        simulate(ProductAccesses(convolution()), memory, CacheEngine::exact, all);
    EXPECT_EQ(convolved.dram_reads, (images * 64 * 27 * 27 + 96 * 64 * 9) * 4 / 32);
    EXPECT_EQ(convolved.dram_writes, images * 96 * 27 * 27 * 4 / 32);
}

TEST(Hierarchy, BypassingTheFirstLevelSendsEveryReadToTheSecond) {
    GpuMemory memory = memory_with_l2(4096);
    const ProductAccesses kernel(convolution());
    const auto cached = simulate(kernel, memory, CacheEngine::exact, all);
    memory.l1.reset();
    const auto bypassed = simulate(kernel, memory, CacheEngine::exact, all);
    EXPECT_FALSE(bypassed.l1.has_value());
    EXPECT_EQ(bypassed.l2.sectors.reads, cached.l1->sectors.reads);
    EXPECT_GT(cached.l1->sectors.read_hits, 0.3 * cached.l1->sectors.reads);
}

// A kernel of equal waves: the part not simulated equals the last simulated wave.
TEST(Hierarchy, WavesThatAreNotSimulatedCountLikeTheLast) {
    const std::uint64_t bytes = 8 << 20;
    const StreamAccesses kernel({{0, bytes}, {1 << 24, bytes, AccessKind::write}});
    const auto whole = simulate(kernel, memory_with_l2(4096), CacheEngine::distances, all);
    const auto part = simulate(kernel, memory_with_l2(4096), CacheEngine::distances, 1);
    EXPECT_EQ(whole.simulated, 1);
    EXPECT_LT(part.simulated, 0.2);
    EXPECT_NEAR(part.dram_reads, whole.dram_reads, 1e-6 * whole.dram_reads);
    EXPECT_NEAR(part.l1->sectors.reads, whole.l1->sectors.reads, 1e-6 * whole.l1->sectors.reads);
    EXPECT_EQ(part.blocks, whole.blocks);
}

TEST(ProductAccesses, ASplitProductWritesThePartialSumsOfEachSplit) {
    TiledProduct product = linear(128);
    product.splits = 4;
    product.partial_sums = 1 << 27;
    const auto found = simulate(ProductAccesses(product), memory_with_l2(std::size_t{1} << 20),
                                CacheEngine::exact, all);
    EXPECT_EQ(found.dram_writes, 4 * 2048 * 2048 * 4 / 32);
    EXPECT_EQ(found.dram_reads, (2048 + 2048) * 128 * 4 / 32);
}

// Compares element by element with the formula.
TEST(ProductAccesses, AWindowReadsItsElementsInPlace) {
    for (const std::int64_t stride : {1, 2, 4, 16}) {
        const WindowView view{.channels_of_image = 3,
                              .height = 40,
                              .width = 40,
                              .positions_h = (40 + 2 - 5) / stride + 1,
                              .positions_w = (40 + 2 - 5) / stride + 1,
                              .kernel_h = 3,
                              .kernel_w = 3,
                              .stride_h = stride,
                              .stride_w = stride,
                              .pad_h = 1,
                              .pad_w = 1,
                              .dilation_h = 2,
                              .dilation_w = 2};
        const std::int64_t positions = view.positions_h * view.positions_w;
        const Part part{3, std::min<std::int64_t>(2 * positions, 200), 13, 14};
        std::vector<TileAccess> accesses;
        append_part(view, part, 0, 4, AccessKind::read, accesses);
        std::vector<bool> found(100000), expected(100000);
        for (const TileAccess& access : accesses) {
            for (std::uint32_t i = 0; i < access.tile.lines_per_row * 4; ++i) {
                found[access.tile.first * 4 + i] =
                    found[access.tile.first * 4 + i] || (access.sectors >> (i % 4) & 1) != 0;
            }
        }
        for (std::int64_t i = part.i; i < part.i_end; ++i) {
            const std::int64_t c = 13 / 9, r = 13 % 9 / 3, s = 13 % 3;
            const std::int64_t h = i % positions / view.positions_w * stride - 1 + 2 * r;
            const std::int64_t w = i % view.positions_w * stride - 1 + 2 * s;
            if (h >= 0 && h < 40 && w >= 0 && w < 40) {
                const std::int64_t element = ((i / positions * 3 + c) * 40 + h) * 40 + w;
                expected[static_cast<std::size_t>(element * 4 / 32)] = true;
            }
        }
        EXPECT_EQ(found, expected) << stride;
    }
}

TEST(ProductAccesses, InvalidExtentsAreRefused) {
    TiledProduct product = linear(128);
    product.k = 0;
    EXPECT_THROW(ProductAccesses{product}, Error);
    product.k = std::int64_t{1} << 40;
    EXPECT_THROW(ProductAccesses{product}, Error);
    EXPECT_THROW(StreamAccesses({{0, 0}}), Error);
    EXPECT_THROW(StreamAccesses({{0, ~std::uint64_t{0}}}), Error);
}

}  // namespace

}  // namespace strata::testing
