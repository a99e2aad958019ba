// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"
#include "networks/zoo/blocks.h"
#include "networks/zoo/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace strata {

namespace {

Activation relu6() {
    return {.kind = ActivationKind::clip, .alpha = 0, .beta = 6};
}

// Depthwise 3x3 and pointwise 1x1, each with batch normalisation and ReLU.
struct Separable {
    std::int64_t channels;
    std::int64_t stride;
};

constexpr std::array<Separable, 13> separables = {{{64, 1},
                                                   {128, 2},
                                                   {128, 1},
                                                   {256, 2},
                                                   {256, 1},
                                                   {512, 2},
                                                   {512, 1},
                                                   {512, 1},
                                                   {512, 1},
                                                   {512, 1},
                                                   {512, 1},
                                                   {1024, 2},
                                                   {1024, 1}}};

void add_separable(Chain& chain, const std::string& block, const Separable& size) {
    add_normalized(chain, block + "depthwise", depthwise(chain.channels(), 3, size.stride));
    chain.relu(block + "depthwise.relu");
    add_normalized(chain, block + "pointwise", {size.channels});
    chain.relu(block + "pointwise.relu");
}

// A row of Table 2 of the paper: expansion factor, channels, repeats, stride of the first.
struct Inverted {
    std::int64_t expansion;
    std::int64_t channels;
    int repeats;
    std::int64_t stride;
};

constexpr std::array<Inverted, 7> inverteds = {{{1, 16, 1, 1},
                                                {6, 24, 2, 2},
                                                {6, 32, 3, 2},
                                                {6, 64, 4, 2},
                                                {6, 96, 3, 1},
                                                {6, 160, 3, 2},
                                                {6, 320, 1, 1}}};

void add_inverted(Chain& chain, const std::string& prefix, const Inverted& size) {
    add_inverted_residual(chain, {.prefix = prefix,
                                  .expanded = size.expansion * chain.channels(),
                                  .channels = size.channels,
                                  .stride = size.stride,
                                  .activation = relu6(),
                                  .activation_name = ".relu"});
}

}  // namespace

