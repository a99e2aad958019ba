// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata {

// Released measurements as their authors' file has them: lists of numbers by name, of which each
// row has one, and a label for each row, "layer_4-node_32-input_2000-output_200-bs_64", of an
// operator with its kind behind: "...-bs_64-loop fusion". What the file has no number for is NaN.
// A number in a label is a column, too, as "bs", unless there is one of that name.
struct ReleasedTable {
    std::vector<std::string> labels = {};
    std::vector<std::string> kinds = {};  // of the operator; empty: the row is a network's
    std::map<std::string, std::vector<double>> columns = {};
};

// By what the tables are of: "tpu results" and "gpu results" of networks, "trace" of networks on a
// TPU, "operators" of these networks.
using ReleasedTables = std::map<std::string, ReleasedTable>;

}  // namespace strata
