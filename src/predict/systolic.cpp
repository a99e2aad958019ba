// SPDX-License-Identifier: MIT
#include "predict/systolic.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double rows_of_a_vector = 8;  // TPUs pad to this
constexpr SystolicArray array_of_tpus = {128, 128};

double parts_of_extent(double extent, double size) {
    return std::ceil(extent / size);
}

// One array's share of a product on a chip.
struct Share {
    GemmProblem problem;
    double products;  // of the batch, in sequence
};

Share share_of_array(const GemmProblem& problem, double cores, double arrays) {
    const auto divided = [](std::int64_t extent, double among) {
        return static_cast<std::int64_t>(parts_of_extent(static_cast<double>(extent), among));
    };
    Share share{problem, 1};
    share.problem.batch = 1;
    if (problem.batch > 1) {
        share.products = static_cast<double>(divided(problem.batch, cores));
    } else {
        share.problem.m = divided(problem.m, cores);
    }
    share.problem.n = divided(problem.n, arrays);
    return share;
}

Bytes padded_traffic(const GemmProblem& problem) {
    const auto padded = [](std::int64_t extent, double size) {
        return parts_of_extent(static_cast<double>(extent), size) * size;
    };
    const double m = padded(problem.m, rows_of_a_vector);
    const double n = padded(problem.n, array_of_tpus.columns);
    const double k = padded(problem.k, array_of_tpus.rows);
    return Bytes{static_cast<double>(problem.batch) * (m * k + k * n + m * n) *
                 problem.element_bytes};
}

}  // namespace

double overlapped_cycles(const GemmProblem& problem, SystolicArray array) {
    const double rows =
        parts_of_extent(static_cast<double>(problem.m), rows_of_a_vector) * rows_of_a_vector;
    const double loads = parts_of_extent(static_cast<double>(problem.k), array.rows) *
                         parts_of_extent(static_cast<double>(problem.n), array.columns);
    return static_cast<double>(problem.batch) * loads * std::max(array.rows, rows) + array.rows +
           array.columns - 2;
}

SystolicPrediction predict_systolic_gemm(const GemmProblem& problem,
                                         const DeviceDescription& device,
                                         const SystolicRates& rates) {
    if (!device.matrix_lanes || !device.processors || !device.boost_clock ||
        !device.dram_bandwidth) {
        throw Error(
            fmt::format("{} lacks matrix_lanes, processors, boost_clock or "
                        "dram_bandwidth, which products on systolic arrays need",
                        device.name));
    }
    const double cells = array_of_tpus.rows * array_of_tpus.columns;
    const double arrays = std::max(1.0, device.matrix_lanes->value.value / cells);
    const Share share = share_of_array(problem, device.processors->value.value, arrays);
    SystolicPrediction found;
    found.launch = rates.launch;
    found.cycles = share.products * overlapped_cycles(share.problem, array_of_tpus);
    const Seconds ideal{found.cycles / device.boost_clock->value.value};
    found.arithmetic = ideal / rates.efficiency;
    found.dram = padded_traffic(problem) / (device.dram_bandwidth->value * rates.dram_efficiency);
    found.utilisation = static_cast<double>(problem.batch) * static_cast<double>(problem.m) *
                        static_cast<double>(problem.n) * static_cast<double>(problem.k) /
                        (found.cycles * cells * arrays * device.processors->value.value);
    found.time = found.launch + std::max(found.arithmetic, found.dram);
    return found;
}

}  // namespace strata
