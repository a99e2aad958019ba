// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata {

// Released measurements from their authors' file: named columns with one number per row, and a
// label for each row, "layer_4-node_32-input_2000-output_200-bs_64", for an operator followed by
// its kind: "...-bs_64-loop fusion". Missing numbers are NaN. A number in a label, such as "bs",
// becomes a column too, unless one of that name exists.
struct ReleasedTable {
    std::vector<std::string> labels = {};
    std::vector<std::string> kinds = {};  // kind of the operator; empty: the row is a network's
    std::map<std::string, std::vector<double>> columns = {};
};

// The tables by content: "tpu results" and "gpu results" of networks, "trace" of networks on a TPU,
// "operators" of these networks.
using ReleasedTables = std::map<std::string, ReleasedTable>;

}  // namespace strata
