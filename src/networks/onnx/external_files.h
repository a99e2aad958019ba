// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

namespace strata {

// The files in the model's folder that contain its weights, each once, in the order of the model.
// Missing files and files outside the folder are left out: the import refuses them by name. Throws
// Error if the model cannot be read.
std::vector<std::filesystem::path> external_files_of(const std::filesystem::path& model);

}  // namespace strata
