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
// modules around it and its operator: "/layer1/layer1.0/conv1/Conv". A numbered module repeats its
// parent's name, so a segment either continues the one before ("layer1", "layer1.0") or is below it
// ("conv1"). A module that is called again ends in a number ("relu_1"), and so does a further node
// of the same operator ("Add_1").
class ModulePaths {
public:
    ModulePaths() = default;
    // Requires: the model has a graph and outlives this object. Node names are read as module paths
    // of the older exporter only if PyTorch wrote the file.
    explicit ModulePaths(const OnnxModel& model);

    // The module that computes the node: "layer1.0.conv1". If a module of several operators
    // performs the operation itself, the operation is appended: "layer1.0.add". A node that the
    // exporter's optimizer made belongs to the module of the nodes that read it, or else of those
    // it reads. Empty if the file does not say.
    std::string of(const OnnxNode& node) const;

private:
    void add(const OnnxNode& node, std::string_view scope);
    void place_between_neighbours(const OnnxGraph& graph);
    std::string of_scoped(const OnnxNode& node) const;
    std::string module_of(std::string_view scope) const;

    // The number of nodes directly in each scope (or the metadata's list of scopes).
    std::unordered_map<std::string_view, std::size_t> nodes_in_;
    std::unordered_map<std::string_view, std::size_t> products_in_;
    std::unordered_set<std::string_view> parents_;  // scopes that contain others
    // By first output: the modules of nodes without metadata, made by the default exporter's
    // optimizer.
    std::unordered_map<std::string_view, std::string> placed_;
};

// The innermost source line outside PyTorch: "models/resnet.py:93"; empty if the file does not say.
std::string source_line_of(const OnnxNode& node);

// Whether an exporter has folded a batch normalisation into this convolution's weights. Such
// weights are valid only for inference.
bool holds_folded_normalization(const OnnxNode& node);

}  // namespace strata
