// SPDX-License-Identifier: MIT
#include "run/choices.h"

#include "networks/network.h"
#include "run/job.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

std::vector<std::string> names(const std::vector<Choice>& choices) {
    std::vector<std::string> all;
    for (const Choice& choice : choices) {
        all.push_back(std::string(choice.option) + " " + std::string(choice.value));
    }
    return all;
}

bool offers(const std::vector<Choice>& choices, std::string_view option) {
    return std::ranges::find(choices, option, &Choice::option) != choices.end();
}

Graph network(const std::string& name) {
    NetworkRequest request;
    request.network = name;
    return load_network(request);
}

TEST(Choices, EveryOneIsAnOptionAndAValueOfIt) {
    for (const Choice& choice : all_choices()) {
        Settings settings;
        EXPECT_NO_THROW(set_option(settings, option_named(choice.option), choice.value))
            << choice.option << " " << choice.value;
        EXPECT_EQ(text_of(settings, choice.option), choice.value);
    }
}

TEST(Choices, ABackendHasTheChoicesThatItsCapabilitiesAllow) {
    const Graph convolutions = network("alexnet");
    const auto without = choices_of("pytorch", {}, {}, convolutions);
    EXPECT_FALSE(offers(without, "layout"));
    EXPECT_FALSE(offers(without, "fuse"));
    const auto with =
        choices_of("pytorch", {Capability::layouts, Capability::fusion}, {}, convolutions);
    EXPECT_TRUE(offers(with, "layout"));
    EXPECT_TRUE(offers(with, "fuse"));
    EXPECT_FALSE(offers(with, "algorithm"));
    EXPECT_TRUE(offers(choices_of("onednn", {}, {}, convolutions), "algorithm"));
}

TEST(Choices, ChoicesWithoutEffectAreLeftOut) {
    const Graph matrices = network("fc:layers=2,nodes=8");
    Settings settings;
    settings.execution.scheduling.threads = 2;
    EXPECT_EQ(
        names(choices_of("onednn", {}, settings, matrices)),
        (std::vector<std::string>{"first_layer_gradient computed", "threads 1", "pinned no"}));
    settings.execution.scheduling.threads = 1;
    settings.execution.scheduling.pinned = false;
    settings.execution.numerics.mode = Mode::inference;
    EXPECT_TRUE(choices_of("onednn", {}, settings, matrices).empty());
}

}  // namespace
}  // namespace strata
