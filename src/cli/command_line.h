// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace strata {

// One option or argument of a verb, as help, completion and the manual page show it.
struct OptionHelp {
    std::vector<std::string> flags;  // "-b", "--batch"; an argument only has its name: "network"
    bool is_argument = false;        // given by position, not by a flag
    bool takes_value = false;        // not a switch
    bool is_required = false;
    bool is_repeated = false;          // may be given several times, or several values at once
    bool takes_list = false;           // values separated by commas
    std::string value;                 // the value's placeholder: "SECONDS", "off|on"
    std::vector<std::string> choices;  // the possible values, if they are known
    std::string help;
    std::string group;     // its heading in the help
    std::string standard;  // the default value; empty: none
};

struct VerbHelp {
    std::string name;
    std::string group;  // "Measure", "Look"
    std::string meaning;
    std::string examples;  // lines
    std::vector<OptionHelp> options;
    std::vector<VerbHelp> verbs;  // the verbs below this one
};

// Makes every option of every verb take one word, even if it is a list, so that no list swallows
// the next argument: lists use commas, or repeat the option.
void take_one_word_each(CLI::App& app);

// The options and arguments of a program or verb, in the order of definition.
VerbHelp help_of(const CLI::App& app);

// The options of one group, without those that have no group; the arguments if `group` is empty.
std::vector<OptionHelp> options_in(const VerbHelp& verb, const std::string& group);

// Every group of options, in order; the group of --help comes last.
std::vector<std::string> groups_of(const VerbHelp& verb);

}  // namespace strata
