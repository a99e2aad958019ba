// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/epilogue.h"

#include "backend/cpu/kernels/bias_loops.h"
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

}  // namespace

void bias_gradient(const ImageView& dy, float* gradient) {
    const auto count = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    bias_gradient(ChannelBlocks{.images = count(dy.images),
                                .channels = count(dy.channels),
                                .positions = count(dy.height * dy.width),
                                .inner = dy.lane == 1 ? count(dy.block) : 1},
                  dy.data, gradient);
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
