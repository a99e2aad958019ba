// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"
#include "networks/zoo/chain.h"
#include "networks/zoo/resnet.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

namespace strata {

namespace {

constexpr std::int64_t classes = 81;

// A pair of convolutions that makes the next smaller plane: the channels of the 1x1 and of the 3x3.
// The 3x3 has either stride 2 and a pad of 1, or neither.
struct Extra {
    std::int64_t inner;
    std::int64_t channels;
    std::int64_t stride;
};

constexpr std::array<Extra, 5> extras = {
    {{256, 512, 2}, {256, 512, 2}, {128, 256, 2}, {128, 256, 1}, {128, 256, 1}}};

// Boxes at each position of each plane.
constexpr std::array<std::int64_t, 6> boxes = {4, 6, 6, 6, 4, 4};

void add_extra(Chain& chain, const std::string& name, const Extra& extra) {
    chain.add(name + "conv1", convolution({extra.inner})).relu(name + "relu1");
    const std::int64_t pad = extra.stride == 2 ? 1 : 0;
    chain.add(name + "conv2", convolution({extra.channels, 3, extra.stride, pad}));
    chain.relu(name + "relu2");
}

// One kind of prediction for a plane: [N, values, boxes].
TensorId add_head(Chain& chain, const std::string& name, TensorId plane, std::int64_t values,
                  std::int64_t each) {
    chain.resume(plane).add(name, convolution({values * each, 3, 1, 1}));
    return chain.add(name + ".boxes", Reshape{{0, values, -1}}).last();
}

std::vector<TensorId> add_planes(Chain& chain) {
    add_resnet_stem(chain);
    for (std::size_t stage = 0; stage < 3; ++stage) {
        add_resnet_stage(chain, resnet_34, stage, stage == 1 ? 2 : 1);
    }
    std::vector<TensorId> planes = {chain.last()};
    for (std::size_t i = 0; i < extras.size(); ++i) {
        add_extra(chain, fmt::format("extra{}.", i + 1), extras[i]);
        planes.push_back(chain.last());
    }
    return planes;
}

}  // namespace

Graph ssd_resnet_34(std::int64_t batch) {
    Chain chain("ssd-resnet-34", batch, 300);
    const auto planes = add_planes(chain);
    std::vector<TensorId> places, scores;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        places.push_back(add_head(chain, fmt::format("place{}", i + 1), planes[i], 4, boxes[i]));
        scores.push_back(
            add_head(chain, fmt::format("class{}", i + 1), planes[i], classes, boxes[i]));
    }
    chain.join("places", Concat{.axis = 2}, places);
    chain.join("classes", Concat{.axis = 2}, scores).add("by_box", Transpose{{0, 2, 1}});
    return chain.add("flat", Reshape{{-1, classes}}).with_loss();
}

namespace {

constexpr std::int64_t pyramid_channels = 256;

// Nearest-neighbour upsampling to the extents of a larger plane, rounding like PyTorch's
// interpolate.
Resize raised_to(const Dims& larger) {
    return {.sizes = {larger[2], larger[3]},
            .coordinates = Coordinates::asymmetric,
            .rounding = NearestRounding::down};
}

// A stage's plane with the pyramid's channels, plus the coarser plane.
TensorId add_lateral(Chain& chain, std::size_t level, TensorId stage,
                     std::optional<TensorId> coarser) {
    const std::string name = fmt::format("fpn.inner{}", level);
    const TensorId own = chain.resume(stage).add(name, convolution({pyramid_channels})).last();
    if (!coarser) {
        return own;
    }
    const Dims dims = chain.dims();
    chain.resume(*coarser).add(name + ".up", raised_to(dims));
    return chain.join(name + ".add", Elementwise{}, {own, chain.last()}).last();
}

}  // namespace

Graph mask_rcnn_backbone(std::int64_t batch) {
    Chain chain("mask-rcnn-backbone", {{batch, 3, 800, 1344}});
    add_resnet_stem(chain);
    std::vector<TensorId> stages;
    for (std::size_t stage = 0; stage < resnet_50.depths.size(); ++stage) {
        add_resnet_stage(chain, resnet_50, stage, stage == 0 ? 1 : 2);
        stages.push_back(chain.last());
    }
    std::optional<TensorId> sum;
    for (std::size_t level = stages.size(); level-- > 0;) {
        sum = add_lateral(chain, level + 1, stages[level], sum);
        chain.resume(*sum).add(fmt::format("fpn.layer{}", level + 1),
                               convolution({pyramid_channels, 3, 1, 1}));
        if (level + 1 == stages.size()) {
            chain.add("fpn.pool", max_pooling({.kernel = 1, .stride = 2}));
        }
    }
    return chain.finish();
}

}  // namespace strata
