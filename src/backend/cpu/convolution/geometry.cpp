// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/geometry.h"

#include "backend/lower/program.h"

#include <fmt/format.h>

namespace strata::cpu {

namespace {

// One of the last two extents, counted from the end; `missing` if there is only one.
std::int64_t of_axis(const Dims& extents, std::size_t from_last, std::int64_t missing) {
    return from_last < extents.size() ? extents[extents.size() - 1 - from_last] : missing;
}

std::size_t spatial(const Dims& dims, std::size_t from_last) {
    const Dims extents(dims.begin() + 2, dims.end());
    return static_cast<std::size_t>(of_axis(extents, from_last, 1));
}

}  // namespace

double Geometry::multiply_adds() const {
    return static_cast<double>(images * points()) * static_cast<double>(filter_elements());
}

Geometry geometry_of(const ConvolutionProblem& problem) {
    const Window& window = problem.window;
    if (window.kernel.size() > 2) {
        throw Refusal{
            fmt::format("{} spatial axes: only 1 and 2 are supported", window.kernel.size())};
    }
    if (problem.pass == Pass::update) {
        throw Refusal{"an update is not a pass of a convolution"};
    }
    const auto groups = static_cast<std::size_t>(problem.groups);
    return {
        .images = static_cast<std::size_t>(problem.x[0]),
        .groups = groups,
        .inputs = static_cast<std::size_t>(problem.x[1]) / groups,
        .outputs = static_cast<std::size_t>(problem.y[1]) / groups,
        .height = spatial(problem.x, 1),
        .width = spatial(problem.x, 0),
        .kernel_height = spatial(problem.weight, 1),
        .kernel_width = spatial(problem.weight, 0),
        .out_height = spatial(problem.y, 1),
        .out_width = spatial(problem.y, 0),
        .stride_height = of_axis(window.stride, 1, 1),
        .stride_width = of_axis(window.stride, 0, 1),
        .dilation_height = of_axis(window.dilation, 1, 1),
        .dilation_width = of_axis(window.dilation, 0, 1),
        .pad_top = of_axis(window.pad_begin, 1, 0),
        .pad_left = of_axis(window.pad_begin, 0, 0),
    };
}

void require_unit_steps(const Geometry& geometry, std::string_view method) {
    if (geometry.stride_height != 1 || geometry.stride_width != 1) {
        throw Refusal{fmt::format("stride {}x{}: {} needs stride 1", geometry.stride_height,
                                  geometry.stride_width, method)};
    }
    if (geometry.dilation_height != 1 || geometry.dilation_width != 1) {
        throw Refusal{fmt::format("dilation {}x{}: {} needs dilation 1", geometry.dilation_height,
                                  geometry.dilation_width, method)};
    }
}

}  // namespace strata::cpu
