// SPDX-License-Identifier: MIT
#include "view/show.h"

#include "base/enumeration.h"
#include "view/cells.h"
#include "view/layer_work.h"
#include "view/memory.h"
#include "view/opaque_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace strata {

namespace {

struct PassColumn {
    Pass pass;
    const char* key;
    const char* title;
    Importance importance;
};

constexpr std::array<PassColumn, 4> pass_columns = {
    {{Pass::forward, "flops_forward", "forward", Importance::essential},
     {Pass::backward_data, "flops_backward_data", "backward data", Importance::normal},
     {Pass::backward_weights, "flops_backward_weights", "backward weights", Importance::normal},
     {Pass::update, "flops_update", "update", Importance::detail}}};

// The traffic of the passes whose work is known; missing if there are none.
Cell traffic_cell(std::span<const std::optional<PassWork>> passes) {
    std::optional<Bytes> traffic;
    for (const auto& work : passes) {
        if (work) {
            traffic = traffic.value_or(Bytes()) + work->read + work->written;
        }
    }
    return optional_cell(traffic, [](Bytes known) { return bytes_cell(known); });
}

// A shape with one extent of 0: an opaque layer's result whose shape nothing states.
bool is_unknown(const Dims& dims) {
    return dims == Dims{0};
}

// Whether the network's file names the sources of its layers.
bool has_sources(const Graph& graph) {
    return std::ranges::any_of(graph.layers,
                               [](const Layer& layer) { return !layer.source.empty(); });
}

std::vector<Cell> row_of(const Graph& graph, const Cell& batch, const Layer& layer,
                         const LayerWork& work) {
    std::vector<Cell> row;
    row.reserve(9 + pass_columns.size());  // includes source and alias; there may be very many rows
    row.insert(row.end(), {graph.name, batch, layer.name, kind_of(layer.op)});
    row.push_back(is_unknown(work.output) ? Cell(Missing{}) : Cell(to_text(work.output)));
    row.push_back(work.parameters == 0 ? Cell(Missing{})
                                       : count_cell(static_cast<double>(work.parameters)));
    for (const auto& column : pass_columns) {
        row.push_back(optional_cell(work.passes[static_cast<std::size_t>(column.pass)],
                                    [](const PassWork& pass) { return flops_cell(pass.flops); }));
    }
    row.push_back(traffic_cell(work.passes));
    row.emplace_back(layer.source);
    row.emplace_back(layer.alias);
    return row;
}

std::vector<Cell> total_of(const NetworkWork& network) {
    const char* name = network.uncounted > 0 ? "total, at least" : "total";
    std::vector<Cell> row = {"", Missing{}, name,
                             "", "",        count_cell(static_cast<double>(network.parameters))};
    for (const auto& column : pass_columns) {
        const auto& work = network.passes[static_cast<std::size_t>(column.pass)];
        row.push_back(
            optional_cell(work, [](const PassWork& pass) { return flops_cell(pass.flops); }));
    }
    row.push_back(traffic_cell(network.passes));
    row.emplace_back("");
    row.emplace_back("");
    return row;
}

Table layers_table(const Graph& graph, const NetworkWork& network, const Convention& convention,
                   Mode mode) {
    Table table{.records = "layers"};
    table.columns = {data_column("network"),
                     data_column("batch"),
                     {"layer", "layer", Importance::essential},
                     {"operator", "operator", Importance::normal},
                     {"output", "output", Importance::essential},
                     {"parameters", "parameters", Importance::normal}};
    for (const auto& column : pass_columns) {
        table.columns.push_back({column.key, column.title, column.importance});
    }
    table.columns.push_back({"traffic_bytes", "traffic", Importance::detail});
    const Audience of_sources = has_sources(graph) ? Audience::all : Audience::data;
    table.columns.push_back({"source", "source", Importance::normal, of_sources});
    table.columns.push_back({"alias", "in the file", Importance::detail, of_sources});
    const Cell batch = count_cell(static_cast<double>(batch_of(graph)));
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        table.rows.push_back(row_of(graph, batch, graph.layers[i], network.layers[i]));
    }
    table.totals.push_back(total_of(network));
    table.notes = {
        fmt::format("Operations counted by the convention {}: {}", convention.name,
                    convention.meaning),
        "Traffic: each operand read once and each result written once, over all passes."};
    if (const std::string note = opaque_note(graph); !note.empty()) {
        table.notes.push_back(note);
    }
    if (mode == Mode::training) {
        table.notes.insert(table.notes.end(), graph.training_doubts.begin(),
                           graph.training_doubts.end());
    }
    return table;
}

Table memory_table(const Graph& graph, const NetworkWork& network) {
    const auto row = [](const char* what, Bytes training, Bytes inference) {
        return std::vector<Cell>{what, bytes_cell(training), bytes_cell(inference)};
    };
    const Footprint& training = network.training;
    const Footprint& inference = network.inference;
    Table table;
    table.title = "memory";
    table.columns = {{"purpose", "purpose", Importance::essential},
                     {"training_bytes", "training", Importance::essential},
                     {"inference_bytes", "inference", Importance::essential}};
    table.rows = {row("parameters", training.parameters, inference.parameters),
                  row("optimizer", training.optimizer, inference.optimizer),
                  row("activations", training.activations, inference.activations),
                  row("gradients", training.gradients, inference.gradients)};
    table.totals = {row("peak", training.peak, inference.peak),
                    {"Caffe's count of data", bytes_cell(network.caffe_data), Missing{}}};
    table.notes = {
        "By liveness, without the library's scratch memory. The parts may peak at different "
        "moments, so the peak can be less than their sum."};
    const auto unknown = std::ranges::count_if(graph.tensors, [](const GraphTensor& one) {
        return one.role == Role::activation && is_unknown(one.tensor.dims);
    });
    if (unknown > 0) {
        table.notes.push_back(
            fmt::format("A lower bound: the shapes of {} tensors are unknown.", unknown));
    }
    return table;
}

}  // namespace

Document show_document(const Graph& graph, const Convention& convention,
                       const Execution& execution) {
    const NetworkWork network = work_of(graph, convention, execution);
    Document document{.title = fmt::format("{}, batch {}, {}", graph.name, batch_of(graph),
                                           name_of(execution.numerics.mode))};
    document.blocks.emplace_back(layers_table(graph, network, convention, execution.numerics.mode));
    Table memory = memory_table(graph, network);
    Execution training = execution;
    training.numerics.mode = Mode::training;
    if (std::string note = masters_note(training); !note.empty()) {
        memory.notes.push_back(std::move(note));
    }
    document.blocks.emplace_back(std::move(memory));
    return document;
}

}  // namespace strata
