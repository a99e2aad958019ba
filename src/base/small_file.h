// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// The text of a small file: the kernel's files under /proc and /sys, a settings file. Nothing if it
// cannot be read or is longer than `limit`.
std::optional<std::string> read_small_file(const std::filesystem::path& path,
                                           std::size_t limit = 1 << 20);

// Replaces a file as a whole, making its folder where needed: a reader sees the old text or the
// new, also after a crash. Throws Error, naming the file, where that fails.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace strata
