// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/winograd_matrices.h"

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

// Products with the matrices of winograd_matrices.h as straight-line code, and its arithmetic. The
// two signs of a point share their even and odd parts.
namespace strata::cpu::winograd {

// The arithmetic of a transform; a multiplication whose product is added counts once, as both.
struct TransformCost {
    std::size_t multiply_adds = 0;
    std::size_t adds = 0;
    std::size_t multiplies = 0;

    constexpr TransformCost operator+(const TransformCost& other) const {
        return {multiply_adds + other.multiply_adds, adds + other.adds,
                multiplies + other.multiplies};
    }
    constexpr TransformCost operator*(std::size_t times) const {
        return {multiply_adds * times, adds * times, multiplies * times};
    }
};

// A scalar or a vector of them; a counting type has its own overload.
template <class Scalar>
[[gnu::always_inline]] inline Scalar multiply_add(float a, const Scalar& x, const Scalar& sum) {
    return a * x + sum;
}

template <std::size_t... i, class Body>
[[gnu::always_inline]] inline void unrolled(std::index_sequence<i...>, Body&& body) {
    (body(std::integral_constant<std::size_t, i>()), ...);
}
template <std::size_t count, class Body>
[[gnu::always_inline]] inline void unrolled(Body&& body) {
    unrolled(std::make_index_sequence<count>(), body);
}

// A sum of products with constant coefficients. It begins with a term that needs no multiplication,
// if there is one.
template <std::size_t count>
struct LinearSum {
    std::array<double, count> coefficients = {};

    constexpr std::size_t first() const {
        for (const bool plain : {true, false}) {
            for (std::size_t i = 0; i < count; ++i) {
                if (plain ? coefficients[i] == 1 : coefficients[i] != 0) {
                    return i;
                }
            }
        }
        return count;
    }

    constexpr TransformCost cost() const {
        TransformCost cost;
        for (std::size_t i = 0; i < count; ++i) {
            const double c = coefficients[i];
            if (i == first()) {
                cost.multiplies += c != 1;
            } else if (c != 0) {
                (c == 1 || c == -1 ? cost.adds : cost.multiply_adds) += 1;
            }
        }
        return cost;
    }
};

// The value of Sum::value. Not a template over the sum itself: GCC 12 gives arrays that differ only
// in their zeros the same name.
template <class Sum, class Scalar, std::size_t count>
[[gnu::always_inline]] inline Scalar evaluate(const Scalar (&terms)[count]) {
    constexpr LinearSum<count> sum = Sum::value;
    constexpr std::size_t first = sum.first();
    Scalar result;
    if constexpr (sum.coefficients[first] == 1) {
        result = terms[first];
    } else {
        result = static_cast<float>(sum.coefficients[first]) * terms[first];
    }
    unrolled<count>([&](auto i) __attribute__((always_inline)) {
        constexpr double c = sum.coefficients[i];
        if constexpr (i != first && c == 1) {
            result = result + terms[i];
        } else if constexpr (i != first && c == -1) {
            result = result - terms[i];
        } else if constexpr (i != first && c != 0) {
            result = multiply_add(static_cast<float>(c), terms[i], result);
        }
    });
    return result;
}

// A product with `input` or `filter`: rows 2k - 1 and 2k are even + odd and even - odd, of the
// terms at even and at odd positions.
template <class Values>
struct PairedRows {
    static constexpr std::size_t inputs = Values::columns;
    static constexpr std::size_t outputs = Values::rows;

    template <class Scalar>
    [[gnu::always_inline]] static void apply(const Scalar (&in)[inputs], Scalar (&out)[outputs]) {
        out[0] = evaluate<Part<0, both>>(in);
        unrolled<outputs / 2 - 1>([&](auto pair) __attribute__((always_inline)) {
            constexpr std::size_t row = 2 * pair + 1;
            const Scalar even = evaluate<Part<row, even_terms>>(in);
            const Scalar odd = evaluate<Part<row, odd_terms>>(in);
            out[row] = even + odd;
            out[row + 1] = even - odd;
        });
        out[outputs - 1] = evaluate<Part<outputs - 1, both>>(in);
    }

