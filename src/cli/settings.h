// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace strata {

// The source of each option's value: a variable, a file.
using Sources = std::map<const CLI::Option*, std::string>;

// Removes the variables of all options from CLI11 and returns them: it would also read them for
// verbs that were not called, and after the file of --config.
std::map<const CLI::Option*, std::string> take_variables(CLI::App& program);

// Sets the options of the called verbs that the words do not set: from their variable, or else from
// the file of --config, in the verb's section ([runs.delete]), in that of a verb above it, or
// before all sections. `given` has the same verbs and has parsed the words; `program` parses them
// later. An option that one of the words excludes is not set. Throws Error if the file cannot be
// read, or names an unknown verb or option.
Sources apply_settings(CLI::App& program, CLI::App& given);

// The values of the called verbs' options, one line for each that is set:
//
//     strata runs delete --database B (the command line)
std::string settings_text(CLI::App& program, const Sources& sources);

}  // namespace strata
