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

// C (m x n) = A (m x k) B (k x n), `batch` times. A's rows run along k, or along m if it is
// transposed, as the gradient of results is for the gradient of weights. B's rows run along n, or
// along k if it is transposed, as a linear layer's weights are.
struct GemmProblem {
    std::int64_t batch = 1;
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    bool b_is_transposed = false;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;
    bool a_is_transposed = false;
    int load_bytes = 16;  // of the widest loads that the rows of its matrices allow (load_bytes_of)
};

// The largest power of two, at most 16, that divides the bytes of each row of both operands and of
// the result. A matrix of one row or of one column is aligned.
int load_bytes_of(const GemmProblem& problem);
// The same product with these loads.
GemmProblem with_loads(GemmProblem problem);

// How a kernel of a GPU's library divides a product. A thread block (CTA) computes a tile in steps
// of 8 along k. Several blocks may split k; their sums are added afterwards.
struct GemmKernel {
    std::string name = {};  // "volta_sgemm_128x64_tn"
    int tile_n = 128;
    int tile_m = 128;
    int warps = 8;
    int splits = 1;
};

// A kernel by its library's name and its thread block, as profilers report them; nothing if the
// name does not give the tile.
std::optional<GemmKernel> kernel_named(std::string_view name, int threads);

// The rates of a kernel.
struct KernelRates {
    double efficiency = 0.9;     // of a processor's peak, with enough warps
    Seconds step{0.2e-6};        // latency of 8 steps along k
    Seconds epilogue{5e-6};      // of a wave of blocks
    double half_saturation = 1;  // warps at which half of that efficiency is lost
    int rows = 0;                // number of measured rows that these were fitted to
};

// Rates of all products on a device. A fit moves the positive ones (predict/fit.h).
struct GemmRates {
    Seconds launch{25e-6};  // including the framework's share
    Bandwidth l2{3e12};
    double dram_efficiency = 0.85;  // of the stated bandwidth
    double overlap = 2.5;       // the exponent that combines the bounds: 1 adds them, more overlaps
    Seconds split{10e-6};       // to add the sums of splits
    double cache_share = 1;     // of the L2 cache, available to operands
    double scatter = 0.3;       // traffic added if rows are read in narrow pieces
    Bytes scatter_pitch{2000};  // of rows, at which half of that is added
    Seconds store{};            // for a processor to write a tile of 128 x 128; 0: in `epilogue`
    Bytes ramp{};               // bytes that memory loses as it comes up to speed; 0: in `launch`
    double resident = 0;        // share of the L2 cache with operands of an earlier run; 0: none
    double cached = 0;          // bandwidth for them relative to the memory's; at least 1
    // Loads of less than 16 bytes in a clock of a processor (from an H100; no fit moves it).
    double narrow_loads = 2.8;
    Bytes span{350e6};  // beyond which `span_power` slows kernels of Pascal and older
    double span_power = 0.8;
    KernelRates usual;  // of unnamed kernels
    std::map<std::string, KernelRates, std::less<>> kernels;

    const KernelRates& of(std::string_view kernel) const;
};

// Rates before any measurement: from data sheets, and values typical of other devices.
GemmRates prior_gemm_rates(const DeviceDescription& device);

// The same for products that run alone in matrix units, without a framework's launches. (Rounded
// from fits to boards from an A100 to a B200, so they are not independent of those boards.)
GemmRates prior_matrix_rates(const DeviceDescription& device);

// The L2 cache's bandwidth if stated, else by what others have per processor.
Bandwidth assumed_l2_bandwidth(const DeviceDescription& device);

// A prediction and its terms; the largest one binds.
struct GemmPrediction {
    Seconds time;
    Seconds launch;
    Seconds arithmetic;  // of the busiest processor, in waves of resident blocks
    Seconds latency;     // of steps and epilogues, if nothing hides it
    Seconds store;       // of the busiest processor, writing its tiles
    Seconds l2;
    Seconds narrow_loads;  // if they decide l2
    Seconds dram;
    Seconds split;
    double blocks = 0;
    double rounds = 0;
    Bytes dram_traffic;
};

