// SPDX-License-Identifier: MIT
#include "parallel/tensor_split.h"

#include "graph/memory.h"
#include "networks/network.h"
#include "networks/text.h"
#include "networks/zoo/zoo.h"
#include "op/op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace strata::testing {

namespace {

Graph network(const std::string& name, std::int64_t batch = 8) {
    return load_network({.network = name, .batch = batch, .dims = {}, .variables = {}});
}

double multiply_adds(const Graph& graph) {
    double sum = 0;
    for (const Layer& layer : graph.layers) {
        sum +=
            work_of(layer.op, signature_of(graph, layer), Pass::forward).operations.multiply_adds;
    }
    return sum;
}

const SplitExchange* exchange_after(const TensorSplit& split, std::string_view layer, Pass pass) {
    const auto found = std::ranges::find_if(split.exchanges, [&](const SplitExchange& exchange) {
        return split.graph.layers[exchange.layer].name == layer && exchange.pass == pass;
    });
    return found == split.exchanges.end() ? nullptr : &*found;
}

const Layer& layer_called(const Graph& graph, std::string_view name) {
    const auto found = std::ranges::find(graph.layers, name, &Layer::name);
    EXPECT_NE(found, graph.layers.end()) << name;
    return *found;
}

TEST(TensorSplit, EveryNetworkOfTheZooIsDividedOrSaysWhyNot) {
    int refused_by_two = 0;
    for (const ZooNetwork& one : zoo()) {
        const std::string name(one.name);
        for (const int devices : {2, 4, 8}) {
            const Graph graph = network(name, 2);
            const TensorSplit split = tensor_split(graph, devices);
            if (!split.refusal.empty()) {
                EXPECT_TRUE(split.refusal.find(" heads, which ") != std::string::npos ||
                            split.refusal.starts_with("no layer of "))
                    << name;
                refused_by_two += devices == 2 ? 1 : 0;
                continue;
            }
            // validate() accepted it; nothing is lost, nothing is computed twice but what is whole.
            const double whole = multiply_adds(graph), part = multiply_adds(split.graph);
            EXPECT_GE(part * devices, whole * (1 - 1e-9)) << name << " " << devices;
            EXPECT_LT(part, whole) << name << " " << devices;
            EXPECT_LE(footprint_of(split.graph, {}).peak, footprint_of(graph, {}).peak)
                << name << " " << devices;
        }
    }
    EXPECT_LE(refused_by_two, 3);  // 25 heads, 3 heads, and a recurrent layer only
}

// Shoeybi et al. 2019, figures 3 and 4: two all-reduces forward and two backward in each block.
TEST(TensorSplit, ABlockHasTwoSumsForwardAndTwoBackward) {
    for (const char* name : {"gpt-2", "gpt-2-unfused"}) {
        const Graph graph = network(name);
        const TensorSplit split = tensor_split(graph, 4);
        ASSERT_EQ(split.refusal, "") << name;
        EXPECT_TRUE(split.whole.empty()) << name;
        std::map<std::string, std::map<Pass, int>> sums;  // by block
        for (const SplitExchange& exchange : split.exchanges) {
            const std::string& layer = graph.layers[exchange.layer].name;
            if (layer.starts_with("h.")) {
                ++sums[layer.substr(0, layer.find('.', 2))][exchange.pass];
                EXPECT_EQ(exchange.tensor.elements(), 8 * 1024 * 768);
            }
        }
        EXPECT_EQ(sums.size(), 12U) << name;
        for (const auto& [block, passes] : sums) {
            EXPECT_EQ(passes, (std::map<Pass, int>{{Pass::forward, 2}, {Pass::backward_data, 2}}))
                << block;
        }
        // Query, key and value add up before one exchange.
        const SplitExchange* const query =
            exchange_after(split, "h.0.attn.query", Pass::backward_data);
        ASSERT_NE(query, nullptr);
        EXPECT_EQ(query->openers.size(), 3U);
    }
}

TEST(TensorSplit, AttentionDividesHeadsAndProductsTheirColumnsOrRows) {
    const TensorSplit split = tensor_split(network("gpt-2"), 4);
    const auto weight = [&](std::string_view layer) {
        return split.graph.tensors[layer_called(split.graph, layer).inputs[1]].tensor.dims;
    };
    EXPECT_EQ(weight("h.3.attn.query"), (Dims{192, 768}));
    EXPECT_EQ(weight("h.3.attn.output"), (Dims{768, 192}));
    EXPECT_EQ(weight("h.3.mlp.inner"), (Dims{768, 768}));
    EXPECT_EQ(weight("h.3.mlp.outer"), (Dims{768, 768}));
    EXPECT_EQ(std::get<Attention>(layer_called(split.graph, "h.3.attn.attention").op).heads, 3);
    // 50,257 words, rounded up; the table is that of the scores, too.
    EXPECT_EQ(weight("wte"), (Dims{12565, 768}));
    EXPECT_EQ(weight("lm_head"), (Dims{12565, 768}));
    EXPECT_EQ(weight("wpe"), (Dims{1024, 768}));
    const SplitExchange* const loss = exchange_after(split, "loss", Pass::forward);
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->times, 3);
    EXPECT_EQ(loss->tensor.elements(), 8 * 1024);
}

