// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulator/emulator.h"

#include "tests/backend/cuda/emulator/planted.h"

#include <gtest/gtest.h>

#include <numeric>

namespace strata::testing {

namespace {

struct Result {
    std::vector<float> to;
    std::string fault;  // empty if there was none
};

// The result of a kernel that reads 1, 2, 3 ...
Result run(Planted which, dim3 blocks, dim3 threads) {
    const std::size_t count =
        std::size_t{blocks.x} * blocks.y * blocks.z * threads.x * threads.y * threads.z;
    std::vector<float> from(count);
    std::iota(from.begin(), from.end(), 1.0F);
    Result result = {std::vector<float>(count), {}};
    const LaunchScope scope("planted",
                            {std::as_bytes(std::span(from)), std::as_bytes(std::span(result.to))});
    try {
        launch_planted(which, blocks, threads, from.data(), result.to.data(),
                       static_cast<int>(count));
    } catch (const KernelFault& fault) {
        result.fault = fault.what();
    }
    return result;
}

struct Defect {
    Planted which;
    dim3 blocks;
    dim3 threads;
    std::string sentence;  // how it begins, and a later part
    std::string part = {};
};

// Each sentence names the kernel, block, thread and error.
TEST(Emulator, FindsEachPlantedDefect) {
    const std::vector<Defect> defects = {
        {Planted::block_sum_without_barrier, 1, 64,
         "planted: block (0,0,0), thread (0,0,0) reads 4 bytes of shared memory that its block has "
         "not written"},
        {Planted::block_sum_without_second_barrier, 1, 64,
         "planted: block (0,0,0), thread (0,0,0) reads 4 bytes of shared memory that block "
         "(0,0,0), thread (63,0,0) writes, and no barrier is between"},
        {Planted::block_sum_of_some, 2, 40,
         "planted: block (1,0,0), thread (0,0,0) waits for the block at planted.cpp:",
         " with block (1,0,0), thread (39,0,0), which has left the kernel"},
        {Planted::two_barriers, 1, 8, "planted: block (0,0,0), thread (7,0,0) waits for the block ",
         ", but thread 0 waits for it at planted.cpp:"},
        {Planted::warp_sum_of_all, 1, 40, "planted: block (0,0,0), thread (32,0,0) waits at ",
         " for lane 8, which does not exist"},
        {Planted::warp_sum_after_exit, 1, 32, "planted: block (0,0,0), thread (8,0,0) waits at ",
         " for lane 7, which has left the kernel"},
        {Planted::shuffle_without_self, 1, 32,
         "planted: block (0,0,0), thread (0,0,0) is not in its own mask 0xfffffffe at planted.cpp"},
        {Planted::shuffle_from_outside, 1, 32,
         "planted: block (0,0,0), thread (0,0,0) reads lane 20, which is not in its mask 0xffff"},
        {Planted::neighbour_without_barrier, 1, 32,
         "planted: block (0,0,0), thread (0,0,0) reads 4 bytes of shared memory that its block has "
         "not written"},
        {Planted::unwritten_shared, 2, 64,
         "planted: block (0,0,0), thread (3,0,0) reads 4 bytes of shared memory that its block has "
         "not written"},
        {Planted::beyond_shared, 1, 9,
         "planted: block (0,0,0), thread (8,0,0) uses the index 8 beyond an array at ",
         "planted.cpp:"},
        {Planted::beyond_buffer, 3, 32,
         "planted: block (2,0,0), thread (31,0,0) reads 4 bytes of global memory, 0 bytes after "
         "the end of buffer 0, which has 384 bytes"},
        {Planted::before_buffer, 3, 32,
         "planted: block (0,0,0), thread (0,0,0) writes 4 bytes of global memory, 4 bytes before "
         "the beginning of buffer 1, which has 384 bytes"},
        {Planted::misaligned, 1, 8, "planted: block (0,0,0), thread (0,0,0) accesses an address ",
         " that is not aligned for it at "},
        {Planted::sum_by_stores, 2, 32,
         "planted: block (1,0,0), thread (0,0,0) reads 4 bytes of global memory that block "
         "(0,0,0), "
         "thread (0,0,0) writes, and no barrier is between"},
        {Planted::mixed_sum, 1, 2,
         "planted: block (0,0,0), thread (1,0,0) adds to 4 bytes of global memory that block "
         "(0,0,0), thread (0,0,0) writes, and no barrier is between"},
    };
    for (const Defect& defect : defects) {
        const std::string fault = run(defect.which, defect.blocks, defect.threads).fault;
        EXPECT_TRUE(fault.starts_with(defect.sentence)) << fault << "\nnot " << defect.sentence;
        EXPECT_NE(fault.find(defect.part), std::string::npos) << fault;
    }
}

TEST(Emulator, RefusesWhatNoGpuLaunches) {
    for (const auto& [blocks, threads] : std::vector<std::pair<dim3, dim3>>{{1, 1025},
                                                                            {1, {32, 33}},
                                                                            {1, {1, 1, 65}},
                                                                            {{1, 65536}, 1},
                                                                            {{1, 1, 65536}, 1},
                                                                            {0x80000000U, 1},
                                                                            {0, 32},
                                                                            {1, 0}}) {
        const LaunchScope scope("planted", {});
        EXPECT_THROW(launch_planted(Planted::block_sum, blocks, threads, nullptr, nullptr, 0),
                     KernelFault);
    }
    EXPECT_EQ(run(Planted::grid_of_three_axes, {1, 65535, 1}, 1).fault, "");
    EXPECT_EQ(run(Planted::grid_of_three_axes, 1, {4, 4, 64}).fault, "");
}

// A race that no order of the threads makes visible in the results.
TEST(Emulator, FindsARaceWhateverTheOrder) {
    const Result result = run(Planted::sum_by_stores, 2, 1);
    EXPECT_NE(result.fault.find("no barrier is between"), std::string::npos) << result.fault;
}

TEST(Emulator, RunsBlocksAndBarriers) {
    for (const unsigned threads : {1U, 31U, 32U, 33U, 1023U, 1024U}) {
        const Result result = run(Planted::block_sum, 3, threads);
        EXPECT_EQ(result.fault, "");
        for (std::size_t i = 0; i < result.to.size(); ++i) {
            const auto n = static_cast<float>(threads);
            const auto first = static_cast<float>(i / threads * threads);
            ASSERT_EQ(result.to[i], n * first + n * (n + 1) / 2) << threads << " " << i;
        }
    }
}

TEST(Emulator, RunsWarps) {
    const Result sums = run(Planted::warp_sum, 2, 64);
    EXPECT_EQ(sums.fault, "");
    EXPECT_EQ(sums.to[0], 32 * 33 / 2);
    EXPECT_EQ(sums.to[127], 32 * 96 + 32 * 33 / 2);
    EXPECT_EQ(run(Planted::votes, 1, 32).to, std::vector<float>(32, 1));
    const std::vector<float> down = run(Planted::shift_down, 1, 32).to;
    EXPECT_EQ(down[0], 4);
    EXPECT_EQ(down[28], 32);
    EXPECT_EQ(down[29], 30) << "a lane without a source keeps its value";
    const std::vector<float> swapped = run(Planted::neighbour_by_warp_barrier, 1, 32).to;
    EXPECT_EQ(swapped[0], 2);
    EXPECT_EQ(swapped[31], 31);
}

TEST(Emulator, CountsEveryAxis) {
    const Result result = run(Planted::grid_of_three_axes, {3, 2, 5}, {4, 7, 3});
    EXPECT_EQ(result.fault, "");
    for (std::size_t i = 0; i < result.to.size(); ++i) {
        ASSERT_EQ(result.to[i], static_cast<float>(i + 1));
    }
}

TEST(Emulator, AddsAtomically) {
    EXPECT_EQ(run(Planted::sum_atomically, 3, 33).to.front(), 99 * 100 / 2);
}

// Any thread of the next launch may read what one launch wrote.
TEST(Emulator, OrdersLaunches) {
    std::vector<float> a = {1, 2, 3, 4};
    std::vector<float> b(4);
    const LaunchScope scope("planted", {std::as_bytes(std::span(a)), std::as_bytes(std::span(b))});
    launch_planted(Planted::grid_of_three_axes, 4, 1, a.data(), b.data(), 4);
    launch_planted(Planted::grid_of_three_axes, 1, 4, b.data(), a.data(), 4);
    EXPECT_EQ(a, b);
}

}  // namespace

}  // namespace strata::testing
