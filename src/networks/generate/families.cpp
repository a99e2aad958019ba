// SPDX-License-Identifier: MIT
#include "networks/generate/generator.h"

#include "base/error.h"
#include "networks/zoo/chain.h"
#include "networks/zoo/resnet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// ReLU layers of `nodes` between `inputs` and `outputs`: nodes^2 (layers - 1) + nodes (inputs +
// outputs) weights, nodes * layers + outputs biases.
void generate_fully_connected(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    const std::int64_t layers = value_of(generator, "layers");
    const FullyConnected hidden{value_of(generator, "nodes")};
    Chain chain(sink, {{batch, value_of(generator, "inputs")}});
    for (std::int64_t i = 0; i < layers; ++i) {
        // (Without fmt: in a sweep of thousands of networks, names take a large part of the time.)
        const std::string number = std::to_string(i);
        chain.add("fc" + number, hidden);
        chain.relu("relu" + number);
    }
    chain.add("fc" + std::to_string(layers), FullyConnected{value_of(generator, "outputs")});
    chain.end_with_loss();
}

CellKind cell_of(std::string_view family) {
    return family == "lstm" ? CellKind::lstm : family == "gru" ? CellKind::gru : CellKind::rnn_tanh;
}

// An embedding of `vocabulary` rows, cells as wide as its rows, and a projection of every position
// back to the vocabulary: 2 vocabulary embed + vocabulary + layers gates (2 embed^2 + embed)
// parameters, with 1, 4 or 3 gates. ParaDnn's mask for shorter sequences is omitted: all have the
// same length.
void generate_recurrent(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    const std::int64_t embed = value_of(generator, "embed");
    const std::int64_t vocabulary = value_of(generator, "vocabulary");
    Chain chain(sink, {{batch, value_of(generator, "length")}, DataType::s64});
    chain.add("embedding", Embedding{.rows = vocabulary, .width = embed});
    chain.add("time_major", Transpose{.permutation = {1, 0, 2}});
    chain.add("cells", Recurrent{.cell = cell_of(generator.family),
                                 .hidden = embed,
                                 .layers = value_of(generator, "layers")});
    chain.add("positions", Reshape{.dims = {-1, embed}});
    chain.add("projection", FullyConnected{vocabulary}).end_with_loss();
}

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

// ResNet-like: 7x7 stride 2, 3x3 maximum stride 2, four groups of `blocks` with 1, 2, 4 and 8 times
// `filters` (bottlenecks output four times as many), batch normalisation throughout, 7x7 average,
// FC. As in ParaDnn's code, the first block of every group projects its shortcut, and the average
// is a window of 7x7 at stride 1, so a plane of 10x10 leaves 4x4 for the FC.
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

// Activations are [batch * length, embed] throughout; only attention uses the sequence structure.
struct TransformerSizes {
    std::int64_t batch, length, embed, heads, inner;

    Reshape sequences() const { return {.dims = {batch, length, embed}}; }
};

TransformerSizes transformer_sizes(const Generator& generator, std::int64_t batch) {
    const TransformerSizes sizes = {batch, value_of(generator, "length"),
                                    value_of(generator, "embed"), value_of(generator, "heads"),
                                    value_of(generator, "inner")};
    if (sizes.embed % sizes.heads != 0) {
        throw Error(fmt::format("transformer: heads={} does not divide embed={}; change one",
                                sizes.heads, sizes.embed),
                    ExitCode::usage);
    }
    return sizes;
}

TensorId add_head(Chain& chain, const std::string& name, const TransformerSizes& sizes,
                  TensorId from) {
    chain.resume(from).add(name, FullyConnected{sizes.embed});
    return chain.add(name + ".sequences", sizes.sequences()).last();
}

// Adds the sublayer's result to its input and normalises the sum.
void add_residual_sum(Chain& chain, const std::string& name, TensorId from) {
    chain.join(name + ".add", Elementwise{}, {chain.last(), from});
    chain.add(name + ".norm", LayerNormalization{});
}

void add_attention(Chain& chain, const std::string& name, const TransformerSizes& sizes) {
    const TensorId from = chain.last();
    const TensorId query = add_head(chain, name + ".query", sizes, from);
    const TensorId key = add_head(chain, name + ".key", sizes, from);
    const TensorId value = add_head(chain, name + ".value", sizes, from);
    chain.join(name, Attention{.heads = sizes.heads, .causal = true}, {query, key, value});
    chain.add(name + ".positions", Reshape{.dims = {-1, sizes.embed}});
    chain.add(name + ".output", FullyConnected{sizes.embed});
    add_residual_sum(chain, name, from);
}

