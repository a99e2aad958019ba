// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/epilogue.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"

#include <algorithm>

namespace strata::cpu {

namespace {

STRATA_EACH_ISA void add_range(const float* from, float* to, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        to[i] += from[i];
    }
}

// Eight sums side by side, so that they need not wait for each other.
double plane_sum(const ImageView& view, const float* plane) {
    double sums[8] = {};
    const std::size_t points = view.height * view.width;
    for (std::size_t i = 0; i < points; ++i) {
        sums[i % 8] += static_cast<double>(plane[static_cast<std::ptrdiff_t>(i) * view.column]);
    }
    double sum = 0;
    for (const double part : sums) {
        sum += part;
    }
    return sum;
}

}  // namespace

void bias_gradient(const ImageView& dy, float* gradient) {
#pragma omp parallel for schedule(static)
    for (std::size_t channel = 0; channel < dy.channels; ++channel) {
        double sum = 0;
        for (std::size_t n = 0; n < dy.images; ++n) {
            sum += plane_sum(dy, dy.plane(n, channel));
        }
        gradient[channel] = static_cast<float>(sum);
    }
}

void sum_parts(const float* parts, std::size_t part_count, std::size_t step, std::size_t count,
               float* sum) {
    parallel_ranges(count, [&](std::size_t begin, std::size_t end) {
        std::copy(parts + begin, parts + end, sum + begin);
        for (std::size_t part = 1; part < part_count; ++part) {
            add_range(parts + part * step, sum, begin, end);
        }
    });
}

}  // namespace strata::cpu
