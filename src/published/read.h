// SPDX-License-Identifier: MIT
#pragma once

#include "published/reproduction.h"

#include <string_view>

namespace strata {

// Reads a file of data/published:
//
//   title = "Operations of each layer of AlexNet"
//   source = "Dong et al., ICPE 2018, Table 1"
//   remarks = ["Its printed numbers are rounded here and cut off there."]
//   every = { network = "alexnet-ungrouped", convention = "dong2018", tolerance = 1e6 }
//   numbers = [
//     { name = "conv1", layers = "conv1", published = 210e6, exact = 210_830_400 },
//     { name = "conv2 / conv1", layers = "conv2", over = { layers = "conv1" }, published = 4.2,
//       tolerance = 0.1 },
//   ]
//
// What stands in `every` holds for each number that does not say otherwise. Keys of a number:
// name, published, tolerance, exact, differs, times, minus, over, formula with arguments, grid (the
// ranges of a sweep, whose combinations are counted: ["4..128", "100..900+400"]), and those of what
// is counted: network, batch, layers, except, count, convention, kernel, passes,
// first_layer_gradient. `minus` and `over` have these too, and those of the number where they say
// nothing. Throws Error, one sentence with file, place and mend; `origin` is the file's name and
// gives the reproduction's.
Reproduction parse_reproduction(std::string_view toml, std::string_view origin);

}  // namespace strata
