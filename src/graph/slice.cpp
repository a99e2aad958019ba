// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// One slice under construction.
class Slicer {
public:
    Slicer(const Graph& graph, std::string_view layer_glob)
        : graph_(graph),
          chosen_(graph.layers.size()),
          used_(graph.tensors.size()),
          computed_(graph.tensors.size()),
          new_id_(graph.tensors.size()) {
        choose(layer_glob);
    }

    Graph run() {
        slice_.name = graph_.name;
        slice_.training_doubts = graph_.training_doubts;
        tensors();
        layers();
        inputs();
        outputs();
        validate(slice_);
        return std::move(slice_);
    }

private:
    void choose(std::string_view layer_glob) {
        for (LayerId id = 0; id < graph_.layers.size(); ++id) {
            const Layer& layer = graph_.layers[id];
            chosen_[id] = is_called(layer, layer_glob);
            mark(chosen_[id] ? layer.inputs : std::vector<TensorId>{}, used_);
            mark(chosen_[id] ? layer.outputs : std::vector<TensorId>{}, used_);
            mark(chosen_[id] ? layer.outputs : std::vector<TensorId>{}, computed_);
        }
        if (std::ranges::find(chosen_, true) == chosen_.end()) {
            throw Error(fmt::format("{}: no layer matches \"{}\"{}", printable(graph_.name),
                                    printable(layer_glob), hint(layer_glob)),
                        ExitCode::usage);
        }
    }

    static void mark(const std::vector<TensorId>& ids, std::vector<bool>& marks) {
        for (const TensorId id : ids) {
            marks[id] = true;
        }
    }

    std::string hint(std::string_view layer_glob) const {
        std::vector<std::string> names;
        for (const Layer& layer : graph_.layers) {
            names.push_back(layer.name);
        }
        const auto meant = nearest(layer_glob, names);
        return meant ? fmt::format("; did you mean \"{}\"?", printable(*meant))
                     : "; see its layers with `strata show`";
    }

    void tensors() {
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (!used_[id]) {
                continue;
            }
            new_id_[id] = slice_.tensors.size();
            slice_.tensors.push_back(graph_.tensors[id]);
            if (graph_.tensors[id].role == Role::activation && !computed_[id]) {
                slice_.tensors.back().role = Role::input;
            }
        }
    }

    std::vector<TensorId> renumbered(const std::vector<TensorId>& ids) const {
        std::vector<TensorId> result;
        for (const TensorId id : ids) {
            result.push_back(new_id_[id]);
        }
        return result;
    }

    void layers() {
        for (LayerId id = 0; id < graph_.layers.size(); ++id) {
            const Layer& layer = graph_.layers[id];
            if (chosen_[id]) {
                slice_.layers.push_back({layer.name, layer.op, renumbered(layer.inputs),
                                         renumbered(layer.outputs), layer.alias, layer.source});
            }
        }
    }

    // The network's own inputs first, in their order, then what layers outside the slice compute.
    void inputs() {
        for (const TensorId id : graph_.inputs) {
            if (used_[id]) {
                slice_.inputs.push_back(new_id_[id]);
            }
        }
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (used_[id] && graph_.tensors[id].role == Role::activation && !computed_[id]) {
                slice_.inputs.push_back(new_id_[id]);
            }
        }
    }

    // The network's own outputs first, then tensors that nothing in the slice reads or that other
    // layers read.
    void outputs() {
        std::vector<bool> listed(graph_.tensors.size());
        for (const TensorId id : graph_.outputs) {
            if (computed_[id]) {
                slice_.outputs.push_back(new_id_[id]);
                listed[id] = true;
            }
        }
        const auto consumers = consumers_of(graph_);
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (computed_[id] && !listed[id] && leaves(consumers[id])) {
                slice_.outputs.push_back(new_id_[id]);
            }
        }
    }

    bool leaves(const std::vector<LayerId>& readers) const {
        return std::ranges::any_of(readers, [&](LayerId reader) { return !chosen_[reader]; });
    }

    const Graph& graph_;
    std::vector<bool> chosen_;    // by layer
    std::vector<bool> used_;      // by tensor: read or written in the slice
    std::vector<bool> computed_;  // by tensor: written in the slice
    std::vector<TensorId> new_id_;
    Graph slice_;
};

}  // namespace

Graph slice(const Graph& graph, std::string_view layer_glob) {
    return Slicer(graph, layer_glob).run();
}

}  // namespace strata
