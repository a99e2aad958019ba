// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/constant_reader.h"
#include "networks/onnx/file/module_path.h"
#include "networks/onnx/node/assembly.h"
#include "networks/onnx/node/extents.h"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace strata {

// The computation done at import so far.
struct Folding {
    std::int64_t elements = 0;  // read or computed
    std::int64_t bytes = 0;     // of constants that are in no file
};

// The names visible in a body: those that it defines are replaced by unique ones.
struct NameScope {
    std::string_view resolve(std::string_view name) const;

    std::unordered_map<std::string_view, std::string_view> names = {};
    const NameScope* outer = nullptr;
};

// The state that the conversion of all nodes of a model shares.
struct ModelImport {
    const WireFile& file;
    const OnnxModel& model;
    std::int64_t opset = 0;  // of the default domain
    const OnnxOptions& options;
    Extents& extents;
    ConstantReader& constants;
    Assembly assembly;
    std::unordered_map<std::string_view, const OnnxValueInfo*> stated;  // by tensor name
    std::unordered_set<std::string_view> used;                          // names that are read
    ModulePaths paths = {};
    Folding folding = {};
    // For bodies: their contents, their unique names, and the visible names.
    std::deque<OnnxGraph> bodies = {};
    std::deque<OnnxNode> nodes = {};
    std::deque<std::string> names = {};
    std::int64_t nodes_of_bodies = 0;
    const NameScope* scope = nullptr;

    // Whether only a few more elements may be computed for any node. The file's own data may be
    // computed once, so time and memory stay linear in its size.
    bool is_spent() const {
        const std::int64_t read = constants.bytes_read();
        return folding.elements > max_folded_elements_in_all + read ||
               folding.bytes > max_folded_bytes_in_all + 4 * read;
    }
};

}  // namespace strata
