// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <map>
#include <string>
#include <string_view>

namespace strata {

// The network of an inference as changes of a device have it multiplied ("products" -> "fp8" or
// "int8"; Settings::device_changes): the weights of fully connected layers and of products in that
// type, which their inputs are narrowed to; everything else as it was. As inference stacks do, the
// last of these layers, which gives the results, stays as it is, and so does a weight that another
// layer reads, too, such as an embedding. TensorRT ("framework") also holds images between
// convolutions, and their filters, in int8. Without such changes, the network itself. Throws Error
// for another type.
Graph as_multiplied(Graph graph, const std::map<std::string, std::string>& changes);

// The element type of such products: "fp8" is f8e4m3fn, "int8" s8. Throws Error for another one.
DataType product_type(std::string_view name);

}  // namespace strata
