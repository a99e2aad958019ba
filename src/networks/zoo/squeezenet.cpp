// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// How the versions differ: the first convolution, and the fire modules that a pooling follows.
struct Variant {
    std::string_view name;
    std::int64_t conv1_channels;
    std::int64_t conv1_kernel;
    std::array<int, 3> pooled;  // 1 is the first convolution
};

Variant variant_of(SqueezeNet version) {
    return version == SqueezeNet::version_1_0 ? Variant{"squeezenet-1.0", 96, 7, {1, 4, 8}}
                                              : Variant{"squeezenet", 64, 3, {1, 3, 5}};
}

void add_pooling(Chain& chain, const Variant& variant, int after) {
    if (std::ranges::find(variant.pooled, after) != variant.pooled.end()) {
        chain.add(fmt::format("pool{}", after),
                  max_pooling({.kernel = 3, .stride = 2, .ceil_mode = true}));
    }
}

// A 1x1 convolution squeezes; a 1x1 and a 3x3 expand to four times as many channels each.
void add_fire(Chain& chain, int index, std::int64_t squeezed) {
    const std::string fire = fmt::format("fire{}/", index);
    const auto add = [&](const std::string& name, const SquareConvolution& window) {
        chain.add(fire + name, convolution(window)).relu(fire + "relu_" + name);
        return chain.last();
    };
    const TensorId from = add("squeeze1x1", {squeezed});
    const TensorId direct = add("expand1x1", {4 * squeezed});
    chain.resume(from);
    const TensorId wide = add("expand3x3", {4 * squeezed, 3, 1, 1});
    chain.join(fire + "concat", Concat{}, {direct, wide});
}

}  // namespace

Graph build(SqueezeNet version, std::int64_t batch) {
    constexpr std::array<std::int64_t, 8> squeezed = {16, 16, 32, 32, 48, 48, 64, 64};
    const Variant variant = variant_of(version);
    Chain chain(variant.name, batch, 224);
    chain.add("conv1", convolution({variant.conv1_channels, variant.conv1_kernel, 2}));
    chain.relu("relu_conv1");
    add_pooling(chain, variant, 1);
    for (int index = 2; index <= 9; ++index) {
        add_fire(chain, index, squeezed[static_cast<std::size_t>(index - 2)]);
        add_pooling(chain, variant, index);
    }
    chain.dropout("drop9").add("conv10", convolution({1000})).relu("relu_conv10");
    chain.add("pool10", global_average_pooling());
    return chain.add("flatten", Reshape{{0, -1}}).with_loss();
}

}  // namespace strata
