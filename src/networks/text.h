// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// A network as text, one item a line:
//
//   graph small                                    its name
//   input data f32 32x3x8x8                        given from outside; also: label
//   parameter shared f32 10x64                     where an operator does not make it itself; also:
//                                                  statistic, constant
//   conv1 = convolution(data) out_channels=4 kernel=3x3     a layer, with the attributes that are
//   not
//                                                  the default ones; its result is named as the
//                                                  layer, its parameters conv1.weight, conv1.bias
//   fc2 -> y = fully_connected(conv1; shared) out_features=10 bias=false    a result of another
//   name;
//                                                  behind ';' stand the parameters, then none are
//                                                  made
//   odd -> a f32 32x5, b s64 32 = opaque(y) foreign_type="Odd" reason="..."   shapes stated
//   alias node_Conv_7                              of the layer above: what its file calls it
//   source net.py:12                               likewise: the line of the program it comes from
//   output y                                       absent: what nobody reads
//
// A line whose first mark is # is a comment. A name with other characters than letters, digits and
// _ . / : - stands in quotes, with \\, \" and \xHH. Values of tensors are not part of the text: a
// network read from it draws them at random.
std::string to_text(const Graph& graph);

// What the text may hold at most; far beyond any network, far below any memory.
inline constexpr std::size_t max_graph_text = std::size_t{64} << 20;  // bytes
inline constexpr std::size_t max_graph_name = 1024;                   // bytes of one name

// Inverse of to_text. `origin` names the file in messages. A batch replaces the outermost extent of
// inputs and labels, and with it that of stated shapes and reshapes that repeat it. Throws Error,
// one sentence with file, line and fix.
Graph parse_graph(std::string_view text, std::string_view origin,
                  std::optional<std::int64_t> batch = {});

}  // namespace strata
