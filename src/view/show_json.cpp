// SPDX-License-Identifier: MIT
#include "view/layer_work.h"
#include "view/show.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// Operations and bytes are counts; a convention with broken weights rounds.
template <class Quantity>
Json whole(Quantity count) {
    return static_cast<std::int64_t>(std::llround(count.value));
}

Json work_json(const std::optional<PassWork>& work) {
    if (!work) {
        return nullptr;
    }
    return {{"flops", whole(work->flops)},
            {"bytes_read", whole(work->read)},
            {"bytes_written", whole(work->written)}};
}

Json passes_json(const LayerWork& layer) {
    Json passes = Json::object();
    for (const Pass pass : all_passes) {
        passes[std::string(name_of(pass))] =
            work_json(layer.passes[static_cast<std::size_t>(pass)]);
    }
    return passes;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json layer_json(const Layer& layer, const LayerWork& work) {
    return {{"name", layer.name},
            {"alias", text_or_null(layer.alias)},
            {"source", text_or_null(layer.source)},
            {"operator", kind_of(layer.op)},
            {"inputs", work.inputs},
            {"output", work.output},
            {"parameters", work.parameters},
            {"work", passes_json(work)}};
}

Json footprint_json(const Footprint& footprint) {
    return {{"parameters", whole(footprint.parameters)},
            {"optimizer", whole(footprint.optimizer)},
            {"activations", whole(footprint.activations)},
            {"gradients", whole(footprint.gradients)},
            {"peak", whole(footprint.peak)}};
}

Json totals_json(const NetworkWork& network) {
    Json totals = {{"parameters", network.parameters},
                   {"flops_forward", whole(network.passes[0].flops)},
                   {"memory_training_bytes", whole(network.training.peak)},
                   {"memory_inference_bytes", whole(network.inference.peak)}};
    for (const Pass pass : {Pass::backward_data, Pass::backward_weights, Pass::update}) {
        totals["flops_" + std::string(name_of(pass))] =
            whole(network.passes[static_cast<std::size_t>(pass)].flops);
    }
    totals["memory_training"] = footprint_json(network.training);
    totals["memory_inference"] = footprint_json(network.inference);
    totals["caffe_data_bytes"] = whole(network.caffe_data);
    return totals;
}

}  // namespace

std::string show_json(const Graph& graph, const Convention& convention,
                      const Execution& execution) {
    const NetworkWork network = work_of(graph, convention, execution);
    Json layers = Json::array();
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        layers.push_back(layer_json(graph.layers[i], network.layers[i]));
    }
    const Json shown = {{"network", graph.name},
                        {"batch", batch_of(graph)},
                        {"convention", convention.name},
                        {"layers", layers},
                        {"totals", totals_json(network)}};
    return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
