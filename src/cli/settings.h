// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace strata {

// What gave options their values: a variable, a file.
using Sources = std::map<const CLI::Option*, std::string>;

// Makes the library forget the variables of all options, and returns them: it would read them for
// verbs that were not called, and behind the file of --config.
std::map<const CLI::Option*, std::string> take_variables(CLI::App& program);

// Gives the options of the called verbs that the words do not decide the value of their variable,
// or else that of the file of --config, in the section of the verb ([runs.delete]), in that of a
// verb above it, or before all sections. `given` has the same verbs and has read the words; to
// `program` they are still to come. An option that one of the words excludes gets nothing. Throws
// Error if the file cannot be read, or names what there is not.
Sources apply_settings(CLI::App& program, CLI::App& given);

// What the options of the called verbs are set to, a line for each that is set:
//
//     strata runs delete --database B (the command line)
std::string settings_text(CLI::App& program, const Sources& sources);

}  // namespace strata
