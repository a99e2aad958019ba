// SPDX-License-Identifier: MIT
#include "record/options.h"

#include "record/identity.h"
#include "tests/support/another_value.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

namespace strata {

// An option as the test's parameter.
static void PrintTo(const Option& option, std::ostream* out) {
    *out << option.name;
}

namespace {

using testing::another_value;
using testing::with;

class EachOption : public ::testing::TestWithParam<Option> {};

TEST_P(EachOption, GivesTheTextThatItTakes) {
    const Option& option = GetParam();
    for (const std::string& text : {option.text(Settings{}), another_value(option)}) {
        EXPECT_EQ(option.text(with(option, text)), text);
    }
    if (option.choices != nullptr) {
        for (const auto choice : option.choices()) {
            EXPECT_EQ(option.text(with(option, std::string(choice))), choice);
        }
        EXPECT_TRUE(error_of([&] { with(option, "nonsense"); }).find(option.flag) == 0);
    }
}

TEST_P(EachOption, KeepsItsValueIfATextIsInvalid) {
    const Option& option = GetParam();
    if (option.placeholder == "GLOB") {
        return;  // takes any text
    }
    Settings settings = with(option, another_value(option));
    EXPECT_FALSE(option.set(settings, "nonsense"));
    EXPECT_FALSE(option.set(settings, "-1"));
    EXPECT_EQ(option.text(settings), another_value(option));
}

TEST_P(EachOption, IsPartOfTheExperiment) {
    const Option& option = GetParam();
    const Settings changed = with(option, another_value(option));
    EXPECT_TRUE(is_default(Settings{}, option));
    EXPECT_FALSE(is_default(changed, option));
    EXPECT_EQ(key_of(changed) != key_of(Settings{}), option.role == OptionRole::experiment);
    EXPECT_EQ(further_settings(changed).contains(std::string(option.name)),
              option.kept == Kept::further);
    EXPECT_EQ(policy_text(changed) != policy_text(Settings{}), option.kept == Kept::in_policy);
}

TEST_P(EachOption, KeepsAStoredValueUnknownToThisVersion) {
    const Option& option = GetParam();
    if (option.choices == nullptr || option.kept == Kept::in_policy) {
        return;
    }
    Settings settings;
    option.kept == Kept::further ? set_further(settings, std::string(option.name), "of tomorrow")
                                 : set_stored(settings, option.name, "of tomorrow");
    EXPECT_EQ(text_of(settings, option), "of tomorrow");
    EXPECT_FALSE(is_default(settings, option));
}

INSTANTIATE_TEST_SUITE_P(Options, EachOption, ::testing::ValuesIn(all_options()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Options, HaveUniqueNamesAndFlags) {
    std::set<std::string_view> names;
    std::set<std::string_view> flags;
    for (const Option& option : all_options()) {
        EXPECT_TRUE(names.insert(option.name).second) << option.name;
        EXPECT_TRUE(flags.insert(option.flag).second) << option.flag;
        EXPECT_FALSE(option.help.empty()) << option.name;
        EXPECT_EQ(option.choices == nullptr, !option.expected.empty()) << option.name;
    }
}

TEST(Options, SeveralValuesGiveAllCombinations) {
    auto all = with_values({Settings{}}, option_named("algorithm"), {"direct", "winograd"});
    all = with_values(all, option_named("fuse"), {"off", "on"});
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[1].execution.engine.algorithm, ConvolutionAlgorithm::direct);
    EXPECT_EQ(all[1].execution.engine.fusion, Fusion::convolution);
    EXPECT_EQ(all[2].execution.engine.algorithm, ConvolutionAlgorithm::winograd);
    EXPECT_EQ(all[2].execution.engine.fusion, Fusion::none);
}

TEST(Options, AnOptionRefusesABackendThatLacksItsCapability) {
    const Settings f16 = with(option_named("dtype"), "f16");
    EXPECT_EQ(refusal_of(f16, {}), "does not support f16: choose f32 or bf16 with --dtype");
    EXPECT_EQ(refusal_of(f16, {Capability::f16}), "");
    EXPECT_EQ(refusal_of(with(option_named("dtype"), "bf16"), {}), "");
    EXPECT_EQ(refusal_of(with(option_named("layout"), "nhwc"), {Capability::f16}),
              "chooses layouts itself: omit --layout");
    for (const Option& option : all_options()) {
        if (option.requirement) {
            const auto& needed = *option.requirement;
            const Settings asked = with(
                option, needed.value.empty() ? another_value(option) : std::string(needed.value));
            EXPECT_EQ(refusal_of(asked, {}), needed.refusal) << option.name;
            EXPECT_EQ(refusal_of(asked, {needed.capability}), "") << option.name;
        }
    }
}

TEST(Options, ASwitchSetsTheNonDefaultValue) {
    EXPECT_EQ(switched_value(option_named("pinned")), "no");
    EXPECT_EQ(switched_value(option_named("mode")), "inference");
    EXPECT_EQ(switched_value(option_named("single_precision")), "tf32");
}

TEST(Options, APercentageIsAlsoAccepted) {
    EXPECT_DOUBLE_EQ(with(option_named("precision"), "2%").policy.precision, 0.02);
    EXPECT_EQ(error_of([] { with(option_named("precision"), "200%"); }),
              "--precision needs a fraction up to 1, such as 1% or 0.01, not '200%'");
}

TEST(Settings, APolicyOfAnotherVersionIsKeptUnchanged) {
    Settings settings;
    set_policy(settings, "warmup=5 patience=9");
    EXPECT_EQ(settings.policy.warmup, 5U);
    EXPECT_EQ(policy_text(settings), "warmup=5 patience=9");
    Settings known;
    set_policy(known, policy_text(Settings{}));
    EXPECT_TRUE(known.unknown.empty());
}

TEST(Settings, OtherSettingsRoundTrip) {
    Settings settings;
    settings.dims["tokens"] = 64;
    settings.variables["HIDDEN"] = "8";
    settings.inputs["x"] = "x.npy";
    settings.content = {{"network", "0123"}, {"input x", "4567"}};
    settings.unknown["of tomorrow"] = "1";
    Settings again;
    for (const auto& [name, value] : further_settings(settings)) {
        set_further(again, name, value);
    }
    EXPECT_EQ(again.dims, settings.dims);
    EXPECT_EQ(again.variables, settings.variables);
    EXPECT_EQ(again.inputs, settings.inputs);
    EXPECT_EQ(again.content, settings.content);
    EXPECT_EQ(again.unknown, settings.unknown);
    set_further(again, "dim tokens", "many");
    EXPECT_EQ(again.unknown.at("dim tokens"), "many");
}

}  // namespace
}  // namespace strata
