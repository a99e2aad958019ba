// SPDX-License-Identifier: MIT
#include "op/window.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// The operator's name and spatial extents, for the messages.
struct WindowSubject {
    std::string_view type;
    std::span<const std::int64_t> spatial;
};

Dims filled(const WindowSubject& subject, std::string_view attribute, const Dims& values,
            std::int64_t absent, std::int64_t minimum) {
    if (values.empty()) {
        return Dims(subject.spatial.size(), absent);
    }
    if (values.size() != subject.spatial.size()) {
        refuse(subject.type,
               fmt::format("{} {} has {} axes, but the input {} has {}", attribute, to_text(values),
                           values.size(), to_text(subject.spatial), subject.spatial.size()));
    }
    for (const std::int64_t value : values) {
        if (value < minimum || value > max_attribute) {
            refuse(subject.type,
                   fmt::format("{} {} is out of range; each must lie between {} and {}", attribute,
                               to_text(values), minimum, max_attribute));
        }
    }
    return values;
}

template <class Op>
Window fill(const Op& op, const WindowSubject& subject) {
    if (op.kernel.empty()) {
        refuse(subject.type, "it has no kernel; give it one extent per spatial axis");
    }
    return {.kernel = filled(subject, "kernel", op.kernel, 1, 1),
            .stride = filled(subject, "stride", op.stride, 1, 1),
            .dilation = filled(subject, "dilation", op.dilation, 1, 1),
            .pad_begin = filled(subject, "pad_begin", op.pad_begin, 0, 0),
            .pad_end = filled(subject, "pad_end", op.pad_end, 0, 0)};
}

std::span<const std::int64_t> spatial_of(std::string_view type, const Tensor& input) {
    require_rank(type, input, 3);
    return std::span(input.dims).subspan(2);
}

std::int64_t dilated_kernel(const Window& window, std::size_t axis) {
    return window.dilation[axis] * (window.kernel[axis] - 1) + 1;
}

}  // namespace

Window window_of(const Convolution& convolution, const Tensor& input) {
    return fill(convolution, {Convolution::type, spatial_of(Convolution::type, input)});
}

Window window_of(const TransposedConvolution& convolution, const Tensor& input) {
    return fill(convolution,
                {TransposedConvolution::type, spatial_of(TransposedConvolution::type, input)});
}

Window window_of(const Pooling& pooling, const Tensor& input) {
    const auto spatial = spatial_of(Pooling::type, input);
    if (pooling.global) {
        const Dims ones(spatial.size(), 1), zeros(spatial.size(), 0);
        return {Dims(spatial.begin(), spatial.end()), ones, ones, zeros, zeros};
    }
    Window window = fill(pooling, {Pooling::type, spatial});
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
        // A window entirely in the padding has no maximum.
        if (std::max(window.pad_begin[axis], window.pad_end[axis]) >=
            dilated_kernel(window, axis)) {
            refuse(Pooling::type,
                   fmt::format(
                       "padding {} and {} leave windows without input; make it smaller than "
                       "the kernel {}",
                       to_text(window.pad_begin), to_text(window.pad_end), to_text(window.kernel)));
        }
    }
    return window;
}

Dims positions(std::string_view type, const Window& window, std::span<const std::int64_t> spatial,
               WindowRounding rounding) {
    Dims counts;
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
        const std::int64_t leading = spatial[axis] + window.pad_begin[axis];
        const std::int64_t room = leading + window.pad_end[axis] - dilated_kernel(window, axis);
        if (room < 0) {
            refuse(type,
                   fmt::format("kernel {} with dilation {} does not fit input {} with padding "
                               "{} and {}; enlarge the input or the padding",
                               to_text(window.kernel), to_text(window.dilation), to_text(spatial),
                               to_text(window.pad_begin), to_text(window.pad_end)));
        }
        const std::int64_t stride = window.stride[axis];
        std::int64_t steps = room / stride;
        if (rounding == WindowRounding::ceil && room % stride != 0 &&
            (steps + 1) * stride < leading) {
            ++steps;
        }
        counts.push_back(steps + 1);
    }
    return counts;
}

}  // namespace strata
