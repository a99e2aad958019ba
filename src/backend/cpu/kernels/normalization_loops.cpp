// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/normalization_loops.h"

#include "backend/cpu/kernels/normalization_rows.h"
#include "backend/cpu/kernels/small_gemm.h"

#include <omp.h>

#include <algorithm>

namespace strata::cpu {

namespace {

// A thread's scratch memory: three rows, and sums of both parameters' gradients.
std::size_t scratch_of_thread(const NormalizationLoops& loops) {
    return round_up(3 * loops.width + 2 * loops.parameters(), 16);
}

// The row as floats: in place, or a copy.
const float* row_of(const Elements& from, std::size_t first, std::size_t count, float* copy) {
    if (!from.narrow) {
        return static_cast<const float*>(from.data) + first;
    }
    load(from, first, count, copy);
    return copy;
}

// The destination of a row: in place, or a buffer until `store`.
float* room_for(const Elements& to, std::size_t first, float* copy) {
    return to.narrow ? copy : static_cast<float*>(to.data) + first;
}

void finish(const float* row, std::size_t count, const Elements& to, std::size_t first) {
    if (to.narrow) {
        store(row, count, to, first);
    }
}

float at_or(const float* values, std::size_t index, float otherwise) {
    return values == nullptr ? otherwise : values[index];
}

const float* from(const float* values, std::size_t first) {
    return values == nullptr ? nullptr : values + first;
}

float* from(float* values, std::size_t first) {
    return values == nullptr ? nullptr : values + first;
}

void forward_row(const NormalizationLoops& loops, const NormalizationForward& memory,
                 std::size_t row, float* scratch) {
    const std::size_t first = row * loops.width, p = loops.first_parameter(row);
    const float* x = row_of(memory.x, first, loops.width, scratch);
    float* y = room_for(memory.y, first, scratch + loops.width);
    const RowStatistics by = row_statistics(x, loops.width, loops.epsilon, loops.centred);
    if (loops.inner == 1) {
        normalize_row(x, y, loops.width, by, from(memory.scale, p), from(memory.shift, p));
    }
    for (std::size_t i = 0; loops.inner > 1 && i < loops.width / loops.inner; ++i) {
        const float factor = by.inverse * at_or(memory.scale, p + i, 1);
        scale_and_shift(x + i * loops.inner, y + i * loops.inner, loops.inner, factor,
                        at_or(memory.shift, p + i, 0) - by.mean * factor);
    }
    finish(y, loops.width, memory.y, first);
}

// One row's contribution to the parameters' gradients, and the sums that the gradient of its data
// needs.
GradientSums gradient_sums(const NormalizationLoops& loops, const NormalizationBackward& memory,
                           const float* x, const float* dy, const RowStatistics& by, std::size_t p,
                           float* scale_gradient, float* shift_gradient) {
    if (loops.inner == 1) {
        return row_gradient_sums(x, dy, loops.width, by, from(memory.scale, p),
                                 from(scale_gradient, p), from(shift_gradient, p));
    }
    GradientSums whole;
    for (std::size_t i = 0; i < loops.width / loops.inner; ++i) {
        const GradientSums part =
            part_gradient_sums(x + i * loops.inner, dy + i * loops.inner, loops.inner, by);
        const float scale = at_or(memory.scale, p + i, 1);
        whole.of_gradient += scale * part.of_gradient;
        whole.of_product += scale * part.of_product;
        if (scale_gradient != nullptr) {
            scale_gradient[p + i] += part.of_product;
        }
        if (shift_gradient != nullptr) {
            shift_gradient[p + i] += part.of_gradient;
        }
    }
    return whole;
}

GradientSums means_of(const NormalizationLoops& loops, const GradientSums& sums) {
    const auto width = static_cast<float>(loops.width);
    return {loops.centred ? sums.of_gradient / width : 0.0F, sums.of_product / width};
}

void backward_row(const NormalizationLoops& loops, const NormalizationBackward& memory,
                  std::size_t row, float* scratch, float* scale_gradient, float* shift_gradient) {
    const std::size_t first = row * loops.width, p = loops.first_parameter(row);
    const float* x = row_of(memory.x, first, loops.width, scratch);
    const float* dy = row_of(memory.dy, first, loops.width, scratch + loops.width);
    const RowStatistics by = row_statistics(x, loops.width, loops.epsilon, loops.centred);
    const GradientSums means =
        means_of(loops, gradient_sums(loops, memory, x, dy, by, p, scale_gradient, shift_gradient));
    if (memory.dx.data == nullptr) {
        return;
    }
    float* dx = room_for(memory.dx, first, scratch + 2 * loops.width);
    if (loops.inner == 1) {
        row_gradient(x, dy, dx, loops.width, by, from(memory.scale, p), means);
    }
    for (std::size_t i = 0; loops.inner > 1 && i < loops.width / loops.inner; ++i) {
        part_gradient(x + i * loops.inner, dy + i * loops.inner, dx + i * loops.inner, loops.inner,
                      by, at_or(memory.scale, p + i, 1), means);
    }
    finish(dx, loops.width, memory.dx, first);
}

// The sum over the threads, in their order.
void add_up_threads(const float* sums, std::size_t step, int threads, std::size_t count,
                    float* result) {
    for (std::size_t i = 0; result != nullptr && i < count; ++i) {
        result[i] = 0;
        for (int thread = 0; thread < threads; ++thread) {
            result[i] += sums[static_cast<std::size_t>(thread) * step + i];
        }
    }
}

}  // namespace

std::size_t normalization_scratch(const NormalizationLoops& loops, int threads) {
    return static_cast<std::size_t>(threads) * scratch_of_thread(loops);
}

void normalize(const NormalizationLoops& loops, const NormalizationForward& memory, int threads) {
#pragma omp parallel num_threads(threads)
    {
        float* scratch = memory.scratch +
                         static_cast<std::size_t>(omp_get_thread_num()) * scratch_of_thread(loops);
#pragma omp for schedule(static)
        for (std::size_t row = 0; row < loops.rows; ++row) {
            forward_row(loops, memory, row, scratch);
        }
    }
}

void normalize_backward(const NormalizationLoops& loops, const NormalizationBackward& memory,
                        int threads) {
    const std::size_t step = scratch_of_thread(loops), parameters = loops.parameters();
    float* sums = memory.scratch + 3 * loops.width;
    for (int thread = 0; thread < threads; ++thread) {
        std::fill_n(sums + static_cast<std::size_t>(thread) * step, 2 * parameters, 0.0F);
    }
#pragma omp parallel num_threads(threads)
    {
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        float* of_scale = memory.scale_gradient == nullptr ? nullptr : sums + self * step;
        float* of_shift =
            memory.shift_gradient == nullptr ? nullptr : sums + self * step + parameters;
#pragma omp for schedule(static)
        for (std::size_t row = 0; row < loops.rows; ++row) {
            backward_row(loops, memory, row, memory.scratch + self * step, of_scale, of_shift);
        }
    }
    add_up_threads(sums, step, threads, parameters, memory.scale_gradient);
    add_up_threads(sums + parameters, step, threads, parameters, memory.shift_gradient);
}

}  // namespace strata::cpu
