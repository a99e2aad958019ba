// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Building blocks of networks published since 2015.

inline BatchNormalization normalization(double epsilon, double momentum = 0.9) {
    return {.epsilon = epsilon, .momentum = momentum};
}

// A convolution without bias and its batch normalisation: "name" and "name.bn".
Chain& add_normalized_convolution(Chain& chain, const std::string& name, Convolution window,
                                  const BatchNormalization& norm = {});

// The same with a square window.
Chain& add_normalized(Chain& chain, const std::string& name, const SquareConvolution& window,
                      const BatchNormalization& norm = {});

// A square convolution of each channel separately that keeps or halves the plane.
SquareConvolution depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride);

// Squeeze and excitation (Hu et al. 2017): channels are scaled by the result of two 1x1
// convolutions on their means; the first gives `squeezed` channels.
struct Excitation {
    std::int64_t squeezed = 0;
    Activation inner = {};
    Activation gate = {};
};

Chain& add_excitation(Chain& chain, const std::string& name, const Excitation& excitation);

// An inverted residual (Sandler et al. 2018): 1x1 to `expanded` channels if these differ from the
// input's, depthwise convolution, optional excitation, 1x1 to `channels`; the block's input is
// added if the shapes agree.
struct InvertedResidual {
    std::string prefix;
    std::int64_t kernel = 3;
    std::int64_t expanded = 0;
    std::int64_t channels = 0;
    std::int64_t stride = 1;
    Activation activation = {};
    std::string_view activation_name = ".act";  // appended to the name of the layer before it
    Excitation excitation = {};
    BatchNormalization norm = {};
};

void add_inverted_residual(Chain& chain, const InvertedResidual& block);

}  // namespace strata
