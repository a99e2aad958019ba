// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace strata {

// One option or argument of a verb, as help, completion and the manual page show it.
struct OptionHelp {
    std::vector<std::string> flags;  // "-b", "--batch"; an argument has its name alone: "network"
    bool is_argument = false;        // given by its place, not by a flag
    bool takes_value = false;        // not a switch
    bool is_required = false;
    bool is_repeated = false;          // may be given several times, or several values at once
    bool takes_list = false;           // values separated by commas
    std::string value;                 // what stands for the value: "SECONDS", "off|on"
    std::vector<std::string> choices;  // the values there are, where they can be told
    std::string help;
    std::string group;     // heading under which help shows it
    std::string standard;  // the value without the option; empty: none
};

struct VerbHelp {
    std::string name;
    std::string group;  // "Measure", "Look"
    std::string meaning;
    std::string examples;  // lines
    std::vector<OptionHelp> options;
    std::vector<VerbHelp> verbs;  // below this one
};

// Lets every option of every verb take one word, whether it is a list, so that no list takes the
// argument that follows it: commas separate, or the option is repeated.
void take_one_word_each(CLI::App& app);

// What a program or verb takes, in the order it was defined in.
VerbHelp help_of(const CLI::App& app);

// The options of one group, those without a group left out; the arguments where `group` is empty.
std::vector<OptionHelp> options_in(const VerbHelp& verb, const std::string& group);

// Every group of options, in order; the one that --help is in comes last.
std::vector<std::string> groups_of(const VerbHelp& verb);

}  // namespace strata
