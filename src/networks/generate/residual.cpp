// SPDX-License-Identifier: MIT
#include "networks/zoo/residual.h"
#include "networks/generate/families.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// TensorFlow's "SAME" padding for a window of 3 at stride 2; an odd pad goes to the end.
Pooling same_pooling(std::int64_t extent) {
    Pooling pooling = max_pooling({.kernel = 3, .stride = 2});
    const std::int64_t needed = extent % 2 == 0 ? 1 : 2;
    pooling.pad_begin = Dims(2, needed / 2);
    pooling.pad_end = Dims(2, needed - needed / 2);
    return pooling;
}

void add_group(Chain& chain, const Generator& generator, std::int64_t group) {
    const std::int64_t width = value_of(generator, "filters") << group;
    const bool bottleneck = generator.family == "bottleneck";
    for (std::int64_t i = 0; i < value_of(generator, "blocks"); ++i) {
        add_residual(chain, {.prefix = fmt::format("group{}.{}.", group + 1, i),
                             .block = bottleneck ? ResidualBlock::bottleneck : ResidualBlock::basic,
                             .inner = width,
                             .outer = bottleneck ? 4 * width : width,
                             .stride = i == 0 && group > 0 ? 2 : 1,
                             .projection = i == 0 ? Projection::always : Projection::where_needed});
    }
}

}  // namespace

void generate_residual(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    Chain chain(sink, batch, value_of(generator, "image"));
    chain.add("conv1", convolution({value_of(generator, "filters"), 7, 2, 3, 1, false}));
    chain.add("bn1", BatchNormalization{}).relu("relu1");
    chain.add("maxpool", same_pooling(chain.dims().at(2)));
    for (std::int64_t group = 0; group < 4; ++group) {
        add_group(chain, generator, group);
    }
    chain.add("avgpool", average_pooling({.kernel = std::min<std::int64_t>(7, chain.dims()[2])}));
    chain.add("fc", FullyConnected{value_of(generator, "outputs")}).end_with_loss();
}

}  // namespace strata
