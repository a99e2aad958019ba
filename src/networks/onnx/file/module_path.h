// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/model.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace strata {

// Layer names as PyTorch's exporters record them.
//
// The default one (2.5 and later) writes metadata with each node ("pkg.torch.onnx.name_scopes",
// "...class_hierarchy", "...stack_trace"). The older one, of TorchScript, names a node by the
// modules around it and its operator: "/layer1/layer1.0/conv1/Conv". There a module that is known
// by a number has the name of its parent before it, so that a segment either continues the one
// before ("layer1", "layer1.0") or stands below it ("conv1"); a module that is called again has a
// number at its end ("relu_1"), and so has a further node of one operator ("Add_1").
class ModulePaths {
public:
    ModulePaths() = default;
    // Requires: the model has a graph, and outlives this. Only of files that PyTorch wrote are
    // names of the older exporter's kind taken for module paths.
    explicit ModulePaths(const OnnxModel& model);

    // The module that computes the node: "layer1.0.conv1". For an operation that a module of
    // several operators performs itself, the operation is appended: "layer1.0.add". A node that
    // the exporter's optimizer made lies where those lie that read it, or else what it reads. Empty
    // if the file does not say.
    std::string of(const OnnxNode& node) const;

private:
    void add(const OnnxNode& node, std::string_view scope);
    void place_between_neighbours(const OnnxGraph& graph);
    std::string of_scoped(const OnnxNode& node) const;
    std::string module_of(std::string_view scope) const;

    // By scope, or by the metadata's list of scopes: the nodes that lie just there.
    std::unordered_map<std::string_view, std::size_t> nodes_in_;
    std::unordered_map<std::string_view, std::size_t> products_in_;
    std::unordered_set<std::string_view> parents_;  // scopes that others lie in
    // By first output, the modules of nodes that the default exporter's optimizer made without
    // metadata.
    std::unordered_map<std::string_view, std::string> placed_;
};

// The innermost line of the program outside PyTorch: "models/resnet.py:93"; empty if the file does
// not say.
std::string source_line_of(const OnnxNode& node);

// Whether an exporter has folded a batch normalisation into this convolution's weights, which is
// valid only for inference.
bool holds_folded_normalization(const OnnxNode& node);

}  // namespace strata
