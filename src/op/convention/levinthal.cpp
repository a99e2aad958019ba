// SPDX-License-Identifier: MIT
#include "op/convention/levinthal.h"

#include "op/convention/convolution_extents.h"
#include "op/operations.h"

namespace strata {

namespace {

double convolution_table(const ConvolutionExtents& convolution) {
    const double sums = convolution.outputs() * convolution.channels;
    return (2 * convolution.taps + 1) * sums +
           convolution.images * convolution.groups * convolution.channels * convolution.positions;
}

double pooling_table(const Pooling& pooling, const Signature& signature) {
    double window = 1;
    for (const std::int64_t extent : window_of(pooling, signature.inputs[0].tensor).kernel) {
        window *= static_cast<double>(extent);
    }
    return window * count_of(signature.outputs[0]);
}

}  // namespace

bool levinthal_resnet(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto convolution = convolution_extents(op, signature);
    if (pass != Pass::forward || !convolution) {
        return false;
    }
    flops = Flops{(2 * convolution->taps + 1) * convolution->outputs() * convolution->channels};
    return true;
}

bool levinthal_table(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    if (pass != Pass::forward) {
        return false;
    }
    if (const auto convolution = convolution_extents(op, signature)) {
        flops = Flops{convolution_table(*convolution)};
        return true;
    }
    if (const auto* pooling = std::get_if<Pooling>(&op)) {
        flops = Flops{pooling_table(*pooling, signature)};
        return true;
    }
    return false;
}

}  // namespace strata