Graph mobilenet_v1(std::int64_t batch) {
    Chain chain("mobilenet-v1", batch, 224);
    add_normalized(chain, "conv1", {32, 3, 2, 1}).relu("conv1.relu");
    for (std::size_t i = 0; i < separables.size(); ++i) {
        add_separable(chain, fmt::format("block{}.", i + 1), separables[i]);
    }
    chain.add("avgpool", global_average_pooling());
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

Graph mobilenet_v2(std::int64_t batch) {
    Chain chain("mobilenet-v2", batch, 224);
    add_normalized(chain, "conv1", {32, 3, 2, 1}).add("conv1.relu", relu6());
    int index = 0;
    for (Inverted row : inverteds) {
        for (int i = 0; i < row.repeats; ++i, row.stride = 1) {
            add_inverted(chain, fmt::format("block{}.", ++index), row);
        }
    }
    add_normalized(chain, "conv_last", {1280}).add("conv_last.relu", relu6());
    chain.add("avgpool", global_average_pooling()).dropout("dropout", 0.2);
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

namespace {

enum class Nonlinearity { relu, hard_swish };
enum class Squeezing { no, yes };
constexpr auto RE = Nonlinearity::relu;
constexpr auto HS = Nonlinearity::hard_swish;
constexpr auto plain = Squeezing::no;
constexpr auto excited = Squeezing::yes;

// A row of Tables 1 and 2 of the paper.
struct BottleneckRow {
    std::int64_t kernel;
    std::int64_t expanded;
    std::int64_t channels;
    Squeezing squeezing;
    Nonlinearity nonlinearity;
    std::int64_t stride;
};

constexpr std::array<BottleneckRow, 15> large = {{{3, 16, 16, plain, RE, 1},
                                                  {3, 64, 24, plain, RE, 2},
                                                  {3, 72, 24, plain, RE, 1},
                                                  {5, 72, 40, excited, RE, 2},
                                                  {5, 120, 40, excited, RE, 1},
                                                  {5, 120, 40, excited, RE, 1},
                                                  {3, 240, 80, plain, HS, 2},
                                                  {3, 200, 80, plain, HS, 1},
                                                  {3, 184, 80, plain, HS, 1},
                                                  {3, 184, 80, plain, HS, 1},
                                                  {3, 480, 112, excited, HS, 1},
                                                  {3, 672, 112, excited, HS, 1},
                                                  {5, 672, 160, excited, HS, 2},
                                                  {5, 960, 160, excited, HS, 1},
                                                  {5, 960, 160, excited, HS, 1}}};

constexpr std::array<BottleneckRow, 11> small = {{{3, 16, 16, excited, RE, 2},
                                                  {3, 72, 24, plain, RE, 2},
                                                  {3, 88, 24, plain, RE, 1},
                                                  {5, 96, 40, excited, HS, 2},
                                                  {5, 240, 40, excited, HS, 1},
                                                  {5, 240, 40, excited, HS, 1},
                                                  {5, 120, 48, excited, HS, 1},
                                                  {5, 144, 48, excited, HS, 1},
                                                  {5, 288, 96, excited, HS, 2},
                                                  {5, 576, 96, excited, HS, 1},
                                                  {5, 576, 96, excited, HS, 1}}};

constexpr Activation hard_swish = {.kind = ActivationKind::hard_swish};
constexpr Activation hard_sigmoid = {
    .kind = ActivationKind::hard_sigmoid, .alpha = 1.0 / 6, .beta = 0.5};
const BatchNormalization batch_norm = normalization(1e-3, 0.99);

// The nearest multiple of 8, but not less than nine tenths of the number.
std::int64_t rounded_to_8(std::int64_t channels) {
    const std::int64_t nearest = std::max<std::int64_t>(8, (channels + 4) / 8 * 8);
    return 10 * nearest < 9 * channels ? nearest + 8 : nearest;
}

void add_row(Chain& chain, const std::string& prefix, const BottleneckRow& row) {
    const std::int64_t squeezed =
        row.squeezing == Squeezing::yes ? rounded_to_8(row.expanded / 4) : 0;
    add_inverted_residual(chain, {.prefix = prefix,
                                  .kernel = row.kernel,
                                  .expanded = row.expanded,
                                  .channels = row.channels,
                                  .stride = row.stride,
                                  .activation = row.nonlinearity == HS ? hard_swish : Activation{},
                                  .excitation = {squeezed, {}, hard_sigmoid},
                                  .norm = batch_norm});
}

Graph build(std::string_view name, std::int64_t batch, std::span<const BottleneckRow> rows,
            std::int64_t features) {
    Chain chain(name, batch, 224);
    add_normalized(chain, "conv1", {16, 3, 2, 1}, batch_norm).add("conv1.act", hard_swish);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        add_row(chain, fmt::format("block{}.", i + 1), rows[i]);
    }
    add_normalized(chain, "conv_last", {6 * chain.channels()}, batch_norm)
        .add("conv_last.act", hard_swish);
    chain.add("avgpool", global_average_pooling());
    chain.add("fc1", FullyConnected{features}).add("fc1.act", hard_swish).dropout("dropout", 0.2);
    return chain.add("fc2", FullyConnected{1000}).with_loss();
}

}  // namespace

Graph mobilenet_v3_large(std::int64_t batch) {
    return build("mobilenet-v3-large", batch, large, 1280);
}

Graph mobilenet_v3_small(std::int64_t batch) {
    return build("mobilenet-v3-small", batch, small, 1024);
}

namespace {

// A row of Table 1 of the paper: expansion factor, kernel, stride of the first, channels, repeats.
struct StageRow {
    std::int64_t expansion;
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t channels;
    int repeats;
};

constexpr std::array<StageRow, 7> efficient_rows = {{{1, 3, 1, 16, 1},
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
    for (StageRow row : efficient_rows) {
        for (int i = 0; i < row.repeats; ++i, row.stride = 1) {
            add_block(chain, fmt::format("block{}.", ++index), row);
        }
    }
    add_normalized(chain, "conv_last", {1280}).add("conv_last.act", silu);
    chain.add("avgpool", global_average_pooling()).dropout("dropout", 0.2);
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
