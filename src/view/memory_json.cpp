// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "view/batch_memory.h"
#include "view/memory.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json whole(Bytes bytes) {
    return static_cast<std::int64_t>(std::llround(bytes.value));
}

Json layer_json(const LayerMemory& memory) {
    return {{"parameters", whole(memory.parameters)},   {"optimizer", whole(memory.optimizer)},
            {"activations", whole(memory.activations)}, {"kept", whole(memory.kept)},
            {"gradients", whole(memory.gradients)},     {"at_peak", whole(memory.at_peak)}};
}

Json named_layer_json(const std::string& name, const LayerMemory& memory) {
    Json layer = {{"name", name}};
    layer.update(layer_json(memory));
    return layer;
}

Json peak_json(const Graph& graph, const MemoryProfile& profile) {
    const PeakParts& peak = profile.peak;
    return {{"bytes", whole(peak.sum())},
            {"layer", profile.at ? Json(graph.layers[profile.at->layer].name) : Json()},
            {"pass", profile.at ? Json(name_of(profile.at->pass)) : Json()},
            {"parameters", whole(peak.parameters)},
            {"optimizer", whole(peak.optimizer)},
            {"activations", whole(peak.activations)},
            {"gradients", whole(peak.gradients)},
            {"saved", whole(peak.saved)}};
}

std::string text_of(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string memory_json(const Graph& graph, const Execution& execution) {
    const MemoryProfile profile = memory_profile_of(graph, execution);
    Json layers = Json::array();
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        layers.push_back(named_layer_json(graph.layers[i].name, profile.layers[i]));
    }
    return text_of({{"network", graph.name},
                    {"batch", batch_of(graph)},
                    {"mode", name_of(execution.mode)},
                    {"optimizer", name_of(execution.optimizer)},
                    {"peak", peak_json(graph, profile)},
                    {"layers", layers},
                    {"outside", layer_json(profile.outside)},
                    {"total", layer_json(profile.total)}});
}

std::string memory_by_batch_json(std::span<const Graph> graphs, const Execution& execution) {
    std::vector<BatchMemory> batches;
    Json list = Json::array();
    for (const Graph& graph : graphs) {
        const BatchMemory& one = batches.emplace_back(batch_memory_of(graph, execution));
        list.push_back({{"batch", one.batch},
                        {"peak", peak_json(graph, one.profile)},
                        {"inference_bytes", whole(one.inference)}});
    }
    const auto each = bytes_per_image(batches);
    return text_of({{"network", graphs.front().name},
                    {"mode", name_of(execution.mode)},
                    {"optimizer", name_of(execution.optimizer)},
                    {"batches", list},
                    {"bytes_per_image", each ? Json(each->value) : Json()}});
}

}  // namespace strata
