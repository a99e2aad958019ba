// SPDX-License-Identifier: MIT
#pragma once

#include "record/options.h"

#include <map>
#include <string>
#include <vector>

// Settings as words of a command line: for other processes of this program, for scripts, and for
// commands that a user is told to try.
namespace strata {

// The words that give an option its value: {"--dtype", "bf16"}, {"--inference"}. None for a switch
// that is off, and for an empty value.
std::vector<std::string> arguments_of(const Settings& settings, const Option& option);

// {"--dim", "tokens=64", "--set", "N=8"}: the values of a network's symbols.
std::vector<std::string> arguments_of(const std::map<std::string, std::int64_t>& dims,
                                      const std::map<std::string, std::string>& variables);

void append(std::vector<std::string>& words, const std::vector<std::string>& more);

}  // namespace strata
