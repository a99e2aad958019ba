// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "graph/graph.h"
#include "tests/support/error_message.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

void expect_equal(const Graph& a, const Graph& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.outputs, b.outputs);
    ASSERT_EQ(a.tensors.size(), b.tensors.size());
    for (TensorId id = 0; id < a.tensors.size(); ++id) {
        EXPECT_EQ(a.tensors[id].name, b.tensors[id].name);
        EXPECT_EQ(a.tensors[id].tensor, b.tensors[id].tensor);
        EXPECT_EQ(a.tensors[id].role, b.tensors[id].role);
    }
    ASSERT_EQ(a.layers.size(), b.layers.size());
    for (LayerId id = 0; id < a.layers.size(); ++id) {
        EXPECT_EQ(a.layers[id].name, b.layers[id].name);
        EXPECT_EQ(a.layers[id].op, b.layers[id].op);
        EXPECT_EQ(a.layers[id].inputs, b.layers[id].inputs);
        EXPECT_EQ(a.layers[id].outputs, b.layers[id].outputs);
    }
}

TEST(Slice, ASliceOfEverythingIsTheGraphItself) {
    expect_equal(slice(small_chain(), "*"), small_chain());
    expect_equal(slice(small_diamond(), "*"), small_diamond());
}

TEST(Slice, AResultOfAnotherLayerBecomesAnInput) {
    const Graph part = slice(small_chain(), "relu1,pool1");
    ASSERT_EQ(part.layers.size(), 2U);
    ASSERT_EQ(part.inputs.size(), 1U);
    EXPECT_EQ(part.tensors[part.inputs[0]].name, "conv1");
    EXPECT_EQ(part.tensors[part.inputs[0]].role, Role::input);
    EXPECT_EQ(part.outputs, std::vector{tensor_named(part, "pool1")});
}

TEST(Slice, AResultThatOtherLayersReadIsAnOutputEvenIfTheSliceReadsItToo) {
    const Graph part = slice(small_diamond(), "stem,left");
    EXPECT_EQ(part.outputs, (std::vector{tensor_named(part, "stem"), tensor_named(part, "left")}));
}

TEST(Slice, ALayerKeepsItsParametersAndLabels) {
    const Graph part = slice(small_chain(), "loss,conv1");
    EXPECT_EQ(parameter_count(part), 4 * 27 + 4);
    EXPECT_EQ(part.inputs.size(), 3U);  // data, labels, and the result of fc2
}

TEST(Slice, APatternThatMatchesNothingNamesTheNearestLayer) {
    const Graph graph = small_chain();
    EXPECT_EQ(error_of([&] { slice(graph, "cnv1"); }),
              "chain: no layer matches \"cnv1\"; did you mean \"conv1\"?");
}

}  // namespace
}  // namespace strata
