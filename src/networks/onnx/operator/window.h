// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/attributes.h"

namespace strata {

// The window attributes that Conv and the pools share, expanded to one value per spatial axis.
struct OnnxWindow {
    Dims kernel;
    Dims stride;
    Dims dilation;
    Dims pad_begin;
    Dims pad_end;
};

// `kernel` is the weight's kernel shape; a kernel_shape that contradicts it is an Error. auto_pad
// is resolved from the extents of input 0: SAME gives ceil(extent / stride) positions, with an odd
// pad at the end (UPPER) or the beginning (LOWER).
OnnxWindow window_of(const NodeImport& node, const Dims& kernel);

// One of our operators with such a window.
template <class T>
T with_window(T op, const OnnxWindow& window) {
    op.kernel = window.kernel;
    op.stride = window.stride;
    op.dilation = window.dilation;
    op.pad_begin = window.pad_begin;
    op.pad_end = window.pad_end;
    return op;
}

// A list with all its values; if it is empty, all are `absent`.
inline Dims spelt_out(const Dims& list, std::size_t count, std::int64_t absent) {
    return list.empty() ? Dims(count, absent) : list;
}

// The window of one of our operators as attributes.
template <class T>
LayerWriter::Attributes window_attributes(const T& op) {
    const std::size_t axes = op.kernel.size();
    Dims pads = spelt_out(op.pad_begin, axes, 0);
    const Dims behind = spelt_out(op.pad_end, axes, 0);
    pads.insert(pads.end(), behind.begin(), behind.end());
    return {{"kernel_shape", op.kernel},
            {"strides", spelt_out(op.stride, axes, 1)},
            {"dilations", spelt_out(op.dilation, axes, 1)},
            {"pads", pads}};
}

}  // namespace strata
