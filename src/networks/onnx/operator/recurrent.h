// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/layer_writer.h"

#include <array>
#include <string_view>
#include <vector>

namespace strata {

// The order of a cell's weight blocks in ONNX and in Recurrent, and the activations that the cell
// must have.
struct CellLayout {
    std::string_view op_type;
    std::size_t gates = 1;
    std::array<std::size_t, 4> blocks = {};  // block g of ours is block blocks[g] of ONNX's
    std::vector<std::string_view> activations;
};

CellLayout layout_of(CellKind cell);

// In the order of Direction.
inline constexpr std::array<std::string_view, 3> onnx_directions = {"forward", "reverse",
                                                                    "bidirectional"};

// Writes the layers of a Recurrent, one ONNX node each.
void write_recurrent(const Recurrent& op, LayerWriter& to);

}  // namespace strata
