// SPDX-License-Identifier: MIT
#include "networks/zoo/blocks.h"

namespace strata {

Chain& add_normalized_convolution(Chain& chain, const std::string& name, Convolution window,
                                  const BatchNormalization& norm) {
    window.bias = false;
    return chain.add(name, window).add(name + ".bn", norm);
}

Chain& add_normalized(Chain& chain, const std::string& name, const SquareConvolution& window,
                      const BatchNormalization& norm) {
    return add_normalized_convolution(chain, name, convolution(window), norm);
}

SquareConvolution depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride) {
    return {channels, kernel, stride, kernel / 2, channels};
}

Chain& add_excitation(Chain& chain, const std::string& name, const Excitation& excitation) {
    const TensorId from = chain.last();
    const std::int64_t channels = chain.channels();
    chain.add(name + ".mean", global_average_pooling());
    chain.add(name + ".squeeze", convolution({excitation.squeezed}));
    chain.add(name + ".inner", excitation.inner);
    chain.add(name + ".excite", convolution({channels}));
    chain.add(name + ".gate", excitation.gate);
    return chain.join(name + ".scale", Elementwise{ElementwiseKind::multiply},
                      {from, chain.last()});
}

void add_inverted_residual(Chain& chain, const InvertedResidual& block) {
    const TensorId from = chain.last();
    const std::int64_t channels = chain.channels();
    const auto activate = [&](const std::string& name) {
        chain.add(block.prefix + name + std::string(block.activation_name), block.activation);
    };
    if (block.expanded != channels) {
        add_normalized(chain, block.prefix + "expand", {block.expanded}, block.norm);
        activate("expand");
    }
    add_normalized(chain, block.prefix + "depthwise",
                   depthwise(block.expanded, block.kernel, block.stride), block.norm);
    activate("depthwise");
    if (block.excitation.squeezed > 0) {
        add_excitation(chain, block.prefix + "se", block.excitation);
    }
    add_normalized(chain, block.prefix + "project", {block.channels}, block.norm);
    if (block.stride == 1 && block.channels == channels) {
        chain.join(block.prefix + "add", Elementwise{}, {chain.last(), from});
    }
}

}  // namespace strata
