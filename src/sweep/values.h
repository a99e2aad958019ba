// SPDX-License-Identifier: MIT
#pragma once

#include "base/toml_section.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The whole numbers of a key, ascending, each once: one number, a list of them, or a range
//
//   { from = 2000, to = 8000, step = 2000 }   2000, 4000, 6000, 8000
//   { from = 1, to = 10, count = 4 }          1, 4, 7, 10
//   { from = 2, to = 1024, factor = 4 }       2, 8, 32, 128, 512
//
// Requires: the table, which is the section's own, has the key. Throws Error (usage) of one
// sentence if there is no value, one below 1 or beyond 2^40, or more than 10,000.
std::vector<std::int64_t> whole_numbers_in(const toml::table& table, const TomlSection& section,
                                           std::string_view key);

// Throws Error (usage) that names the key's place.
[[noreturn]] void refuse_value(const TomlSection& section, std::string_view key,
                               const std::string& why);

}  // namespace strata
