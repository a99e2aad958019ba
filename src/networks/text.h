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
// clang-format off
//   graph small                                    its name
//   input data f32 32x3x8x8                        given from outside; also: label
//   parameter shared f32 10x64                     where an operator does not make it itself;
//                                                  also: statistic, constant
//   conv1 = convolution(data) out_channels=4       a layer, with the attributes that differ from
//                                                  the defaults; its result has the layer's name,
//                                                  its parameters are conv1.weight, conv1.bias
//   fc2 -> y = matmul(conv1; shared)               a result with another name; parameters listed
//                                                  after ';' replace those a layer would make
//   odd -> a f32 32x5, b s64 32 = opaque(y) foreign_type="Odd" reason="..."   shapes stated
//   alias node_Conv_7                              of the layer above: its name in the source file
//   source net.py:12                               likewise: its line in the source program
//   output y                                       absent: every tensor that nothing reads
// clang-format on
//
// A line that starts with # is a comment. A name with characters other than letters, digits and
// _ . / : - is quoted, with \\, \" and \xHH. Values of tensors are not part of the text: a network
// read from it draws them at random.
std::string to_text(const Graph& graph);

// Limits on the text, far above any network's size and far below available memory.
inline constexpr std::size_t max_graph_text = std::size_t{64} << 20;  // bytes
inline constexpr std::size_t max_graph_name = 1024;                   // bytes of one name

// Inverse of to_text. `origin` names the file in messages. A batch replaces the outermost extent of
// inputs and labels, and of stated shapes and reshapes that repeat it. Throws Error, one sentence
// with file, line and fix.
Graph parse_graph(std::string_view text, std::string_view origin,
                  std::optional<std::int64_t> batch = {});

}  // namespace strata
