// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command_line.h"

namespace strata {

// strata(1) in roff: every verb with its options and examples, exit codes, environment and files.
std::string man_page(const VerbHelp& program);

}  // namespace strata