// The time that a product's blocks need on the processors and the L2 cache, each alone.
struct BlockTimes {
    Seconds arithmetic;  // of the busiest processor, in waves of resident blocks
    Seconds latency;     // of steps and epilogues, if nothing hides it
    Seconds l2;
    double blocks = 0;
    double rounds = 0;
};

// The part of `predict_gemm` that other operators' kernels share: tiles in waves.
BlockTimes times_of_blocks(const GemmProblem& problem, const GemmKernel& kernel,
                           const DeviceDescription& device, const KernelRates& reached,
                           Bandwidth l2);

// Whether the tiles that run together are assumed to form a square that shares rows and columns of
// both operands. True after Volta with 128 lanes or more, whose arithmetic is fast relative to
// their memory. On the boards with measured times, the longer span of a row of tiles predicts no
// worse.
bool shares_both_operands(const DeviceDescription& device);

// The time of a product by one kernel: tiles in waves over the device's processors.
//
// blocks = ceil(n / tile_n) ceil(m / tile_m) batch splits. The busiest processor has ceil(blocks /
// processors) of them, `resident` at a time. A wave takes its arithmetic at the efficiency that its
// warps reach, or steps x latency + epilogue, and then writes its results. Each block reads its
// operands from the L2 cache; DRAM serves what a wave reads, once. The first requests find memory
// idle, which costs as much as ramp (1 - exp(-traffic / ramp)) more traffic. If a benchmark repeats
// a product, the part of it that is still cached moves at `cached` times the memory's bandwidth.
// If rows are no multiples of 16 bytes, kernels of matrix units since Ampere load operands in the
// largest pieces that are aligned, `narrow_loads` of them per clock and processor; l2 is at least
// their time. time = launch + (bound_1^p + bound_2^p + bound_3^p)^(1/p) + split.
//
// (Whole tiles in whole waves follow NVIDIA's guide on matrix products. Saturation, scattered rows
// and the combined bounds are our forms, with fitted parameters.) Requires: the device has
// processors, lanes and a clock.
GemmPrediction predict_gemm(const GemmProblem& problem, const GemmKernel& kernel,
                            const DeviceDescription& device, const GemmRates& rates);

// The shapes at which groups change: the sum relative to the result's sides, and narrow columns.
inline constexpr std::int64_t deep_beside_sides = 32;
inline constexpr std::int64_t most_columns_of_narrow = 64;

// How a plan splits sums: into powers of two, each at least this long.
inline constexpr std::int64_t shallowest_split = 64;
inline constexpr int most_splits = 64;

// The group of products that share fitted rates if their kernels are unknown: by how narrow the
// result is, how much longer the sum is, and the direction of B's rows. Libraries use other kernels
// for narrow results, and not always the fastest. "rows to 16, transposed"
std::string_view group_of(const GemmProblem& problem);

// The unit that multiplies: the lanes of fp32, or matrix units (tensor cores).
enum class MultiplyUnits { lanes, matrix_units };
MultiplyUnits units_of(const GemmProblem& problem, const DeviceDescription& device);

// The kernels that a library could use, each with any number of splits: those with rates from at
// least twenty rows or, if there are none, every tile that cuBLAS has for these units.
std::vector<GemmKernel> candidate_kernels(const GemmRates& rates,
                                          MultiplyUnits units = MultiplyUnits::lanes);

// The kernel that a library would choose: the candidate and the number of splits with the shortest
// prediction. Requires: a candidate.
GemmKernel planned_kernel(const GemmProblem& problem, std::span<const GemmKernel> candidates,
                          const DeviceDescription& device, const GemmRates& rates);

// The same if its prediction is shorter than `limit`.
std::optional<GemmKernel> planned_kernel_below(Seconds limit, const GemmProblem& problem,
                                               std::span<const GemmKernel> candidates,
                                               const DeviceDescription& device,
                                               const GemmRates& rates);

}  // namespace strata
