// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

namespace strata::testing {

// Two equal convolutions, a different one, and a layer that is not a convolution.
inline Graph network_of_convolutions() {
    const Convolution op = {
        .out_channels = 3, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    GraphBuilder builder("network");
    TensorId x = builder.input("x", {{1, 3, 5, 5}});
    x = builder.add("first", op, {x});
    x = builder.add("act", Activation{}, {x});
    x = builder.add("again", op, {x});
    builder.add("other", Convolution{.out_channels = 2, .kernel = {1, 1}}, {x});
    return builder.finish();
}

}  // namespace strata::testing
