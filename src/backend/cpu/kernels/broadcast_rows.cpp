// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_rows.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/vector_library.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

// A row, or a single repeated element. This is known at compile time, so that the loop uses wide
// loads or a register.
struct Along {
    const float* at;
    float operator[](Index i) const { return at[i]; }
};
struct Repeated {
    float value;
    float operator[](Index) const { return value; }
};

template <class A, class B, class Function>
[[gnu::always_inline]] inline void each(A a, B b, Index count, Function function) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
        function(a[i], b[i], i);
    }
}

template <class Function>
[[gnu::always_inline]] inline void for_pairs(OperandRow a, OperandRow b, Index count,
                                             Function function) {
    if (a.step == 1 && b.step == 1) {
        each(Along{a.at}, Along{b.at}, count, function);
    } else if (a.step == 1 && b.step == 0) {
        each(Along{a.at}, Repeated{*b.at}, count, function);
    } else if (a.step == 0 && b.step == 1) {
        each(Repeated{*a.at}, Along{b.at}, count, function);
    } else {
        each(a, b, count, function);
    }
}

// In double: a quotient just below an integer must not be rounded up to it.
[[gnu::always_inline]] inline float whole_quotient(float x, float y) {
    return static_cast<float>(std::floor(static_cast<double>(x) / y));
}

[[gnu::always_inline]] inline float remainder_of(float x, float y) {
    const double a = x, b = y;
    return static_cast<float>(a - b * std::floor(a / b));
}

[[gnu::always_inline]] inline float truth(bool condition) {
    return condition ? 1.0F : 0.0F;
}

}  // namespace

STRATA_EACH_ISA void combine_row(ElementwiseKind kind, OperandRow a, OperandRow b, float* out,
                                 std::int64_t count) {
    const auto with = [=](auto function) __attribute__((always_inline)) {
        for_pairs(a, b, count, [=](float x, float y, Index i) { out[i] = function(x, y); });
    };
    switch (kind) {
        case ElementwiseKind::add:
            return with([](float x, float y) { return x + y; });
        case ElementwiseKind::multiply:
            return with([](float x, float y) { return x * y; });
        case ElementwiseKind::subtract:
            return with([](float x, float y) { return x - y; });
        case ElementwiseKind::divide:
            return with([](float x, float y) { return x / y; });
        case ElementwiseKind::maximum:
            return with([](float x, float y) { return std::max(x, y); });
        case ElementwiseKind::minimum:
            return with([](float x, float y) { return std::min(x, y); });
        case ElementwiseKind::power:
            return raise_row(a, b, out, count);
        case ElementwiseKind::remainder:
            return with([](float x, float y) { return remainder_of(x, y); });
        case ElementwiseKind::prelu:
            return with([](float x, float y) { return x > 0 ? x : x * y; });
        case ElementwiseKind::equal:
            return with([](float x, float y) { return truth(x == y); });
        case ElementwiseKind::less:
            return with([](float x, float y) { return truth(x < y); });
        case ElementwiseKind::less_or_equal:
            return with([](float x, float y) { return truth(x <= y); });
        case ElementwiseKind::greater:
            return with([](float x, float y) { return truth(x > y); });
        case ElementwiseKind::greater_or_equal:
            return with([](float x, float y) { return truth(x >= y); });
        case ElementwiseKind::logical_and:
            return with([](float x, float y) { return truth(x != 0 && y != 0); });
        case ElementwiseKind::logical_or:
            return with([](float x, float y) { return truth(x != 0 || y != 0); });
        case ElementwiseKind::logical_xor:
            return with([](float x, float y) { return truth((x != 0) != (y != 0)); });
    }
}

STRATA_EACH_ISA void slope_row(ElementwiseKind kind, std::size_t which, OperandRow a, OperandRow b,
                               const float* dy, float* out, std::int64_t count) {
    const bool first = which == 0;
    const auto with = [=](auto function) __attribute__((always_inline)) {
        for_pairs(a, b, count, [=](float x, float y, Index i) { out[i] = dy[i] * function(x, y); });
    };
    switch (kind) {
        case ElementwiseKind::add:
            return with([](float, float) { return 1.0F; });
        case ElementwiseKind::subtract:
            return with([=](float, float) { return first ? 1.0F : -1.0F; });
        case ElementwiseKind::multiply:
            return first ? with([](float, float y) { return y; })
                         : with([](float x, float) { return x; });
        case ElementwiseKind::divide:
            return first ? with([](float, float y) { return 1 / y; })
                         : with([](float x, float y) { return -x / (y * y); });
        case ElementwiseKind::maximum:
            return first ? with([](float x, float y) { return truth(x >= y); })
                         : with([](float x, float y) { return truth(x < y); });
        case ElementwiseKind::minimum:
            return first ? with([](float x, float y) { return truth(x <= y); })
                         : with([](float x, float y) { return truth(x > y); });
        case ElementwiseKind::power:
            return first ? raise_slope_row(a, b, dy, out, count)
                         : with([](float x, float y) { return ::powf(x, y) * ::logf(x); });
        case ElementwiseKind::remainder:
            return first ? with([](float, float) { return 1.0F; })
                         : with([](float x, float y) { return -whole_quotient(x, y); });
        case ElementwiseKind::prelu:
            return first ? with([](float x, float y) { return x > 0 ? 1.0F : y; })
                         : with([](float x, float) { return std::min(x, 0.0F); });
        default:  // step functions
            return with([](float, float) { return 0.0F; });
    }
}

STRATA_EACH_ISA void select_row(OperandRow condition, OperandRow a, OperandRow b, float* out,
                                std::int64_t count) {
    if (condition.step == 0) {
        const OperandRow chosen = *condition.at != 0 ? a : b;
        for (Index i = 0; i < count; ++i) {
            out[i] = chosen[i];
        }
        return;
    }
    const float* const is_first = condition.at;
    for_pairs(a, b, count, [=](float x, float y, Index i) { out[i] = is_first[i] != 0 ? x : y; });
}

STRATA_EACH_ISA void select_slope_row(OperandRow condition, bool if_true, const float* dy,
                                      float* out, std::int64_t count) {
    if (condition.step == 0) {
        const bool is_taken = (*condition.at != 0) == if_true;
        is_taken ? std::copy_n(dy, count, out) : std::fill_n(out, count, 0.0F);
        return;
    }
    const float* const is_first = condition.at;
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
        const float slope = dy[i];  // A conditional load would not be vectorised.
        out[i] = (is_first[i] != 0) == if_true ? slope : 0.0F;
    }
}

STRATA_EACH_ISA void add_row(const float* from, float* to, std::int64_t count) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
        to[i] += from[i];
    }
}

STRATA_EACH_ISA float sum_row(const float* from, std::int64_t count) {
    constexpr Index lanes = 64;
    std::array<float, lanes> parts = {};
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (Index lane = 0; lane < lanes; ++lane) {
            parts[static_cast<std::size_t>(lane)] += from[i + lane];
        }
    }
    float sum = 0;
    for (; i < count; ++i) {
        sum += from[i];
    }
    for (const float part : parts) {
        sum += part;
    }
    return sum;
}

}  // namespace strata::cpu
