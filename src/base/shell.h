// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace strata {

// A word of a command line as a POSIX shell reads it back: quoted only if it must be.
std::string shell_word(std::string_view word);

}  // namespace strata
