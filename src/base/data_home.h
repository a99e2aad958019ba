// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

namespace strata {

// Where a user's data are by the XDG base directory specification: $XDG_DATA_HOME if it is absolute
// (a relative one is invalid and ignored), else ~/.local/share. Nothing if HOME is not set either.
std::optional<std::filesystem::path> data_home();

// An environment variable that is set to something.
std::optional<std::filesystem::path> path_in_environment(const char* name);

}  // namespace strata
