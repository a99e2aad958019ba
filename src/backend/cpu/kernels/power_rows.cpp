// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_rows.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index at_once = 64;
using Few = std::array<float, at_once>;

// x^0.5, which differs from the square root for -0 and minus infinity.
[[gnu::always_inline]] inline float root(float x) {
    const float positive = std::sqrt(x) + 0.0F;
    return x == -infinity ? infinity : positive;
}

// Powers with one common exponent, if that takes only a few operations; false if it does not.
template <class Each>
[[gnu::always_inline]] inline bool by_few_operations(float exponent, Each each) {
    if (exponent == 2) {
        each([](float x) __attribute__((always_inline)) { return x * x; });
    } else if (exponent == 1) {
        each([](float x) __attribute__((always_inline)) { return x; });
    } else if (exponent == 3) {
        each([](float x) __attribute__((always_inline)) { return x * x * x; });
    } else if (exponent == 0) {
        each([](float) __attribute__((always_inline)) { return 1.0F; });
    } else if (exponent == 0.5F) {
        each([](float x) __attribute__((always_inline)) { return root(x); });
    } else if (exponent == -0.5F) {
        each([](float x) __attribute__((always_inline)) { return 1 / root(x); });
    } else if (exponent == -1) {
        each([](float x) __attribute__((always_inline)) { return 1 / x; });
    } else if (exponent == -2) {
        each([](float x) __attribute__((always_inline)) { return 1 / (x * x); });
    } else {
        return false;
    }
    return true;
}

[[gnu::always_inline]] inline bool is_special(float x, float y) {
    constexpr float max_float = std::numeric_limits<float>::max();
    return !(x > 0 && x <= max_float && std::abs(y) <= max_float);
}

// Powers of negative, infinite and other special numbers by the library.
[[gnu::always_inline]] inline void any_powers(const Few& x, const Few& y, Few& powers) {
    for (std::size_t i = 0; i < at_once; ++i) {
        powers[i] = power_of_positive(x[i], y[i]);
    }
    int special = 0;
    for (std::size_t i = 0; i < at_once; ++i) {
        special |= is_special(x[i], y[i]) ? 1 : 0;
    }
    for (std::size_t i = 0; special != 0 && i < at_once; ++i) {
        powers[i] = is_special(x[i], y[i]) ? std::pow(x[i], y[i]) : powers[i];
    }
}

[[gnu::always_inline]] inline void copy(OperandRow from, Index start, Index count, Few& to) {
    if (from.step == 1) {
        std::copy_n(from.at + start, count, to.begin());
        return;
    }
    for (Index i = 0; i < count; ++i) {
        to[static_cast<std::size_t>(i)] = from[start + i];
    }
}

// Calls use(start, count, powers) for a few elements at a time, with their a^(b - less).
template <class Use>
[[gnu::always_inline]] inline void for_powers(OperandRow a, OperandRow b, float less, Index count,
                                              Use use) {
    const bool is_shared = b.step == 0;
    Few x, y, powers;
    x.fill(1);
    y.fill(is_shared && count > 0 ? *b.at - less : 1);
    for (Index start = 0; start < count; start += at_once) {
        const Index here = std::min(at_once, count - start);
        copy(a, start, here, x);
        if (!is_shared) {
            copy(b, start, here, y);
            std::ranges::for_each(y, [=](float& one) { one -= less; });
        }
        const auto each = [&](auto function) __attribute__((always_inline)) {
            for (std::size_t i = 0; i < at_once; ++i) {
                powers[i] = function(x[i]);
            }
        };
        if (!is_shared || !by_few_operations(y[0], each)) {
            any_powers(x, y, powers);
        }
        use(start, here, powers);
    }
}

}  // namespace

STRATA_EACH_ISA void raise_row(OperandRow a, OperandRow b, float* out, std::int64_t count) {
    const auto each = [=](auto function) __attribute__((always_inline)) {
#pragma GCC ivdep
        for (Index i = 0; i < count; ++i) {
            out[i] = function(a.at[i]);
        }
    };
    if (a.step == 1 && b.step == 0 && by_few_operations(*b.at, each)) {
        return;
    }
    for_powers(
        a, b, 0,
        count, [=](Index start, Index here, const Few& powers) __attribute__((always_inline)) {
            std::copy_n(powers.begin(), here, out + start);
        });
}

STRATA_EACH_ISA void raise_slope_row(OperandRow a, OperandRow b, const float* dy, float* out,
                                     std::int64_t count) {
    for_powers(
        a, b, 1,
        count, [=](Index start, Index here, const Few& powers) __attribute__((always_inline)) {
            for (Index i = 0; i < here; ++i) {
                out[start + i] =
                    dy[start + i] * (b[start + i] * powers[static_cast<std::size_t>(i)]);
            }
        });
}

}  // namespace strata::cpu
