// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/extents.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// A model in memory.
struct OnnxSource {
    std::string name;  // of the file, for messages; its stem names the graph
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;  // keeps the bytes alive; null: the caller does
    std::filesystem::path folder;       // of external data; empty: none
};

// Converts an ONNX model (opset 7 to 28) to a graph. Constant subgraphs are folded; weights stay in
// the file. Nodes that no operator here can compute become Opaque layers with the reason. Throws
// Error, one sentence with file, node and fix, if the file is broken, an open extent has no value,
// or shapes do not fit.
Graph import_onnx(const std::filesystem::path& path, const OnnxOptions& options = {});
Graph import_onnx(const OnnxSource& source, const OnnxOptions& options = {});

// The files in the model's folder that contain its weights, each once, in the model's order.
// Missing files and files outside the folder are left out: the import refuses them by name. Throws
// Error if the model cannot be read.
std::vector<std::filesystem::path> external_files_of(const std::filesystem::path& model);

}  // namespace strata
