// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"

#include <vector>

namespace strata {

// Extents and axes of reshape-like nodes, shared by the converters and the folding. Each function
// throws Unsupported if the node computes them at run time, Error if they do not fit.

Dims reshape_target(const NodeImport& node);  // resolved: no 0, no -1
Dims flatten_target(const NodeImport& node);
Dims squeeze_target(const NodeImport& node);
Dims unsqueeze_target(const NodeImport& node);
Dims transpose_permutation(const NodeImport& node);

// What Slice or Split takes along one axis: `extent` positions, the first at `start`.
struct Cut {
    std::size_t axis = 0;
    std::int64_t start = 0;
    std::int64_t extent = 0;
    std::int64_t step = 1;
};

std::vector<Cut> cuts_of(const NodeImport& slice);
std::vector<Cut> parts_of(const NodeImport& split);  // one for each output

Dims expand_target(const NodeImport& node);
Dims tile_target(const NodeImport& node);

// The elements of a matrix on one side of a diagonal, which Trilu keeps.
struct TriangleMask {
    explicit TriangleMask(const NodeImport& node);

    bool keeps(std::int64_t row, std::int64_t column) const {
        return upper ? column - row >= diagonal : column - row <= diagonal;
    }

    bool upper = true;
    std::int64_t diagonal = 0;
};

// The axes of a reduction, counted from the front and sorted, from input 1 or the attribute. Empty:
// none is reduced (noop_with_empty_axes).
Dims reduced_axes(const NodeImport& node);

// An axis counted from the front. Throws Error if it does not exist.
std::size_t axis_of(std::int64_t axis, std::size_t rank);

}  // namespace strata
