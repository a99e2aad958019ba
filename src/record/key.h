// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>
#include <string_view>

namespace strata {

// 16 hexadecimal digits that are equal for equal settings and, but for one chance in 2^64, for no
// others. They stay the same from version to version, so they may be stored.
std::string key_of(const Settings& settings);

// The same of any text.
std::string key_of(std::string_view text);

}  // namespace strata
