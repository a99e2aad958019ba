// SPDX-License-Identifier: MIT
#include "networks/generate/families.h"

#include <array>

namespace strata {

namespace {

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
