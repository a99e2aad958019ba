// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command_line.h"

namespace strata {

// What --help prints of a program or verb, at most `width` columns wide:
//
//   Measure networks layer by layer: …
//
//   Usage: strata run NETWORK... [options]
//
//     NETWORK...          a name from `strata list networks`, …
//
//   Execution
//     --threads N,…       threads; 0 takes all this process may use [0]
//
//   Examples
//     strata run alexnet --batch 32
std::string help_text(const VerbHelp& verb, const std::string& called, std::size_t width);

// Makes it the help of an application and of every verb that is added to it later.
void use_help_text(CLI::App& app);

// The nearest flag to one that the verb does not have: "did you mean --batch?"; empty where none is
// near.
std::string suggestion_for(const CLI::App& verb, const std::string& unknown);

}  // namespace strata