    static constexpr TransformCost cost() {
        TransformCost cost = part(0, both).cost() + part(outputs - 1, both).cost();
        for (std::size_t row = 1; row + 1 < outputs; row += 2) {
            cost = cost + part(row, even_terms).cost() + part(row, odd_terms).cost() +
                   TransformCost{.adds = 2};
        }
        return cost;
    }

private:
    enum Terms { even_terms, odd_terms, both };

    static constexpr LinearSum<inputs> part(std::size_t row, Terms terms) {
        LinearSum<inputs> sum;
        for (std::size_t i = 0; i < inputs; ++i) {
            const bool counts = terms == both || i % 2 == (terms == odd_terms ? 1 : 0);
            sum.coefficients[i] = counts ? Values::value[row][i] : 0;
        }
        return sum;
    }

    template <std::size_t row, Terms terms>
    struct Part {
        static constexpr LinearSum<inputs> value = part(row, terms);
    };
};

// A product with `output`: columns 2k - 1 and 2k are first added for the even rows, and subtracted
// for the odd ones.
template <class Values>
struct PairedColumns {
    static constexpr std::size_t inputs = Values::columns;
    static constexpr std::size_t outputs = Values::rows;

    template <class Scalar>
    [[gnu::always_inline]] static void apply(const Scalar (&in)[inputs], Scalar (&out)[outputs]) {
        Scalar sums[terms], differences[terms];
        sums[0] = in[0];
        sums[pairs + 1] = differences[pairs + 1] = in[inputs - 1];
        differences[0] = in[0];
        unrolled<pairs>([&](auto pair) __attribute__((always_inline)) {
            sums[pair + 1] = in[2 * pair + 1] + in[2 * pair + 2];
            differences[pair + 1] = in[2 * pair + 1] - in[2 * pair + 2];
        });
        unrolled<outputs>([&](auto row) __attribute__((always_inline)) {
            out[row] = evaluate<Row<row>>(row % 2 == 0 ? sums : differences);
        });
    }

    static constexpr TransformCost cost() {
        TransformCost cost{.adds = 2 * pairs};
        for (std::size_t row = 0; row < outputs; ++row) {
            cost = cost + sum_of(row).cost();
        }
        return cost;
    }

private:
    static constexpr std::size_t pairs = inputs / 2 - 1;
    static constexpr std::size_t terms = pairs + 2;

    static constexpr LinearSum<terms> sum_of(std::size_t row) {
        LinearSum<terms> sum;
        sum.coefficients[0] = Values::value[row][0];
        for (std::size_t pair = 0; pair < pairs; ++pair) {
            sum.coefficients[pair + 1] = Values::value[row][2 * pair + 1];
        }
        sum.coefficients[pairs + 1] = Values::value[row][inputs - 1];
        return sum;
    }

    template <std::size_t row>
    struct Row {
        static constexpr LinearSum<terms> value = sum_of(row);
    };
};

template <std::size_t size>
using InputTransform = PairedRows<InputMatrix<size>>;
template <std::size_t size, std::size_t taps>
using FilterTransform = PairedRows<FilterMatrix<size, taps>>;
template <std::size_t outputs, std::size_t size>
using OutputTransform = PairedColumns<OutputMatrix<outputs, size>>;

// The transform of a square along both axes: T X T^t. `load(y, x, value)` reads an element of X,
// `store(y, x, value)` takes one of the result.
template <class Transform, class Scalar, class Load, class Store>
[[gnu::always_inline]] inline void transform_square(Load&& load, Store&& store) {
    constexpr std::size_t inputs = Transform::inputs, outputs = Transform::outputs;
    Scalar half[outputs][inputs];
    unrolled<inputs>([&](auto x) __attribute__((always_inline)) {
        Scalar in[inputs], out[outputs];
        unrolled<inputs>([&](auto y) __attribute__((always_inline)) { load(y, x, in[y]); });
        Transform::apply(in, out);
        unrolled<outputs>([&](auto y) __attribute__((always_inline)) { half[y][x] = out[y]; });
    });
    unrolled<outputs>([&](auto y) __attribute__((always_inline)) {
        Scalar out[outputs];
        Transform::apply(half[y], out);
        unrolled<outputs>([&](auto x) __attribute__((always_inline)) { store(y, x, out[x]); });
    });
}

template <class Transform>
constexpr TransformCost cost_of_square() {
    return Transform::cost() * (Transform::inputs + Transform::outputs);
}

}  // namespace strata::cpu::winograd
