// SPDX-License-Identifier: MIT
#include "networks/generate/generator.h"

#include "base/error.h"
#include "networks/network.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Graph generate(std::string network, std::optional<std::int64_t> batch = {}) {
    return load_network(
        {.network = std::move(network), .batch = batch, .dims = {}, .variables = {}});
}

class EveryFamily : public ::testing::TestWithParam<GeneratorFamily> {
protected:
    std::string text() const { return std::string(GetParam().name) + ":"; }
};

TEST_P(EveryFamily, BuildsFromItsStandardValuesUnderItsCanonicalName) {
    for (const std::int64_t batch : {1, 3}) {
        const Graph graph = generate(text(), batch);
        EXPECT_EQ(graph.name, to_text(parse_generator(text())));
        EXPECT_EQ(batch_of(graph), batch);
        EXPECT_EQ(graph.layers.back().name, "loss");
    }
}

TEST_P(EveryFamily, ItsCanonicalNameRoundTrips) {
    Generator generator = parse_generator(text());
    std::int64_t value = 2;
    for (const GeneratorKey& key : GetParam().keys) {
        set_key(generator, key.name, value++);
    }
    EXPECT_EQ(parse_generator(to_text(generator)), generator);
    EXPECT_EQ(canonical_network(to_text(generator)), to_text(generator));
}

TEST_P(EveryFamily, EachKeyChangesTheNetworkAndKnowsItsRange) {
    for (const GeneratorKey& key : GetParam().keys) {
        Generator generator = parse_generator(text());
        EXPECT_EQ(value_of(generator, key.name), key.standard);
        EXPECT_THROW(set_key(generator, key.name, 0), Error);
        EXPECT_THROW(set_key(generator, key.name, key.maximum + 1), Error);
        set_key(generator, key.name, key.maximum);
    }
}

TEST_P(EveryFamily, RefusesABatchOfNothing) {
    EXPECT_THROW(build(parse_generator(text()), 0), Error);
    EXPECT_THROW(build(parse_generator(text()), INT64_MAX), Error);
}

INSTANTIATE_TEST_SUITE_P(Generators, EveryFamily,
                         ::testing::ValuesIn(generator_families().begin(),
                                             generator_families().end()),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Generator, KeysThatAreNotGivenHaveTheirStandardValuesInAnyOrder) {
    EXPECT_EQ(to_text(parse_generator("fc:outputs=7,layers=2")),
              "fc:layers=2,nodes=1024,inputs=1000,outputs=7");
    EXPECT_EQ(to_text(parse_generator("fc: layers = 2 ")), to_text(parse_generator("fc:layers=2")));
}

TEST(Generator, TheShortFormOfAnOperatorIsNotAGenerator) {
    EXPECT_FALSE(is_generator("fc:n32c9216k4096"));
    EXPECT_FALSE(is_generator("conv:n32c96h27k256r5"));
    EXPECT_FALSE(is_generator("alexnet"));
    EXPECT_TRUE(is_generator("fc:"));
    EXPECT_EQ(generate("fc:n2c8k4").layers.size(), 1U);
}

TEST(Generator, MistakesNameTheKeyAndTheChoice) {
    EXPECT_EQ(error_of([] { generate("fc:node=512"); }),
              "fc: there is no key 'node'; choose one of layers, nodes, inputs, outputs");
    EXPECT_EQ(error_of([] { generate("fc:nodes=many"); }),
              "fc: nodes needs a whole number from 1 to 16777216, not 'many'");
    EXPECT_EQ(error_of([] { generate("fc:layers=0"); }),
              "fc: layers needs a whole number from 1 to 16384, not '0'");
    EXPECT_EQ(error_of([] { generate("fc:layers=99999999999999999999"); }),
              "fc: layers needs a whole number from 1 to 16384, not '99999999999999999999'");
    EXPECT_EQ(error_of([] { generate("fc:layers=4,layers=5"); }),
              "fc: layers is given twice; remove one");
    EXPECT_EQ(error_of([] { generate("fc:layers=4,nodes"); }),
              "fc: nodes has no value; write nodes=1024");
    EXPECT_EQ(error_of([] { generate("transformer:heads=7"); }),
              "transformer: heads=7 does not divide embed=512; change one");
    EXPECT_EQ(error_of([] { generate("fc:layers=4,"); }),
              "fc: there is no key ''; choose one of layers, nodes, inputs, outputs");
}

TEST(Generator, AnUnknownFamilyIsRefusedWithTheKnownOnes) {
    EXPECT_NE(error_of([] { generate("residal:blocks=1"); }).find("fc, residual, bottleneck"),
              std::string::npos);
}

TEST(Generator, SizesThatNoTensorCanHaveAreRefused) {
    EXPECT_THROW(generate("residual:image=65536,filters=65536", 1 << 30), Error);
}

TEST(Generator, ASmallImageIsAveragedWhole) {
    const Graph graph = generate("residual:image=1,filters=2,outputs=3");
    EXPECT_EQ(graph.tensors[graph.layers.back().inputs[0]].tensor.dims, (Dims{1, 3}));
}

TEST(Generator, UnsupportedSettingsAreRefused) {
    EXPECT_THROW(load_network({.network = "fc:", .batch = {}, .dims = {{"n", 1}}, .variables = {}}),
                 Error);
}

TEST(Generator, WhatOthersCallHiddenIsTheWidthOfTheCells) {
    EXPECT_EQ(to_text(parse_generator("lstm:hidden=64")),
              to_text(parse_generator("lstm:embed=64")));
    Generator generator = parse_generator("gru:");
    set_key(generator, "hidden", 32);
    EXPECT_EQ(value_of(generator, "embed"), 32);
    EXPECT_THROW(parse_generator("lstm:hidden=64,embed=64"), Error);
}

}  // namespace
}  // namespace strata
