// SPDX-License-Identifier: MIT
#include "networks/zoo/vgg.h"

#include <fmt/format.h>

namespace strata {

Graph build(const Vgg& variant, std::int64_t batch) {
    constexpr std::array<std::int64_t, 5> channels = {64, 128, 256, 512, 512};
    Chain chain(variant.name, batch, 224);
    for (std::size_t block = 0; block < channels.size(); ++block) {
        for (int i = 1; i <= variant.depths[block]; ++i) {
            const auto place = fmt::format("{}_{}", block + 1, i);
            chain.add("conv" + place, convolution({channels[block], 3, 1, 1}));
            chain.relu("relu" + place);
        }
        chain.add(fmt::format("pool{}", block + 1), max_pooling({.kernel = 2, .stride = 2}));
    }
    return with_classifier(std::move(chain), variant.classifier);
}

}  // namespace strata
