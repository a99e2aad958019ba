// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "record/options.h"
#include "view/batch_memory.h"
#include "view/json.h"
#include "view/json_values.h"
#include "view/layer_work.h"
#include "view/memory.h"
#include "view/traffic_line.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json fit_json(const std::optional<Extrapolation>& found) {
    if (!found) {
        return nullptr;
    }
    const auto& rate = found->hardware_interval;
    // Omits the values of a line that does not describe the times: readers would take them for
    // constants.
    const auto told = [&](const auto& value) {
        return found->misfit.empty() ? Json(value) : Json();
    };
    return {{"points", found->points.size()},
            {"slope_s_per_flop", told(found->line.slope)},
            {"flop_per_s", found->hardware ? told(found->hardware->value) : Json()},
            {"flop_low_per_s", rate ? told(rate->low) : Json()},
            {"flop_high_per_s", rate ? told(rate->high) : Json()},
            {"framework_s", told(found->framework.value)},
            {"framework_low_s", told(found->framework_interval.low)},
            {"framework_high_s", told(found->framework_interval.high)},
            {"half_rate_flops",
             found->half_rate_work ? told(whole_json(*found->half_rate_work)) : Json()},
            {"r_squared", found->line.r_squared},
            {"describes", found->misfit.empty()},
            {"reason", found->misfit.empty() ? Json() : Json(found->misfit)}};
}

Json saturation_json(const Sweep& sweep) {
    const auto found = saturation_of(sweep);
    if (!found) {
        return nullptr;
    }
    return {{"batch", found->batch},
            {"earliest_batch", found->earliest},
            {"latest_batch", found->latest},
            {"best_batch", found->best_batch},
            {"best_examples_per_s", found->best.median},
            {"reached", found->reached}};
}

Json capacity_json(const std::optional<Capacity>& capacity) {
    if (!capacity) {
        return nullptr;
    }
    const LargestBatch& largest = capacity->largest;
    const bool found = largest.limit != BatchLimit::none;
    return {{"batch", found ? Json(largest.batch) : Json()},
            {"limit", name_of(largest.limit)},
            {"needed_bytes", whole_json(largest.needs)},
            {"memory_bytes", whole_json(capacity->memory)},
            {"memory_source", name_of(capacity->source)},
            {"searched_to", largest_batch_tried},
            {"origin", "modelled"}};
}

Json work_json(const std::optional<PassWork>& work) {
    if (!work) {
        return nullptr;
    }
    return {{"flops", whole_json(work->flops)},
            {"bytes_read", whole_json(work->read)},
            {"bytes_written", whole_json(work->written)}};
}

Json layer_json(const Layer& layer, const LayerWork& work) {
    Json passes = Json::object();
    for (const Pass pass : all_passes) {
        passes[std::string(name_of(pass))] = work_json(work.passes[static_cast<std::size_t>(pass)]);
    }
    return {{"layer", layer.name},
            {"alias", layer.alias.empty() ? Json() : Json(layer.alias)},
            {"source", layer.source.empty() ? Json() : Json(layer.source)},
            {"operator", kind_of(layer.op)},
            {"inputs", work.inputs},
            {"output", work.output},
            {"parameters", work.parameters},
            {"work", std::move(passes)}};
}

Json footprint_json(const Footprint& footprint) {
    return {{"parameters_bytes", whole_json(footprint.parameters)},
            {"optimizer_bytes", whole_json(footprint.optimizer)},
            {"activations_bytes", whole_json(footprint.activations)},
            {"gradients_bytes", whole_json(footprint.gradients)},
            {"peak_bytes", whole_json(footprint.peak)}};
}

Json totals_json(const NetworkWork& network) {
    Json totals = {{"parameters", network.parameters}};
    for (const Pass pass : all_passes) {
        const auto& work = network.passes[static_cast<std::size_t>(pass)];
        totals["flops_" + std::string(name_of(pass))] = work ? whole_json(work->flops) : Json();
    }
    totals["uncounted_layers"] = network.uncounted;
    totals["memory_training"] = footprint_json(network.training);
    totals["memory_inference"] = footprint_json(network.inference);
    totals["caffe_data_bytes"] = whole_json(network.caffe_data);
    return totals;
}

// Sizes under their keys.
template <class Struct, std::size_t count>
void add_sizes(Json& json, const std::array<SizeColumn<Struct>, count>& columns,
               const Struct& sizes) {
    for (const auto& column : columns) {
        json[column.key] = whole_json(sizes.*column.bytes);
    }
}

Json layer_memory_json(const Json& layer, const LayerMemory& memory) {
    Json json = {{"layer", layer}};
    add_sizes(json, memory_columns, memory);
    return json;
}

