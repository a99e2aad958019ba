// SPDX-License-Identifier: MIT
#include "cli/command_line.h"

#include "base/text.h"

#include <algorithm>

namespace strata {

namespace {

// CLI11 joins the value's name and the description of its checks: "TEXT:{auto,always,never}".
// Choices are in braces, or are the name itself: "off|on".
void read_value(const std::string& type, OptionHelp& option) {
    const auto colon = type.find(':');
    option.value = type.substr(0, colon);
    std::string choices = option.value;
    char separator = '|';
    if (colon != std::string::npos && type[colon + 1] == '{') {
        choices = type.substr(colon + 2, type.find('}') - colon - 2);
        separator = ',';
    }
    for (const std::string_view choice : split(choices, separator)) {
        option.choices.emplace_back(choice);
    }
    if (option.choices.size() < 2) {
        option.choices.clear();
    } else {
        option.value = join(option.choices, "|");
    }
}

// "[f32]" and "\"1%\"" as a user would type them.
std::string as_typed(std::string text) {
    std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '"'; });
    return text;
}

OptionHelp option_help_of(const CLI::Option& option) {
    OptionHelp help;
    help.is_argument = option.get_positional();
    help.takes_value = help.is_argument || option.get_items_expected_max() > 0;
    help.is_required = option.get_required();
    help.is_repeated = option.get_expected_max() > 1;
    help.takes_list = option.get_delimiter() == ',';
    help.help = option.get_description();
    help.group = option.get_group();
    if (help.is_argument) {
        help.flags = {option.get_name(true)};
    }
    for (const std::string& name : option.get_snames()) {
        help.flags.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        help.flags.push_back("--" + name);
    }
    if (help.takes_value) {
        read_value(option.get_type_name(), help);
        help.standard = as_typed(option.get_default_str());
    }
    return help;
}

}  // namespace

void take_one_word_each(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        if (!option->get_positional()) {
            option->allow_extra_args(false);
        }
    }
    for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) {
        take_one_word_each(*verb);
    }
}

VerbHelp help_of(const CLI::App& app) {
    VerbHelp help{.name = app.get_name(),
                  .group = app.get_group(),
                  .meaning = app.get_description(),
                  .examples = app.get_footer(),
                  .options = {},
                  .verbs = {}};
    for (const CLI::Option* option : app.get_options()) {
        help.options.push_back(option_help_of(*option));
    }
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        help.verbs.push_back(help_of(*verb));
    }
    return help;
}

std::vector<OptionHelp> options_in(const VerbHelp& verb, const std::string& group) {
    std::vector<OptionHelp> found;
    std::ranges::copy_if(verb.options, std::back_inserter(found), [&](const OptionHelp& option) {
        return group.empty() ? option.is_argument : !option.is_argument && option.group == group;
    });
    return found;
}

std::vector<std::string> groups_of(const VerbHelp& verb) {
    std::vector<std::string> groups;
    for (const OptionHelp& option : verb.options) {
        if (!option.is_argument && !option.group.empty() &&
            std::ranges::find(groups, option.group) == groups.end()) {
            groups.push_back(option.group);
        }
    }
    // The first group is that of --help, which every verb has: the verb's own groups come before
    // it.
    std::ranges::rotate(groups, groups.begin() + (groups.empty() ? 0 : 1));
    return groups;
}

}  // namespace strata
