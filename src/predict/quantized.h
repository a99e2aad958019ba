// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <map>
#include <string>
#include <string_view>

namespace strata {

// The network of an inference with products in 8 bits, if a run's changes ask for them ("products"
// -> "fp8" or "int8"; Settings::device_changes); otherwise the network itself. The weights of fully
// connected layers and of products get that type, and their inputs are narrowed to it; everything
// else stays as it was. As in inference stacks, the last of these layers, which gives the results,
// keeps its type, and so does a weight that another layer also reads, such as an embedding.
// TensorRT ("framework") also holds the images between convolutions, and their filters, in int8.
// Throws Error for another type.
Graph as_multiplied(Graph graph, const std::map<std::string, std::string>& changes);

// The element type of such products: "fp8" is f8e4m3fn, "int8" s8. Throws Error for another one.
DataType product_type(std::string_view name);

}  // namespace strata
