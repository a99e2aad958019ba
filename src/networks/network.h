// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "networks/zoo/zoo.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// What to make a graph from: a zoo name, a generated network such as "fc:layers=8,nodes=1024"
// (networks/generate/generator.h), the path of an .onnx, .graph, .dnnmark or .dnntemplate file, or
// an operator in one line, as op/problem.h reads it. Such an operator becomes a network of one
// layer. Its input is the network's input, so its gradient is computed if FirstLayerGradient asks
// for it. "@convolutional" behind a name asks for another head (networks/convolutional_head.h).
struct NetworkRequest {
    std::string network;
    std::optional<std::int64_t> batch;             // absent: the file's own; 1 for the zoo
    std::map<std::string, std::int64_t> dims;      // values for a file's symbolic dimensions
    std::map<std::string, std::string> variables;  // values for a template's $NAMES
};

// The requested graph. Throws Error if the name is unknown (with the nearest), the file is
// unreadable or broken, or this kind of network does not have a given setting.
Graph load_network(const NetworkRequest& request);
// The same as it is executed: without its loss for inference.
Graph load_network(const NetworkRequest& request, Mode mode);

// The name under which a network's results are stored: a generator's has every key, others are
// unchanged. Throws Error if a generator is misspelt.
std::string canonical_network(const std::string& network);

// The files that a network is read from: its own, then those that contain its weights; none if the
// network is not a file. Throws Error if its own file cannot be read.
std::vector<std::filesystem::path> files_of(const std::string& network);

// The zoo's network of that name. Throws Error with exit code usage and the nearest name.
const ZooNetwork& find_zoo_network(std::string_view name);

// The same network without its loss: the trailing softmax cross-entropy becomes a softmax, because
// inference has no labels. Other networks are returned unchanged.
Graph for_inference(Graph graph);

// The request with another value of one parameter: "batch" for any network; a generator's own
// parameter, which is replaced in the text or added to it ("lstm:hidden=64" -> "lstm:hidden=128");
// an attribute of an operator in one line ("fully_connected(8x64) out_features=10"); a symbolic
// dimension of an .onnx file; a variable of a DNNMark file. Throws Error with exit code usage if
// batch is the only parameter of this kind of network. load_network checks whether the name exists.
NetworkRequest with_parameter(NetworkRequest request, const std::string& name, std::int64_t value);

}  // namespace strata