void add_feedforward(Chain& chain, const std::string& name, const TransformerSizes& sizes) {
    const TensorId from = chain.last();
    chain.add(name + ".inner", FullyConnected{sizes.inner}).relu(name + ".relu");
    chain.add(name + ".output", FullyConnected{sizes.embed});
    add_residual_sum(chain, name, from);
}

// A causal Transformer, normalised after each sum (Vaswani et al. 2017), with the same embedding
// and projection: layers (4 embed^2 + 2 embed inner + 9 embed + inner) parameters between the two.
// The positional encoding is a constant. Throws Error (usage) if heads do not divide embed.
void generate_transformer(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    const TransformerSizes sizes = transformer_sizes(generator, batch);
    const std::int64_t vocabulary = value_of(generator, "vocabulary");
    Chain chain(sink, {{batch, sizes.length}, DataType::s64});
    chain.add("embedding", Embedding{.rows = vocabulary, .width = sizes.embed});
    const TensorId positions =
        chain.constant("positions", {{sizes.length, sizes.embed}}, Role::constant);
    chain.join("embedding.add", Elementwise{}, {chain.last(), positions});
    chain.add("flat", Reshape{.dims = {-1, sizes.embed}});
    for (std::int64_t i = 0; i < value_of(generator, "layers"); ++i) {
        add_attention(chain, fmt::format("layer{}.attention", i), sizes);
        add_feedforward(chain, fmt::format("layer{}.feedforward", i), sizes);
    }
    chain.add("projection", FullyConnected{vocabulary}).end_with_loss();
}

constexpr std::int64_t max_layers = 1 << 14;
constexpr std::int64_t max_features = 1 << 24;
constexpr std::int64_t max_blocks = 1 << 10;
constexpr std::int64_t max_recurrent = 1 << 12;
constexpr std::int64_t max_generated_extent = 1 << 16;

// The default values are those of ParaDnn's flags.
constexpr std::array<GeneratorKey, 4> fully_connected_keys = {{{"layers", 4, max_layers},
                                                               {"nodes", 1024, max_features},
                                                               {"inputs", 1000, max_features},
                                                               {"outputs", 100, max_features}}};

constexpr std::array<GeneratorKey, 4> residual_keys = {{{"blocks", 1, max_blocks},
                                                        {"filters", 16, max_generated_extent},
                                                        {"image", 224, max_generated_extent},
                                                        {"outputs", 1000, max_features}}};

constexpr std::array<GeneratorKey, 4> recurrent_keys = {
    {{"layers", 5, max_recurrent},
     {"embed", 100, max_generated_extent, "hidden"},
     {"length", 50, max_generated_extent},
     {"vocabulary", 1024, max_features}}};

// The base model of Vaswani et al. 2017.
constexpr std::array<GeneratorKey, 6> transformer_keys = {
    {{"layers", 6, max_recurrent},
     {"embed", 512, max_generated_extent, "hidden"},
     {"heads", 8, max_generated_extent},
     {"inner", 2048, max_features},
     {"length", 128, max_generated_extent},
     {"vocabulary", 37000, max_features}}};

constexpr std::array<GeneratorFamily, 7> families = {{
    {"fc", "fully connected layers with ReLU (Wang et al. 2020, ParaDnn)", fully_connected_keys,
     generate_fully_connected},
    {"residual", "four groups of residual blocks (Wang et al. 2020, ParaDnn)", residual_keys,
     generate_residual},
    {"bottleneck", "four groups of bottleneck blocks (Wang et al. 2020, ParaDnn)", residual_keys,
     generate_residual},
    {"rnn", "embedding, tanh cells, projection (Wang et al. 2020, ParaDnn)", recurrent_keys,
     generate_recurrent},
    {"lstm", "embedding, LSTM cells, projection (Wang et al. 2020, ParaDnn)", recurrent_keys,
     generate_recurrent},
    {"gru", "embedding, GRU cells, projection (Wang et al. 2020, ParaDnn)", recurrent_keys,
     generate_recurrent},
    {"transformer", "causal language model of Transformer layers (Vaswani et al. 2017)",
     transformer_keys, generate_transformer},
}};

}  // namespace

std::span<const GeneratorFamily> generator_families() {
    return families;
}

}  // namespace strata