Json peak_json(const Graph& graph, const MemoryProfile& profile) {
    Json json = {{"peak_bytes", whole_json(profile.peak.sum())},
                 {"layer", profile.at ? Json(graph.layers[profile.at->layer].name) : Json()},
                 {"pass", profile.at ? Json(name_of(profile.at->pass)) : Json()}};
    add_sizes(json, peak_columns, profile.peak);
    return json;
}

Json batch_json(const Graph& graph, const BatchMemory& memory) {
    const MemoryProfile& profile = memory.profile;
    Json layers = Json::array();
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        layers.push_back(layer_memory_json(graph.layers[i].name, profile.layers[i]));
    }
    return {{"batch", memory.batch},
            {"peak", peak_json(graph, profile)},
            {"inference_peak_bytes", whole_json(memory.inference)},
            {"layers", std::move(layers)},
            {"outside", layer_memory_json(nullptr, profile.outside)},
            {"total", layer_memory_json(nullptr, profile.total)}};
}

Json traffic_fit_json(const WorkSweep& sweep) {
    const auto line = traffic_line(sweep);
    if (!line) {
        return nullptr;
    }
    const std::string misfit = misfit_of(*line);
    return {{"bytes_per_flop", line->slope},
            {"bytes_low_per_flop", line->slope_interval.low},
            {"bytes_high_per_flop", line->slope_interval.high},
            {"bytes_at_none", line->intercept},
            {"r_squared", line->r_squared},
            {"describes", misfit.empty()},
            {"reason", misfit.empty() ? Json() : Json(misfit)}};
}

}  // namespace

Json sweep_json(const Sweep& sweep, const std::optional<Capacity>& capacity,
                const Selection& selection) {
    const Settings& settings = sweep.points.front().run->settings;
    const auto line = extrapolate(sweep);
    return {{"variable", sweep.variable},
            {"origin", name_of(sweep.points.front().run->origin)},
            {"network", settings.network},
            {"backend", settings.backend},
            {"mode", text_of(settings, "mode")},
            {"dtype", text_of(settings, "dtype")},
            {"threads", threads_json(*sweep.points.front().run)},
            {"algorithm", text_of(settings, "algorithm")},
            {"convention", sweep.convention},
            {"points", records_in({.blocks = {points_table(sweep, line)}}, selection)},
            {"fit", fit_json(line)},
            {"saturation", saturation_json(sweep)},
            {"capacity", capacity_json(capacity)}};
}

Json show_json(const Graph& graph, const Convention& convention, const Execution& execution) {
    const NetworkWork network = work_of(graph, convention, execution);
    Json layers = Json::array();
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        layers.push_back(layer_json(graph.layers[i], network.layers[i]));
    }
    return {{"network", graph.name},
            {"batch", batch_of(graph)},
            {"mode", name_of(execution.numerics.mode)},
            {"convention", convention.name},
            {"layers", std::move(layers)},
            {"totals", totals_json(network)}};
}

Json memory_json(std::span<const Graph> graphs, const Execution& execution) {
    std::vector<BatchMemory> batches;
    Json list = Json::array();
    for (const Graph& graph : graphs) {
        list.push_back(batch_json(graph, batches.emplace_back(batch_memory_of(graph, execution))));
    }
    const auto each = bytes_per_image(batches);
    return {{"network", graphs.front().name},
            {"origin", name_of(Origin::modelled)},
            {"mode", name_of(execution.numerics.mode)},
            {"optimizer", name_of(execution.numerics.optimizer)},
            {"batches", std::move(list)},
            {"bytes_per_example", each ? Json(each->value) : Json()}};
}

Json work_sweep_json(const WorkSweep& sweep, const Convention& convention,
                     const Execution& execution) {
    return {{"variable", sweep.variable},
            {"origin", name_of(Origin::modelled)},
            {"network", sweep.network},
            {"mode", name_of(execution.numerics.mode)},
            {"convention", convention.name},
            {"points", records_in({.blocks = {points_table(sweep, convention)}})},
            {"fit", traffic_fit_json(sweep)}};
}

Json work_grid_json(const WorkGrid& grid, const Convention& convention,
                    const Execution& execution) {
    const Document data = data_of(work_grid_document(grid, convention, execution));
    return {{"variables", grid.variables},
            {"origin", name_of(Origin::modelled)},
            {"network", grid.network},
            {"mode", name_of(execution.numerics.mode)},
            {"convention", convention.name},
            {"points", records_of(std::get<Table>(data.blocks.front()))}};
}

}  // namespace strata