TEST(TensorSplit, HeadsThatDevicesCannotShareAreOneSentence) {
    for (const char* name : {"gpt-2", "gpt-2-unfused", "bert-base"}) {
        const std::string refusal = tensor_split(network(name), 8).refusal;
        EXPECT_NE(refusal.find("has 12 heads, which 8 devices cannot share"), std::string::npos)
            << refusal;
    }
}

// What follows channel by channel needs no exchange; a sum of divided and whole channels cannot be.
TEST(TensorSplit, ConvolutionsOpenAndSumInTurn) {
    const TensorSplit split = tensor_split(network("vgg-16"), 2);
    EXPECT_TRUE(split.whole.empty());
    const Graph& graph = split.graph;
    std::vector<bool> sums(graph.layers.size());
    for (const SplitExchange& exchange : split.exchanges) {
        sums[exchange.layer] = sums[exchange.layer] || exchange.pass == Pass::forward;
    }
    bool opened = false;
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        if (std::holds_alternative<Convolution>(graph.layers[id].op)) {
            EXPECT_EQ(sums[id], opened) << graph.layers[id].name;
            opened = !opened;
        }
    }
    // The third product of a block would meet the whole shortcut.
    const TensorSplit resnet = tensor_split(network("resnet-50"), 2);
    EXPECT_FALSE(resnet.whole.empty());
    EXPECT_GT(resnet.split.size(), resnet.whole.size());
}

// One projection for queries, keys and values, and one for both halves of a gated unit.
TEST(TensorSplit, SlicesOfAFusedProjectionAreDividedEachForItself) {
    const Graph graph = parse_graph(
        "graph fused\n"
        "input x f32 8x128x512\n"
        "rows = reshape(x) dims=1024x512\n"
        "qkv = fully_connected(rows) out_features=768\n"
        "all = reshape(qkv) dims=8x128x768\n"
        "q = slice(all) axes=2 starts=0 extents=512\n"
        "k = slice(all) axes=2 starts=512 extents=128\n"
        "v = slice(all) axes=2 starts=640 extents=128\n"
        "heads = attention(q, k, v) heads=8 kv_heads=2 causal=true\n"
        "flat = reshape(heads) dims=1024x512\n"
        "output = fully_connected(flat) out_features=512\n"
        "both = fully_connected(output) out_features=2816\n"
        "gate = slice(both) axes=1 starts=0 extents=1408\n"
        "up = slice(both) axes=1 starts=1408 extents=1408\n"
        "silu = activation(gate) kind=silu\n"
        "gated = elementwise(silu, up) kind=multiply\n"
        "down = fully_connected(gated) out_features=512\n",
        "fused.graph");
    const TensorSplit split = tensor_split(graph, 2);
    EXPECT_EQ(split.refusal, "");
    EXPECT_TRUE(split.whole.empty());
    EXPECT_EQ(split.exchanges.size(), 4U);
    const Attention& heads = std::get<Attention>(layer_called(split.graph, "heads").op);
    EXPECT_EQ(heads.heads, 4);
    EXPECT_EQ(heads.kv_heads, 1);
    EXPECT_EQ(std::get<Slice>(layer_called(split.graph, "v").op).starts, Dims{320});
    EXPECT_NE(tensor_split(graph, 4).refusal.find("heads has 2 heads of keys, which 4 devices"),
              std::string::npos);
}

TEST(TensorSplit, ANetworkWithoutDivisibleLayersIsRefused) {
    const Graph graph = network("fc:layers=1,nodes=7,inputs=5,outputs=3");
    EXPECT_NE(tensor_split(graph, 8).refusal, "");
}

}  // namespace

}  // namespace strata::testing
