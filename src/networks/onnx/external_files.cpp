// SPDX-License-Identifier: MIT
#include "networks/onnx/external_files.h"

#include "base/file.h"
#include "networks/onnx/model.h"

#include <algorithm>
#include <set>

namespace strata {

namespace {

bool lies_within(const std::filesystem::path& folder, const std::filesystem::path& file) {
    std::error_code none, broken;
    const auto home = std::filesystem::weakly_canonical(folder, none);
    const auto place = std::filesystem::weakly_canonical(file, broken);
    return !none && !broken && std::filesystem::is_regular_file(place, broken) &&
           std::ranges::mismatch(home, place).in1 == home.end();
}

}  // namespace

std::vector<std::filesystem::path> external_files_of(const std::filesystem::path& model) {
    const auto file = MappedFile::open(model);
    const OnnxModel parsed = parse_onnx_model({model.string(), file->bytes()});
    const auto folder = model.has_parent_path() ? model.parent_path() : ".";
    std::vector<std::filesystem::path> files;
    std::set<std::string_view> seen;
    for (const OnnxNamedMessage& named : parsed.graph->initializers) {
        const OnnxTensor tensor = parse_onnx_tensor(named.message);
        for (const auto& [key, value] : tensor.external_data) {
            const bool is_new =
                tensor.is_external && key == "location" && seen.insert(value).second;
            if (is_new && lies_within(folder, folder / std::filesystem::path(value))) {
                files.push_back(folder / std::filesystem::path(value));
            }
        }
    }
    return files;
}

}  // namespace strata
