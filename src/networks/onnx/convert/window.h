// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"

namespace strata {

// The window attributes common to Conv and the pools, expanded to one value per spatial axis.
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

}  // namespace strata
