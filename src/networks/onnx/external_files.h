// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

namespace strata {

// The files in the model's folder that its weights are in, each once, in the order the model names
// them. What is missing or outside the folder is left out: the import refuses it by name. Throws
// Error where the model cannot be read.
std::vector<std::filesystem::path> external_files_of(const std::filesystem::path& model);

}  // namespace strata
