// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

#include <cstddef>

namespace strata::cpu {

// The extents of a convolution of planes by name. A convolution along one axis has planes of one
// row.
struct Geometry {
    std::size_t images = 0;
    std::size_t groups = 0;
    std::size_t inputs = 0;   // channels of a group
    std::size_t outputs = 0;  // of a group
    std::size_t height = 0;
    std::size_t width = 0;
    std::size_t kernel_height = 0;
    std::size_t kernel_width = 0;
    std::size_t out_height = 0;
    std::size_t out_width = 0;
    std::ptrdiff_t stride_height = 1;
    std::ptrdiff_t stride_width = 1;
    std::ptrdiff_t dilation_height = 1;
    std::ptrdiff_t dilation_width = 1;
    std::ptrdiff_t pad_top = 0;
    std::ptrdiff_t pad_left = 0;

    std::size_t taps() const { return kernel_height * kernel_width; }
    std::size_t depth() const { return inputs * taps(); }
    std::size_t points() const { return out_height * out_width; }  // of an output plane
    std::size_t plane() const { return height * width; }
    std::size_t filter_elements() const { return groups * outputs * depth(); }
    // Multiply-adds of a pass by its definition, including those on padding.
    double multiply_adds() const;
};

// Throws Refusal for more than two axes and for a pass that a convolution does not have.
Geometry geometry_of(const ConvolutionProblem& problem);

// Throws Refusal, naming the method, unless stride and dilation are 1.
void require_unit_steps(const Geometry& geometry, std::string_view method);

}  // namespace strata::cpu
