// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/network.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace strata {
namespace {

class EveryNetwork : public ::testing::TestWithParam<ZooNetwork> {};

TEST_P(EveryNetwork, BuildsForEveryBatchAndCarriesItsName) {
    for (const std::int64_t batch : {1, 3, 256}) {
        const Graph graph = GetParam().build(batch);
        EXPECT_EQ(graph.name, GetParam().name);
        EXPECT_EQ(batch_of(graph), batch);
    }
}

// The number of outputs other than the one with a loss, by network.
std::size_t further_outputs(std::string_view network) {
    return network == "ssd-resnet-34" || network == "minigo" ? 1 : 0;
}

TEST_P(EveryNetwork, EndsInALossExceptDnnmarksWhichEndsInASoftmax) {
    const Graph graph = GetParam().build(2);
    const Layer& last = graph.layers.back();
    if (GetParam().name == "mask-rcnn-backbone") {
        EXPECT_EQ(graph.outputs.size(),
                  4u);  // the fifth map's pooling reads the fourth of five
        return;
    }
    ASSERT_EQ(graph.outputs.size(), 1 + further_outputs(GetParam().name));
    if (GetParam().name == "alexnet-ungrouped") {
        EXPECT_EQ(last.name, "softmax");
        EXPECT_EQ(graph.tensors[graph.outputs[0]].tensor.dims, (Dims{2, 1000}));
    } else {
        EXPECT_EQ(last.name, "loss");
        EXPECT_EQ(type_of(last.op), "softmax_cross_entropy");
        ASSERT_GE(graph.inputs.size(), 2u);
        EXPECT_EQ(graph.tensors[graph.inputs.back()].name, "labels");
        EXPECT_EQ(graph.tensors[graph.inputs.back()].role, Role::label);
    }
}

TEST_P(EveryNetwork, RefusesABatchOfNothing) {
    EXPECT_THROW(GetParam().build(0), Error);
    EXPECT_THROW(GetParam().build(-1), Error);
    EXPECT_THROW(GetParam().build(INT64_MAX), Error);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, ::testing::ValuesIn(zoo().begin(), zoo().end()),
                         [](const auto& parameter) {
                             std::string name(parameter.param.name);
                             std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                             return name;
                         });

TEST(Zoo, NamesAreUniqueAndHoldTheContract) {
    std::set<std::string_view> names;
    for (const ZooNetwork& network : zoo()) {
        EXPECT_TRUE(names.insert(network.name).second) << network.name;
        EXPECT_FALSE(network.origin.empty());
    }
    for (const auto* name : {"alexnet",
                             "alexnet-ungrouped",
                             "alexnet-owt",
                             "alexnet-levinthal",
                             "vgg-16",
                             "googlenet",
                             "resnet-50",
                             "squeezenet",
                             "mobilenet-v2",
                             "densenet-121",
                             "transformer-base",
                             "transformer-big",
                             "bert-base",
                             "bert-large",
                             "gpt-2",
                             "gpt-2-xl",
                             "vit-b-16",
                             "vit-l-16",
                             "swin-tiny",
                             "convnext-tiny"}) {
        EXPECT_EQ(find_zoo_network(name).name, name);
    }
}

TEST(Zoo, AMisspeltNameIsAnsweredWithTheNearest) {
    try {
        find_zoo_network("resnet50");
        FAIL() << "no such network";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("did you mean \"resnet-50\"?"), std::string::npos);
    }
}

TEST(Zoo, AGeneratorWithoutItsColonIsAnsweredWithIt) {
    try {
        find_zoo_network("transformer");
        FAIL() << "no such network";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean \"transformer:\"?"),
                  std::string::npos);
    }
}

TEST(Zoo, PlanesShrinkAsInThePublications) {
    const auto plane = [](const char* network, const char* tensor) {
        const Graph graph = find_zoo_network(network).build(1);
        for (const GraphTensor& each : graph.tensors) {
            if (each.name == tensor) {
                return to_text(each.tensor.dims);
            }
        }
        return std::string("absent");
    };
    EXPECT_EQ(plane("alexnet", "pool5"), "1x256x6x6");
    EXPECT_EQ(plane("alexnet-owt", "conv1"), "1x64x55x55");
    EXPECT_EQ(plane("googlenet", "inception_5b/output"), "1x1024x7x7");
    EXPECT_EQ(plane("resnet-50", "layer4.2.relu3"), "1x2048x7x7");
    EXPECT_EQ(plane("squeezenet", "fire9/concat"), "1x512x13x13");
    EXPECT_EQ(plane("squeezenet-1.0", "fire9/concat"), "1x512x13x13");
    EXPECT_EQ(plane("mobilenet-v2", "conv_last"), "1x1280x7x7");
    EXPECT_EQ(plane("densenet-121", "norm5"), "1x1024x7x7");
    EXPECT_EQ(plane("inception-v3", "Mixed_6e.concat"), "1x768x17x17");
    EXPECT_EQ(plane("inception-v3", "Mixed_7c.concat"), "1x2048x8x8");
    EXPECT_EQ(plane("efficientnet-b0", "conv_last"), "1x1280x7x7");
    EXPECT_EQ(plane("mobilenet-v3-large", "conv_last"), "1x960x7x7");
    EXPECT_EQ(plane("mobilenet-v3-small", "conv_last"), "1x576x7x7");
    EXPECT_EQ(plane("shufflenet-v2", "conv5"), "1x1024x7x7");
    EXPECT_EQ(plane("unet", "bottom.relu2"), "1x1024x28x28");
    EXPECT_EQ(plane("unet", "scores"), "1x2x388x388");
    EXPECT_EQ(plane("ssd-resnet-34", "places"), "1x4x8732");
    EXPECT_EQ(plane("ssd-resnet-34", "classes"), "1x81x8732");
    EXPECT_EQ(plane("mask-rcnn-backbone", "fpn.layer1"), "1x256x200x336");
    EXPECT_EQ(plane("mask-rcnn-backbone", "fpn.pool"), "1x256x13x21");
    EXPECT_EQ(plane("swin-tiny", "norm"), "1x7x7x768");
    EXPECT_EQ(plane("swin-tiny", "stage3.1.attention.masked"), "1x4x12x49x49");
    EXPECT_EQ(plane("convnext-tiny", "stage4.2.residual"), "1x768x7x7");
}

}  // namespace
}  // namespace strata
