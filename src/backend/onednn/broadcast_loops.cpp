// SPDX-License-Identifier: MIT
#include "backend/onednn/broadcast_loops.h"

#include <algorithm>
#include <cmath>

namespace strata::onednn {

namespace {

using Index = std::int64_t;

// The result as rows along its last axis.
struct Rows {
    Index count = 1;
    Index length = 1;
};

Rows rows_of(const Dims& extents) {
    Rows rows;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        (axis + 1 == extents.size() ? rows.length : rows.count) *= extents[axis];
    }
    return rows;
}

// Where an operand's part of row number `row` begins.
Index row_offset(const Stretch& stretch, Index row) {
    Index offset = 0;
    for (std::size_t axis = stretch.extents.size() - 1; axis-- > 0;) {
        offset += row % stretch.extents[axis] * stretch.steps[axis];
        row /= stretch.extents[axis];
    }
    return offset;
}

float combine(ElementwiseKind kind, float a, float b) {
    switch (kind) {
        case ElementwiseKind::add:
            return a + b;
        case ElementwiseKind::multiply:
            return a * b;
        case ElementwiseKind::subtract:
            return a - b;
        case ElementwiseKind::divide:
            return a / b;
        case ElementwiseKind::maximum:
            return std::max(a, b);
        case ElementwiseKind::minimum:
            return std::min(a, b);
        case ElementwiseKind::power:
            return std::pow(a, b);
        case ElementwiseKind::remainder:
            return a - b * std::floor(a / b);
        case ElementwiseKind::prelu:
            return a > 0 ? a : a * b;
        case ElementwiseKind::equal:
            return a == b ? 1.0F : 0.0F;
        case ElementwiseKind::less:
            return a < b ? 1.0F : 0.0F;
        case ElementwiseKind::less_or_equal:
            return a <= b ? 1.0F : 0.0F;
        case ElementwiseKind::greater:
            return a > b ? 1.0F : 0.0F;
        case ElementwiseKind::greater_or_equal:
            return a >= b ? 1.0F : 0.0F;
        case ElementwiseKind::logical_and:
            return a != 0 && b != 0 ? 1.0F : 0.0F;
        case ElementwiseKind::logical_or:
            return a != 0 || b != 0 ? 1.0F : 0.0F;
        case ElementwiseKind::logical_xor:
            return (a != 0) != (b != 0) ? 1.0F : 0.0F;
    }
    return 0;
}

// The operands' elements of one place of the result.
using Elements = std::vector<float>;

float product_of_others(const Elements& elements, std::size_t which) {
    float product = 1;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        product *= i == which ? 1 : elements[i];
    }
    return product;
}

// Whether operand `which` is the first that no other surpasses.
bool is_chosen(ElementwiseKind kind, const Elements& elements, std::size_t which) {
    const auto chosen = kind == ElementwiseKind::maximum ? std::ranges::max_element(elements)
                                                         : std::ranges::min_element(elements);
    return static_cast<std::size_t>(chosen - elements.begin()) == which;
}

// d(result) / d(operand `which`).
float slope(ElementwiseKind kind, const Elements& elements, std::size_t which) {
    switch (kind) {
        case ElementwiseKind::add:
            return 1;
        case ElementwiseKind::subtract:
            return which == 0 ? 1.0F : -1.0F;
        case ElementwiseKind::multiply:
            return product_of_others(elements, which);
        case ElementwiseKind::divide:
            return which == 0 ? 1 / elements[1] : -elements[0] / (elements[1] * elements[1]);
        case ElementwiseKind::maximum:
        case ElementwiseKind::minimum:
            return is_chosen(kind, elements, which) ? 1.0F : 0.0F;
        case ElementwiseKind::power:
            return which == 0 ? elements[1] * std::pow(elements[0], elements[1] - 1)
                              : std::pow(elements[0], elements[1]) * std::log(elements[0]);
        case ElementwiseKind::remainder:
            return which == 0 ? 1 : -std::floor(elements[0] / elements[1]);
        case ElementwiseKind::prelu:
            return which == 0 ? (elements[0] > 0 ? 1 : elements[1]) : std::min(elements[0], 0.0F);
        default:
            return 0;
    }
    return 0;
}

bool is_stretched(const Stretch& stretch) {
    for (std::size_t axis = 0; axis < stretch.steps.size(); ++axis) {
        if (stretch.steps[axis] == 0 && stretch.extents[axis] > 1) {
            return true;
        }
    }
    return false;
}

}  // namespace

Stretch stretch_of(const Dims& operand, const Dims& result) {
    Stretch stretch = {result, Dims(result.size(), 0)};
    const std::size_t missing = result.size() - operand.size();
    Index step = 1;
    for (std::size_t axis = operand.size(); axis-- > 0;) {
        stretch.steps[missing + axis] = operand[axis] == 1 ? 0 : step;
        step *= operand[axis];
    }
    return stretch;
}

void elementwise(ElementwiseKind kind, std::span<const float* const> inputs,
                 std::span<const Stretch> stretches, float* y) {
    const Rows rows = rows_of(stretches[0].extents);
#pragma omp parallel for
    for (Index row = 0; row < rows.count; ++row) {
        float* out = y + row * rows.length;
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            const float* in = inputs[j] + row_offset(stretches[j], row);
            const Index step = stretches[j].steps.back();
            for (Index i = 0; i < rows.length; ++i) {
                out[i] = j == 0 ? in[i * step] : combine(kind, out[i], in[i * step]);
            }
        }
    }
}

void elementwise_gradient(ElementwiseKind kind, std::span<const float* const> inputs,
                          std::span<const Stretch> stretches, std::size_t which, const float* dy,
                          float* dx, std::size_t dx_elements) {
    const Rows rows = rows_of(stretches[0].extents);
    std::fill_n(dx, dx_elements, 0.0F);
    // Rows of a stretched operand coincide, so only one thread may add to them.
#pragma omp parallel for if (!is_stretched(stretches[which]))
    for (Index row = 0; row < rows.count; ++row) {
        std::vector<const float*> starts(inputs.size());
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            starts[j] = inputs[j] + row_offset(stretches[j], row);
        }
        float* out = dx + row_offset(stretches[which], row);
        Elements elements(inputs.size());
        for (Index i = 0; i < rows.length; ++i) {
            for (std::size_t j = 0; j < inputs.size(); ++j) {
                elements[j] = starts[j][i * stretches[j].steps.back()];
            }
            out[i * stretches[which].steps.back()] +=
                dy[row * rows.length + i] * slope(kind, elements, which);
        }
    }
}

}  // namespace strata::onednn
