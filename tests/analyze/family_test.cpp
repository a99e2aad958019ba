// SPDX-License-Identifier: MIT
#include "analyze/family.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strata {
namespace {

using Names = std::vector<std::string>;

Names names_of_blocks(int count, const std::vector<std::string>& parts) {
    Names names = {"embedding"};
    for (int i = 0; i < count; ++i) {
        for (const std::string& part : parts) {
            names.push_back("h." + std::to_string(i) + "." + part);
        }
    }
    names.emplace_back("lm_head");
    return names;
}

Names with_end(const Names& all, std::string_view end) {
    Names found;
    for (const std::string& name : all) {
        if (name.ends_with(end)) {
            found.push_back(name);
        }
    }
    return found;
}

TEST(LayerNames, ABlockIsNamedOnce) {
    const Names all = names_of_blocks(48, {"norm", "attention", "mlp.up"});
    const LayerNames names(all);
    EXPECT_EQ(names.text(with_end(all, "attention")), "h.0–h.47.attention");
    EXPECT_EQ(names.text(with_end(all, "mlp.up")), "h.0–h.47.mlp.up");
    EXPECT_EQ(names.text(Names{"lm_head"}), "lm_head");
}

TEST(LayerNames, ARangeIncludesEveryLayer) {
    const LayerNames names(Names{"conv1", "relu1", "conv2", "conv3", "conv4", "conv5"});
    EXPECT_EQ(names.text(Names{"conv2", "conv3", "conv4", "conv5"}), "conv2–conv5");
    EXPECT_EQ(names.text(Names{"conv1", "conv3", "conv5"}), "conv1, conv3 and conv5");
    EXPECT_EQ(names.text(Names{"conv1", "conv2", "conv4", "conv5"}), "conv1–conv2 and conv4–conv5");
}

TEST(LayerNames, EqualLayersOfConsecutiveBlocksAreARange) {
    const LayerNames names(Names{"layer1.0.conv1", "layer1.0.conv2", "layer1.1.conv1",
                                 "layer1.1.conv2", "layer1.2.conv1", "layer1.2.conv2",
                                 "layer2.0.conv1", "layer2.0.conv2"});
    EXPECT_EQ(names.text(Names{"layer1.0.conv2", "layer1.1.conv2", "layer1.2.conv2"}),
              "layer1.0–layer1.2.conv2");
}

TEST(LayerNames, WithManyPartsTheRestIsCounted) {
    const Names all = {"a", "b", "c", "d", "e"};
    EXPECT_EQ(LayerNames(all).text(Names{"a", "b", "c"}), "a, b and c");
    EXPECT_EQ(LayerNames(all).text(all), "a, b and 3 other layers");
}

TEST(LayerNames, AnyNameIsAName) {
    for (const Names& odd : {Names{""}, Names{"", "1", "1"}, Names{"9.9", "9.10", "x9"}}) {
        EXPECT_NO_THROW(LayerNames(odd).text(odd));
        EXPECT_NO_THROW(LayerNames({}).text(odd));
    }
}

TEST(Families, EqualLayersAreOneFamilyWhateverTheirNames) {
    const std::vector<StepWork> steps = {
        {"conv3_2", "convolution", "3x3", Pass::forward, StepKind::compute},
        {"conv3_2", "convolution", "3x3", Pass::backward_data, StepKind::compute},
        {"other", "convolution", "3x3", Pass::forward, StepKind::compute},
        {"conv3_2", "convolution", "3x3", Pass::forward, StepKind::reorder},
        {"conv3_3", "convolution", "5x5", Pass::forward, StepKind::compute}};
    EXPECT_EQ(families_of(steps), (std::vector<std::size_t>{0, 1, 0, 2, 3}));
}

TEST(Families, WithoutTheirProblemLayersAreDistinguishedByName) {
    const std::vector<StepWork> steps = {{"h.0.attention", "attention", ""},
                                         {"h.0.mlp", "matmul", ""},
                                         {"h.12.attention", "attention", ""},
                                         {"pool.attention", "attention", ""}};
    EXPECT_EQ(families_of(steps), (std::vector<std::size_t>{0, 1, 0, 2}));
}

}  // namespace
}  // namespace strata
