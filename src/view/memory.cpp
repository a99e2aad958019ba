// SPDX-License-Identifier: MIT
#include "view/memory.h"

#include "base/enumeration.h"
#include "view/batch_memory.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

// A modelled number: nothing here is measured.
Cell modelled(Bytes bytes) {
    return bytes_cell(bytes, Provenance::modelled);
}

std::vector<Cell> row_of(const Graph& graph, const Cell& batch, const std::string& name,
                         const std::string& kind, const LayerMemory& memory) {
    std::vector<Cell> row = {graph.name, batch, name, kind};
    for (const auto& column : memory_columns) {
        row.push_back(modelled(memory.*column.bytes));
    }
    return row;
}

Table layers_table(const Graph& graph, const MemoryProfile& profile) {
    Table table{.records = "layers"};
    table.columns = {data_column("network"),
                     data_column("batch"),
                     {"layer", "layer", Importance::essential},
                     {"operator", "operator", Importance::detail}};
    for (const auto& column : memory_columns) {
        table.columns.push_back({column.key, column.title, column.importance});
    }
    const Cell batch = count_cell(static_cast<double>(batch_of(graph)));
    table.rows.push_back(row_of(graph, batch, "(from outside)", "", profile.outside));
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        table.rows.push_back(row_of(graph, batch, graph.layers[i].name, kind_of(graph.layers[i].op),
                                    profile.layers[i]));
    }
    table.totals.push_back(row_of(graph, batch, "total", "", profile.total));
    add_origin(table, Origin::modelled);
    table.notes = {
        "By liveness. Activations: what a layer computes, including masks and indices; kept: the "
        "part that outlives the forward pass.",
        "Memory shared by several layers is listed with the first of them. Activations and "
        "gradients do not all exist at once: only the last column adds up to the peak."};
    return table;
}

Table peak_table(const MemoryProfile& profile, const std::string& place) {
    Table table;
    table.title = place.empty() ? "at the peak" : "at the peak, in " + place;
    table.columns = {{"purpose", "purpose", Importance::essential},
                     {"bytes", "needed", Importance::essential}};
    for (const auto& part : peak_columns) {
        table.rows.push_back({part.title, modelled(profile.peak.*part.bytes)});
    }
    table.totals.push_back({"peak", modelled(profile.peak.sum())});
    table.notes = {"Without the library's scratch memory, which strata run reports for each step."};
    return table;
}

std::string title_of(const Graph& graph, const Execution& execution) {
    const std::string how =
        execution.numerics.mode == Mode::training
            ? fmt::format("training with {}", name_of(execution.numerics.optimizer))
            : "inference";
    return graph.name + ", " + how;
}

Table batches_table(const std::string& network, std::span<const BatchMemory> batches) {
    Table table{.records = "batches"};
    table.columns = {data_column("network"), {"batch", "batch", Importance::essential}};
    for (const auto& part : peak_columns) {
        table.columns.push_back({part.key, part.title, Importance::normal});
    }
    table.columns.push_back({"peak_bytes", "peak", Importance::essential});
    table.columns.push_back({"peak_at", "at", Importance::detail});
    table.columns.push_back({"inference_peak_bytes", "inference", Importance::essential});
    for (const BatchMemory& one : batches) {
        std::vector<Cell> row = {network, count_cell(static_cast<double>(one.batch))};
        for (const auto& part : peak_columns) {
            row.push_back(modelled(one.profile.peak.*part.bytes));
        }
        row.push_back(modelled(one.profile.peak.sum()));
        row.emplace_back(one.at);
        row.push_back(modelled(one.inference));
        table.rows.push_back(std::move(row));
    }
    add_origin(table, Origin::modelled);
    table.notes = {"By liveness, without the library's scratch memory: what exists at the peak."};
    return table;
}

void add_masters_note(const Execution& execution, Document& document) {
    if (std::string note = masters_note(execution); !note.empty()) {
        document.blocks.emplace_back(Paragraph{std::move(note)});
    }
}

StackedBars bars_of(std::span<const BatchMemory> batches) {
    StackedBars bars{.title = "Memory at the peak by batch", .unit = "B"};
    for (const BatchMemory& one : batches) {
        bars.labels.push_back(std::to_string(one.batch));
    }
    for (const auto& part : peak_columns) {
        StackedBars::Series series{.name = part.title};
        for (const BatchMemory& one : batches) {
            series.values.emplace_back((one.profile.peak.*part.bytes).value);
        }
        bars.series.push_back(std::move(series));
    }
    return bars;
}

}  // namespace

std::string masters_note(const Execution& execution) {
    const Numerics& numerics = execution.numerics;
    return numerics.mode == Mode::training && size_in_bytes(numerics.dtype) < 4
               ? fmt::format(
                     "Training in {} is mixed precision: parameters, their gradients and "
                     "the optimizer's state are f32 masters.",
                     name_of(numerics.dtype))
               : std::string();
}

Document memory_document(const Graph& graph, const Execution& execution) {
    const MemoryProfile profile = memory_profile_of(graph, execution);
    Document document{
        fmt::format("{}, batch {}: memory by layer", title_of(graph, execution), batch_of(graph)),
        {layers_table(graph, profile), peak_table(profile, place_of_peak(graph, profile))}};
    add_masters_note(execution, document);
    return document;
}

Document memory_by_batch_document(std::span<const Graph> graphs, const Execution& execution) {
    std::vector<BatchMemory> batches;
    for (const Graph& graph : graphs) {
        batches.push_back(batch_memory_of(graph, execution));
    }
    Document document{title_of(graphs.front(), execution) + ": memory by batch",
                      {batches_table(graphs.front().name, batches), bars_of(batches)}};
    if (const auto each = bytes_per_image(batches)) {
        document.blocks.emplace_back(Paragraph{
            fmt::format("Between the two largest batches, each additional example costs {:.3g} MB.",
                        each->value / 1e6)});
    }
    add_masters_note(execution, document);
    return document;
}

}  // namespace strata
