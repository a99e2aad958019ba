// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/blocks.h"
#include "networks/zoo/resnet.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t board = 19;
constexpr std::int64_t planes = 17;
constexpr std::int64_t tower_width = 256;
constexpr int tower_blocks = 19;

}  // namespace

Graph minigo(std::int64_t batch) {
    Chain chain("minigo", {{batch, planes, board, board}});
    add_normalized(chain, "conv1", {tower_width, 3, 1, 1}).relu("relu1");
    for (int i = 0; i < tower_blocks; ++i) {
        add_residual(chain, {.prefix = fmt::format("block{}.", i + 1),
                             .block = ResidualBlock::basic,
                             .outer = tower_width});
    }
    const TensorId tower = chain.last();
    add_normalized(chain, "value.conv", {1}).relu("value.relu1");
    chain.add("value.fc1", FullyConnected{tower_width}).relu("value.relu2");
    chain.add("value.fc2", FullyConnected{1}).add("value", Activation{ActivationKind::tanh});
    add_normalized(chain.resume(tower), "policy.conv", {2}).relu("policy.relu");
    return chain.add("policy.fc", FullyConnected{board * board + 1}).with_loss();
}

}  // namespace strata
