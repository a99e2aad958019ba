// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/chain.h"

#include <fmt/format.h>

#include <vector>

namespace strata {

namespace {

constexpr std::int64_t first_channels = 64;
constexpr std::int64_t halvings = 4;
constexpr std::int64_t pixel_classes = 2;

void add_pair(Chain& chain, const std::string& name, std::int64_t channels) {
    for (int i = 1; i <= 2; ++i) {
        chain.add(fmt::format("{}.conv{}", name, i), convolution({channels, 3}));
        chain.relu(fmt::format("{}.relu{}", name, i));
    }
}

// The middle of a plane, with the extents of the plane it is joined with.
Pad crop(const Dims& from, const Dims& to) {
    Pad pad{.begin = {0, 0}, .end = {0, 0}};
    for (std::size_t axis = 2; axis < from.size(); ++axis) {
        const std::int64_t excess = from[axis] - to[axis];
        pad.begin.push_back(-(excess / 2));
        pad.end.push_back(-(excess - excess / 2));
    }
    return pad;
}

void add_up(Chain& chain, const std::string& name, std::int64_t channels, TensorId passed) {
    chain.add(name + ".up",
              TransposedConvolution{.out_channels = channels, .kernel = {2, 2}, .stride = {2, 2}});
    const TensorId raised = chain.last();
    const Dims dims = chain.dims();
    const Dims larger = chain.resume(passed).dims();
    chain.add(name + ".crop", crop(larger, dims));
    chain.join(name + ".concat", Concat{}, {chain.last(), raised});
    add_pair(chain, name, channels);
}

}  // namespace

Graph unet(std::int64_t batch) {
    Chain chain("unet", {{batch, 1, 572, 572}});
    std::vector<TensorId> passed;
    for (std::int64_t level = 0; level < halvings; ++level) {
        add_pair(chain, fmt::format("down{}", level + 1), first_channels << level);
        passed.push_back(chain.last());
        chain.add(fmt::format("pool{}", level + 1), max_pooling({.kernel = 2, .stride = 2}));
    }
    add_pair(chain, "bottom", first_channels << halvings);
    for (std::int64_t level = halvings; level-- > 0;) {
        add_up(chain, fmt::format("up{}", level + 1), first_channels << level,
               passed[static_cast<std::size_t>(level)]);
    }
    chain.add("scores", convolution({pixel_classes})).add("pixels", Transpose{{0, 2, 3, 1}});
    return chain.add("flat", Reshape{{-1, pixel_classes}}).with_loss();
}

}  // namespace strata
