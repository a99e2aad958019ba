// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/alexnet.h"

namespace strata {

// Szegedy et al. 2014, Inception v1, with the names and the ceil-mode pooling of Caffe's
// bvlc_googlenet but without its two auxiliary classifiers. 6,998,552 parameters.
struct GoogLeNet {
    std::string_view name = "googlenet";
    ResponseNormalization normalization = ResponseNormalization::across_channels;
};

Graph build(const GoogLeNet& variant, std::int64_t batch);

}  // namespace strata
