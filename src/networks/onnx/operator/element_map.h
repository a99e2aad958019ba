// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/node_import.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace strata {

// A node that only moves elements, by indices known at import. It holds the source element for each
// element of the result. The elements of the second operand are numbered after the first's.
struct ElementMap {
    Dims dims;                           // of the result
    std::vector<std::int64_t> elements;  // row-major
    std::vector<std::size_t> operands;   // the inputs that elements are taken from
};

// The map of a node. Each throws Unsupported if an index is computed at run time or there are too
// many elements, Error if an index is out of range.
using MakeElementMap = ElementMap (*)(const NodeImport& node);
ElementMap map_gather_elements(const NodeImport& node);
ElementMap map_gather_nd(const NodeImport& node);

// The map as layers: the operands are joined into a row and gathered by position.
void convert_by_map(const NodeImport& node, const ElementMap& map);

std::optional<Constant> fold_by_map(const NodeImport& node, const ElementMap& map);

template <MakeElementMap make>
std::optional<Constant> fold_moved(const NodeImport& node) {
    return fold_by_map(node, make(node));
}

}  // namespace strata
