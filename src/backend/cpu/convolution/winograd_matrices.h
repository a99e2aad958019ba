// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

// The matrices of Winograd's minimal filtering F(m, r): m outputs of a filter with r taps from
// m + r - 1 inputs,
//   y = output ((filter g) * (input d)),   * element by element,
// made by Cook and Toom's construction from the points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity, as
// many as needed (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015,
// arXiv 1509.09308; Blahut, "Fast Algorithms for Signal Processing", chapter 5). Both signs of a
// point follow each other, so that rows 2k - 1 and 2k of `input` and of `filter`, and columns
// 2k - 1 and 2k of `output`, differ only in the sign of every second element.
namespace strata::cpu::winograd {

template <std::size_t rows, std::size_t columns>
using Matrix = std::array<std::array<double, columns>, rows>;

namespace cook_toom {

inline constexpr std::array<double, 7> points = {0, 1, -1, 2, -2, 0.5, -0.5};

constexpr double power(double base, std::size_t exponent) {
    double result = 1;
    for (std::size_t i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}

// The coefficients, lowest first, of the product of (x - point) over the finite points but one
// (over all of them where `without` is none of them).
template <std::size_t size>
constexpr std::array<double, size> product_without(std::size_t without) {
    std::array<double, size> coefficients = {1};
    for (std::size_t point = 0; point + 1 < size; ++point) {
        if (point != without) {
            for (std::size_t i = size; i-- > 0;) {
                coefficients[i] =
                    (i > 0 ? coefficients[i - 1] : 0) - points[point] * coefficients[i];
            }
        }
    }
    return coefficients;
}

template <std::size_t size>
constexpr double value_at(const std::array<double, size>& coefficients, double point) {
    double value = 0;
    for (std::size_t i = size; i-- > 0;) {
        value = value * point + coefficients[i];
    }
    return value;
}

}  // namespace cook_toom

// The transform of the data. The first row's sign is chosen to make a coefficient 1, which costs no
// multiplication.
template <std::size_t size>
constexpr Matrix<size, size> input_matrix() {
    Matrix<size, size> matrix = {};
    for (std::size_t row = 0; row < size; ++row) {
        matrix[row] = cook_toom::product_without<size>(row);
    }
    const double sign = matrix[0][0] < 0 ? -1 : 1;
    for (double& coefficient : matrix[0]) {
        coefficient *= sign;
    }
    return matrix;
}

template <std::size_t size, std::size_t taps>
constexpr Matrix<size, taps> filter_matrix() {
    Matrix<size, taps> matrix = {};
    const auto input = input_matrix<size>();
    for (std::size_t row = 0; row + 1 < size; ++row) {
        const double point = cook_toom::points[row];
        for (std::size_t tap = 0; tap < taps; ++tap) {
            matrix[row][tap] =
                cook_toom::power(point, tap) / cook_toom::value_at(input[row], point);
        }
    }
    matrix[size - 1][taps - 1] = 1;
    return matrix;
}

template <std::size_t outputs, std::size_t size>
constexpr Matrix<outputs, size> output_matrix() {
    Matrix<outputs, size> matrix = {};
    for (std::size_t row = 0; row < outputs; ++row) {
        for (std::size_t column = 0; column + 1 < size; ++column) {
            matrix[row][column] = cook_toom::power(cook_toom::points[column], row);
        }
    }
    matrix[outputs - 1][size - 1] = 1;
    return matrix;
}

// The matrices as types.
template <std::size_t size>
struct InputMatrix {
    static constexpr std::size_t rows = size, columns = size;
    static constexpr Matrix<rows, columns> value = input_matrix<size>();
};
template <std::size_t size, std::size_t taps>
struct FilterMatrix {
    static constexpr std::size_t rows = size, columns = taps;
    static constexpr Matrix<rows, columns> value = filter_matrix<size, taps>();
};
template <std::size_t outputs, std::size_t size>
struct OutputMatrix {
    static constexpr std::size_t rows = outputs, columns = size;
    static constexpr Matrix<rows, columns> value = output_matrix<outputs, size>();
};

}  // namespace strata::cpu::winograd
