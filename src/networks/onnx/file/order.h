// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/model.h"

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace strata {

// A node of a graph and everything it reads: its inputs, and what its bodies (If, Loop, Scan)
// capture from outside.
struct OrderedNode {
    const OnnxNode* node = nullptr;
    std::vector<std::string_view> reads;
};

// Whether a graph defines every name that it reads, or is a body that also reads from outside.
enum class DefinedNames { all_known, some_from_outside };

// The nodes that the outputs depend on, in an order of execution as close to the file's order as
// possible. Throws Error that names file and node if a name is defined twice or read but never
// defined, if there is a cycle, or if there are no outputs.
std::vector<OrderedNode> execution_order(const OnnxGraph& graph, const WireFile& file,
                                         DefinedNames names);

// How a message refers to a node: by its name (or else its first output) and its operator.
std::string describe(const OnnxNode& node);

// ONNX's default domain has two spellings.
bool is_default_domain(std::string_view domain);

// The domain of ONNX Runtime's own operators.
inline constexpr std::string_view microsoft_domain = "com.microsoft";

}  // namespace strata
