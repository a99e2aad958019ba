// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// A node that only moves elements, by indices known at import: for each element of the result, its
// source in the operands. Elements are numbered through all operands, the second after the first.
struct ElementMap {
    Dims dims;                           // of the result
    std::vector<std::int64_t> elements;  // row-major
    std::vector<std::size_t> operands;   // the inputs that elements are taken from
};

// The map of a node; null if the operator is not such a movement. Each throws Unsupported if an
// index is computed at run time or there are too many elements, Error if an index is out of range.
using MakeElementMap = ElementMap (*)(const NodeImport& node);
MakeElementMap find_element_map(std::string_view op_type);

// Calls use(index) for every index of a tensor, row-major. Requires: few elements.
template <class Use>
void for_each_index(const Dims& dims, Use&& use) {
    Dims index(dims.size(), 0);
    for (std::int64_t left = product(dims); left > 0; --left) {
        use(std::as_const(index));
        for (std::size_t axis = dims.size(); axis-- > 0 && ++index[axis] == dims[axis];) {
            index[axis] = 0;
        }
    }
}

}  // namespace strata
