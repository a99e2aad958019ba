// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_loops.h"

#include "backend/cpu/kernels/broadcast_rows.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index min_parallel_work = 1 << 14;
// The number of row elements processed together: they stay in the L1 cache.
constexpr Index piece = 1 << 11;

// A piece of a row.
struct Piece {
    Index row = 0;
    Index begin = 0;
    Index count = 0;
};

// All rows of a result, divided into pieces.
class Pieces {
public:
    explicit Pieces(const BroadcastPlan& plan)
        : length_(plan.row_length()), in_row_((length_ + piece - 1) / piece), rows_(plan.rows()) {}

    Index count() const { return rows_ * in_row_; }
    bool worth_it() const { return rows_ * length_ > min_parallel_work; }
    Piece operator[](Index number) const {
        const Index begin = number % in_row_ * piece;
        return {number / in_row_, begin, std::min(piece, length_ - begin)};
    }

private:
    Index length_;
    Index in_row_;
    Index rows_;
};

OperandRow row_of(const BroadcastPlan& plan, BroadcastInputs inputs, std::size_t operand,
                  const Piece& at) {
    const Index step = plan.row_step(operand);
    return {inputs[operand] + plan.row_offset(operand, at.row) + at.begin * step, step};
}

// In double, so that the quotient of two floats that hold integers is not rounded up to the next
// integer.
void divide_whole(OperandRow a, OperandRow b, float* out, Index count) {
    for (Index i = 0; i < count; ++i) {
        out[i] = static_cast<float>(std::trunc(static_cast<double>(a[i]) / b[i]));
    }
}

// With more than two operands: the product of all others, or whether this one is the extreme.
float slope_of_many(ElementwiseKind kind, std::span<const OperandRow> rows, std::size_t which,
                    Index i) {
    float product = 1;
    std::size_t chosen = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
        product *= j == which ? 1 : rows[j][i];
        const bool surpasses = kind == ElementwiseKind::maximum ? rows[j][i] > rows[chosen][i]
                                                                : rows[j][i] < rows[chosen][i];
        chosen = surpasses ? j : chosen;
    }
    switch (kind) {
        case ElementwiseKind::multiply:
            return product;
        case ElementwiseKind::maximum:
        case ElementwiseKind::minimum:
            return chosen == which ? 1.0F : 0.0F;
        default:
            return 1;
    }
}

// Writes dy * slope of one piece; copies are not added up yet.
using PieceGradient = std::array<float, static_cast<std::size_t>(piece)>;

void elementwise_piece(ElementwiseKind kind, const BroadcastPlan& plan, BroadcastInputs inputs,
                       std::size_t which, const Piece& at, const float* dy, float* gradient) {
    if (inputs.size() == 2) {
        return slope_row(kind, which, row_of(plan, inputs, 0, at), row_of(plan, inputs, 1, at), dy,
                         gradient, at.count);
    }
    std::vector<OperandRow> rows;
    for (std::size_t j = 0; j < inputs.size(); ++j) {
        rows.push_back(row_of(plan, inputs, j, at));
    }
    for (Index i = 0; i < at.count; ++i) {
        gradient[i] = dy[i] * slope_of_many(kind, rows, which, i);
    }
}

// Adds a piece's gradient to the sums of the operand's elements.
void add_piece(const BroadcastPlan& plan, std::size_t which, const Piece& at, const float* gradient,
               float* dx) {
    const Index step = plan.row_step(which);
    float* const to = dx + plan.row_offset(which, at.row) + at.begin * step;
    if (step == 0) {
        *to += sum_row(gradient, at.count);
    } else {
        add_row(gradient, to, at.count);
    }
}

// Calls write(piece, its dy, destination) for every piece of the result and adds up the copies. If
// several pieces contribute to one element of dx, each thread has its own sums.
template <class Write>
void gather_gradient(const BroadcastPlan& plan, std::size_t which, const float* dy, float* dx,
                     std::size_t dx_elements, Write&& write) {
    const Pieces pieces(plan);
    const bool apart = !plan.repeats_rows(which) && !plan.repeats_in_row(which);
    const auto threads = apart || !pieces.worth_it() ? 1 : omp_get_max_threads();
    std::vector<float> others(static_cast<std::size_t>(threads - 1) * dx_elements);
    if (apart) {
#pragma omp parallel for if (pieces.worth_it())
        for (Index number = 0; number < pieces.count(); ++number) {
            const Piece at = pieces[number];
            write(at, dy + at.row * plan.row_length() + at.begin,
                  dx + plan.row_offset(which, at.row) + at.begin * plan.row_step(which));
        }
        return;
    }
    std::fill_n(dx, dx_elements, 0.0F);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread) {
        float* const own =
            thread == 0 ? dx : others.data() + static_cast<std::size_t>(thread - 1) * dx_elements;
        PieceGradient gradient;
        for (Index number = pieces.count() * thread / threads;
             number < pieces.count() * (thread + 1) / threads; ++number) {
            const Piece at = pieces[number];
            write(at, dy + at.row * plan.row_length() + at.begin, gradient.data());
            add_piece(plan, which, at, gradient.data(), own);
        }
    }
    for (int thread = 1; thread < threads; ++thread) {
        add_row(others.data() + static_cast<std::size_t>(thread - 1) * dx_elements, dx,
                static_cast<Index>(dx_elements));
    }
}

}  // namespace

void elementwise(ElementwiseKind kind, const BroadcastPlan& plan, BroadcastInputs inputs, float* y,
                 bool whole_numbers) {
    const Pieces pieces(plan);
    const bool whole_quotient = whole_numbers && kind == ElementwiseKind::divide;
#pragma omp parallel for if (pieces.worth_it())
    for (Index number = 0; number < pieces.count(); ++number) {
        const Piece at = pieces[number];
        float* const out = y + at.row * plan.row_length() + at.begin;
        OperandRow left = row_of(plan, inputs, 0, at);
        for (std::size_t j = 1; j < inputs.size(); ++j) {
            const OperandRow right = row_of(plan, inputs, j, at);
            whole_quotient ? divide_whole(left, right, out, at.count)
                           : combine_row(kind, left, right, out, at.count);
            left = {out, 1};
        }
    }
}

void elementwise_gradient(ElementwiseKind kind, const BroadcastPlan& plan, BroadcastInputs inputs,
                          std::size_t which, const float* dy, float* dx, std::size_t dx_elements) {
    gather_gradient(plan, which, dy, dx, dx_elements,
                    [&](const Piece& at, const float* from, float* gradient) {
                        elementwise_piece(kind, plan, inputs, which, at, from, gradient);
                    });
}

void select(const BroadcastPlan& plan, BroadcastInputs inputs, float* y) {
    const Pieces pieces(plan);
#pragma omp parallel for if (pieces.worth_it())
    for (Index number = 0; number < pieces.count(); ++number) {
        const Piece at = pieces[number];
        select_row(row_of(plan, inputs, 0, at), row_of(plan, inputs, 1, at),
                   row_of(plan, inputs, 2, at), y + at.row * plan.row_length() + at.begin,
                   at.count);
    }
}

void select_gradient(const BroadcastPlan& plan, BroadcastInputs inputs, std::size_t which,
                     const float* dy, float* dx, std::size_t dx_elements) {
    gather_gradient(
        plan, which, dy, dx, dx_elements, [&](const Piece& at, const float* from, float* gradient) {
            select_slope_row(row_of(plan, inputs, 0, at), which == 1, from, gradient, at.count);
        });
}

}  // namespace strata::cpu
