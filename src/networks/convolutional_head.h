// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <string_view>

namespace strata {

// What follows a network's name to ask for it: "alexnet@convolutional".
inline constexpr std::string_view convolutional_suffix = "@convolutional";

// The network with its fully connected layers on images as 1x1 convolutions at every pixel and an
// average over the pixels before the loss, as Lin et al. (2014, network in network) end one:
// another network, with a fraction of the parameters that ranks would have to exchange (Kim et al.
// 2017 name it as a remedy). From the first fully connected layer that reads an image to the last
// that follows it through activations and dropout alone. The new weights are drawn. Throws Error if
// there is no such layer, or others read what lies between.
Graph with_convolutional_head(Graph graph);

}  // namespace strata
