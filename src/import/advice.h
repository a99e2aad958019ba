// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// The kind of a known profiler's file that strata does not read, and what to export instead, as the
// end of a sentence about the file: "is a report of Nsight Systems: ...". Empty for every other
// file.
std::string_view advice_for(const std::filesystem::path& file, std::string_view head);

}  // namespace strata
