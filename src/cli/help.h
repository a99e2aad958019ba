// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command_line.h"

namespace strata {

// The text of --help for a program or verb, at most `width` columns wide:
//
//   Measure networks layer by layer: …
//
//   Usage: strata run NETWORK... [options]
//
//     NETWORK...          a name from `strata list networks`, …
//
//   Execution
//     --threads N,…       number of threads; 0 uses every processor … [0]
//
//   Examples
//     strata run alexnet --batch 32
std::string help_text(const VerbHelp& verb, const std::string& called, std::size_t width);

// strata(1) in roff: every verb with its options and examples, exit codes, environment and files.
std::string man_page(const VerbHelp& program);

// Installs this help in an application and in every verb added to it later.
void use_help_text(CLI::App& app);

// Suggests the flag nearest to an unknown one: "did you mean --batch?"; empty if none is close.
std::string suggestion_for(const CLI::App& verb, const std::string& unknown);

// What a verb needs and was not given, as its help names it: "NETWORK...", "one of runs, scaling";
// empty if nothing.
std::string needed_by(const CLI::App& verb);

}  // namespace strata
