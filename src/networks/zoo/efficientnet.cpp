// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/blocks.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

// A row of Table 1 of the paper: expansion factor, kernel, stride of the first, channels, repeats.
struct StageRow {
    std::int64_t expansion;
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t channels;
    int repeats;
};

constexpr std::array<StageRow, 7> rows = {{{1, 3, 1, 16, 1},
                                           {6, 3, 2, 24, 2},
                                           {6, 5, 2, 40, 2},
                                           {6, 3, 2, 80, 3},
                                           {6, 5, 1, 112, 3},
                                           {6, 5, 2, 192, 4},
                                           {6, 3, 1, 320, 1}}};

constexpr Activation silu = {.kind = ActivationKind::silu};

// The excitation squeezes to a quarter of the block's input channels, not of the expanded ones.
void add_block(Chain& chain, const std::string& prefix, const StageRow& row) {
    const std::int64_t channels = chain.channels();
    add_inverted_residual(chain, {.prefix = prefix,
                                  .kernel = row.kernel,
                                  .expanded = row.expansion * channels,
                                  .channels = row.channels,
                                  .stride = row.stride,
                                  .activation = silu,
                                  .excitation = {channels / 4, silu, {ActivationKind::sigmoid}}});
}

}  // namespace

Graph efficientnet_b0(std::int64_t batch) {
    Chain chain("efficientnet-b0", batch, 224);
    add_normalized(chain, "conv1", {32, 3, 2, 1}).add("conv1.act", silu);
    int index = 0;
    for (StageRow row : rows) {
        for (int i = 0; i < row.repeats; ++i, row.stride = 1) {
            add_block(chain, fmt::format("block{}.", ++index), row);
        }
    }
    add_normalized(chain, "conv_last", {1280}).add("conv_last.act", silu);
    chain.add("avgpool", global_average_pooling()).dropout("dropout", 0.2);
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
