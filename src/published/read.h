// SPDX-License-Identifier: MIT
#pragma once

#include "published/reproduction.h"

#include <string_view>

namespace strata {

// Reads a file of data/published:
//
//   title = "Operations of each layer of AlexNet"
//   source = "Dong et al., ICPE 2018"
//   model = "14 operations for each element of an LRN are fitted to its rows"
//   remarks = ["Its printed numbers are rounded here and cut off there."]
//   every = { basis = "printed", where = "Table 1", network = "alexnet-ungrouped" }
//   numbers = [
//     { name = "conv1", layers = "conv1", published = 210e6, tolerance = 1e6 },
//     { name = "lrn1", layers = "lrn1", published = 4e6, tolerance = 1e6, modelled = true },
//     { name = "conv2 / conv1", layers = "conv2", over = { layers = "conv1" }, published = 4.2,
//       tolerance = 0.1 },
//   ]
//
// The keys in `every` are the defaults of each number. Keys of a number: name, basis (printed,
// digitised, artifact or derived), where (page, table, figure, slide or file), published,
// tolerance, differs, modelled (ours is a formula fitted to these numbers, as `model` says), times,
// minus, over, and those of the counted quantity: network, batch, layers, except, count,
// convention, kernel, passes, first_layer_gradient. `minus` and `over` have these too and default
// to the number's. A number with `release = { data, over, quantity, metric }`, or `{ data, column,
// kind, quantity, below }`, is computed from files that the authors released (FromRelease) and has
// none of these keys. A number with `devices` is the speed-up of so many over one, as strata
// predicts it from `single_ms`, a step of one with the whole batch (FromSpeedup); `above` changes
// some of its keys and makes the number 1 if the speed-up exceeds that one. Name, basis, where,
// published and network or release are needed. Throws Error, one sentence with file, place and fix;
// `origin` is the file's name and gives the reproduction's.
Reproduction parse_reproduction(std::string_view toml, std::string_view origin);

}  // namespace strata
