// SPDX-License-Identifier: MIT
#pragma once

#include "predict/arithmetic.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// C (m x n) = A (m x k) B (k x n), so many of them. Rows of A lie along k; B's lie along n, or
// along k where it is transposed, as the weights of a linear layer are.
struct GemmProblem {
    std::int64_t batch = 1;
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    bool b_is_transposed = false;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;
};

// How a kernel of a GPU's library divides a product: a thread block (CTA) computes a tile, in steps
// of 8 along k, which may be split among several blocks whose sums are added afterwards.
struct GemmKernel {
    std::string name = {};  // "volta_sgemm_128x64_tn"
    int tile_n = 128;
    int tile_m = 128;
    int warps = 8;
    int splits = 1;
};

// A kernel by its library's name and its launched block, as profilers report them; nothing if the
// name tells no tile.
std::optional<GemmKernel> kernel_named(std::string_view name, int threads);

// What a kernel reaches.
struct KernelRates {
    double efficiency = 0.9;     // of a processor's peak, with enough warps
    Seconds step{0.2e-6};        // latency of 8 steps along k
    Seconds epilogue{5e-6};      // of a round of blocks
    double half_saturation = 1;  // warps with which half of that efficiency is lost
    int rows = 0;                // measured ones that these were fitted to
};

// Rates of all products on a device. A fit moves those that are positive (predict/fit.h).
struct GemmRates {
    Seconds launch{25e-6};  // with what a framework adds
    Bandwidth l2{3e12};
    double dram_efficiency = 0.85;  // of the stated bandwidth
    double overlap = 2.5;       // the exponent that joins the bounds: 1 adds them, more overlaps
    Seconds split{10e-6};       // adding the sums of splits
    double cache_share = 1;     // of the L2 cache that operands may fill
    double scatter = 0.3;       // traffic added where rows are read in narrow pieces
    Bytes scatter_pitch{2000};  // of rows, from where on they are
    Seconds store{};            // a processor's time to write a tile of 128 x 128; 0: in `epilogue`
    Bytes ramp{};               // what memory could move while it comes up to speed; 0: in `launch`
    double resident = 0;  // share of the L2 cache that an earlier run's operands fill; 0: none
    double cached = 0;    // bandwidth for them beside the memory's, which is the least
    Bytes span{350e6};    // beyond which `span_power` slows kernels of Pascal and older
    double span_power = 0.8;
    KernelRates usual;  // of kernels that are not named
    std::map<std::string, KernelRates, std::less<>> kernels;

    const KernelRates& of(std::string_view kernel) const;
};

// Rates before anything is measured: of data sheets, and what other devices have in common.
GemmRates prior_gemm_rates(const DeviceDescription& device);

// The same of products in matrix units alone, without a framework's launches. (Rounded from what
// was fitted to boards from an A100 to a B200: what is not fitted to one is not blind to them.)
GemmRates prior_matrix_rates(const DeviceDescription& device);

// The bandwidth of its L2 cache where it is stated, or else what others have for their processors.
Bandwidth assumed_l2_bandwidth(const DeviceDescription& device);

// A prediction with the terms that it is made of, the largest of which binds.
struct GemmPrediction {
    Seconds time;
    Seconds launch;
    Seconds arithmetic;  // of the busiest processor, in rounds of resident blocks
    Seconds latency;     // of steps and epilogues, if nothing hides them
    Seconds store;       // of the busiest processor, writing its tiles
    Seconds l2;
    Seconds dram;
    Seconds split;
    double blocks = 0;
    double rounds = 0;
    Bytes dram_traffic;
};

// What a product's blocks take of the processors and of the L2 cache, each as if alone.
struct BlockTimes {
    Seconds arithmetic;  // of the busiest processor, in rounds of resident blocks
    Seconds latency;     // of steps and epilogues, if nothing hides them
    Seconds l2;
    double blocks = 0;
    double rounds = 0;
};

// The part of `predict_gemm` that kernels of other operators share: tiles in waves.
BlockTimes times_of_blocks(const GemmProblem& problem, const GemmKernel& kernel,
                           const DeviceDescription& device, const KernelRates& reached,
                           Bandwidth l2);

// Whether the tiles that run at once are taken to form a square, which share rows and columns of
// both operands: on boards after Volta with 128 lanes or more, whose arithmetic is fast beside
// their memory. On the boards with measured times the longer span of a row of tiles predicts no
// worse.
bool shares_both_operands(const DeviceDescription& device);

// The time of a product by a kernel: tiles in waves over the device's processors.
//
// blocks = ceil(n / tile_n) ceil(m / tile_m) batch splits. The busiest processor has
// ceil(blocks / processors) of them, `resident` at a time; a round takes its arithmetic at the
// efficiency that its warps saturate, or steps x latency + epilogue, and then writes the results.
// Traffic to the L2 cache is each block's operands; to DRAM what a wave of blocks reads, once, and
// in the time of up to `ramp` more, for the first requests find the memory idle: ramp
// (1 - exp(-traffic / ramp)). Where a benchmark runs a product again and again, what the cache
// still holds of it moves at `cached` times the memory's bandwidth. time = launch + (bound_1^p +
// bound_2^p + bound_3^p)^(1/p) + split.
//
// (That whole tiles run in whole waves is NVIDIA's guide on matrix products; saturation, scattered
// rows and the joined bounds are forms of ours, whose parameters are fitted.) Requires: the device
// has processors, lanes and a clock.
GemmPrediction predict_gemm(const GemmProblem& problem, const GemmKernel& kernel,
                            const DeviceDescription& device, const GemmRates& rates);

// Where shapes change groups: a sum beside the sides of the result, and the columns of narrow ones.
inline constexpr std::int64_t deep_beside_sides = 32;
inline constexpr std::int64_t most_columns_of_narrow = 64;

// How a plan splits sums: into powers of two, of which each leaves at least so much.
inline constexpr std::int64_t shallowest_split = 64;
inline constexpr int most_splits = 64;

// The group of products whose rates are fitted together where their kernels are not known: by how
// narrow the result is, for libraries take other kernels for narrow ones and not always the
// fastest, how much longer than it the sum is, and how B's rows lie. "rows to 16, transposed"
std::string_view group_of(const GemmProblem& problem);

// What multiplies: the lanes of fp32, or units for small matrices (tensor cores).
enum class MultiplyUnits { lanes, matrix_units };
MultiplyUnits units_of(const GemmProblem& problem, const DeviceDescription& device);

// The kernels that a library could take, each with any number of splits: those whose rates are
// known from twenty rows or more, or, without any, every tile that cuBLAS has for these units.
std::vector<GemmKernel> candidate_kernels(const GemmRates& rates,
                                          MultiplyUnits units = MultiplyUnits::lanes);

// The kernel that a library would take, here the candidate, with the number of splits, that has the
// shortest prediction. Requires: a candidate.
GemmKernel planned_kernel(const GemmProblem& problem, std::span<const GemmKernel> candidates,
                          const DeviceDescription& device, const GemmRates& rates);

// The same if its prediction is shorter than `limit`.
std::optional<GemmKernel> planned_kernel_below(Seconds limit, const GemmProblem& problem,
                                               std::span<const GemmKernel> candidates,
                                               const DeviceDescription& device,
                                               const GemmRates& rates);

}  // namespace strata
