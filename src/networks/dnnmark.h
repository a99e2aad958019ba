// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// Values that a DNNMark file leaves to its user.
struct DnnMarkOptions {
    std::optional<std::int64_t> batch;             // replaces n
    std::map<std::string, std::string> variables;  // values of a template's $NAMES, without the $
};

// Reads a .dnnmark or .dnntemplate file of DNNMark (Dong and Kaeli 2017) unchanged, with DNNMark's
// own defaults. Pooling rounds up, as in Caffe. Convolutions and fully connected layers have no
// bias, as in DNNMark. Settings that a graph cannot express are ignored: algorithms, workspace
// preferences, conv_mode=convolution (a flipped kernel is the same work), save_intermediates, and
// propagation (a data gradient is computed wherever one is needed; for the first layer only on
// request). DNNMark has no key for the ceiling of clipped_relu, so it is 6. softmax_mode=instance
// over a plane becomes a reshape and a softmax. Transposed convolutions and within-channel LRN
// become opaque. Variables have the defaults of DNNMark's script: N 64, C 3, H 32, W 32, K 128, S
// 3, U 1, P 1. Throws Error, one sentence with file, line and fix; `origin` is the file's name.
Graph parse_dnnmark(std::string_view text, std::string_view origin,
                    const DnnMarkOptions& options = {});

}  // namespace strata
