// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/narrow.h"

namespace strata::cpu {

// Rows of consecutive elements, each normalised by its own mean and variance. For layer
// normalisation a row is a position, for group normalisation a group of channels of one image. Row
// r belongs to group r % groups; `inner` consecutive elements share a scale and a shift.
struct NormalizationLoops {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t groups = 1;
    std::size_t inner = 1;
    float epsilon = 0;
    bool centred = true;  // whether the mean is subtracted

    std::size_t parameters() const { return groups * (width / inner); }
    std::size_t first_parameter(std::size_t row) const { return row % groups * (width / inner); }
};

// Absent ones are null.
struct NormalizationForward {
    Elements x, y;
    const float* scale = nullptr;
    const float* shift = nullptr;
    float* scratch = nullptr;
};

struct NormalizationBackward {
    Elements x, dy, dx;
    const float* scale = nullptr;
    float* scale_gradient = nullptr;
    float* shift_gradient = nullptr;
    float* scratch = nullptr;
};

// Scratch memory for all threads, in floats.
std::size_t normalization_scratch(const NormalizationLoops& loops, int threads);

// Each row is read from memory only once, because it then stays in the L1 cache. For the same
// reason the backward pass recomputes the statistics and computes all three gradients together.
void normalize(const NormalizationLoops& loops, const NormalizationForward& memory, int threads);
void normalize_backward(const NormalizationLoops& loops, const NormalizationBackward& memory,
                        int threads);

}  // namespace strata::cpu
