// SPDX-License-Identifier: MIT
#include "run/files.h"

#include "base/error.h"
#include "base/npy.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace strata {

namespace {

TensorId find_input(const Graph& graph, const std::string& name) {
    std::vector<std::string> names;
    for (const TensorId id : graph.inputs) {
        if (graph.tensors[id].name == name) {
            return id;
        }
        names.push_back(printable(graph.tensors[id].name));
    }
    throw Error(fmt::format("{} has no input '{}': its inputs are {}", printable(graph.name),
                            printable(name), join(names, ", ")),
                ExitCode::usage);
}

// By tensor, whether it lacks values: its producer, or that of a tensor it depends on, was refused.
std::vector<bool> lacks_values(const Graph& graph, std::span<const Step> steps) {
    std::set<LayerId> refused;
    for (const Step& step : steps) {
        if (step.pass == Pass::forward && step.is_refused()) {
            refused.insert(step.layer);
        }
    }
    std::vector<bool> lacks(graph.tensors.size());
    for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
        const Layer& node = graph.layers[layer];
        const bool is_lost = refused.contains(layer) ||
                             std::ranges::any_of(node.inputs, [&](auto id) { return lacks[id]; });
        for (const TensorId id : node.outputs) {
            lacks[id] = is_lost;
        }
    }
    return lacks;
}

// Tensors within one fused operation have no memory.
std::set<TensorId> intermediate_tensors(const Graph& graph, std::span<const Step> steps) {
    std::map<Task, LayerId> last;  // done by the task's step
    std::set<TensorId> tensors;
    for (const Step& step : steps) {
        const auto within = step.within();
        if (within && step.pass == Pass::forward) {
            const LayerId before = last.contains(*within) ? last[*within] : within->layer;
            tensors.insert(graph.layers[before].outputs.front());
            last[*within] = step.layer;
        }
    }
    return tensors;
}

std::set<TensorId> dumped_tensors(const Graph& graph, const std::string& layers) {
    std::set<TensorId> dumped(graph.outputs.begin(), graph.outputs.end());
    for (const Layer& layer : graph.layers) {
        if (!layers.empty() && is_called(layer, layers)) {
            dumped.insert(layer.outputs.begin(), layer.outputs.end());
        }
    }
    return dumped;
}

}  // namespace

void write_inputs(const Graph& graph, const std::map<std::string, std::filesystem::path>& inputs,
                  Executable& executable) {
    for (const auto& [name, path] : inputs) {
        const TensorId id = find_input(graph, name);
        const NpyArray array = read_npy(path);
        const Dims& wanted = graph.tensors[id].tensor.dims;
        if (array.dims != wanted) {
            throw Error(fmt::format("{}: holds {}, but input '{}' of {} is {}; give such an array",
                                    path.string(), to_text(array.dims), printable(name),
                                    printable(graph.name), to_text(wanted)));
        }
        executable.write(id, Content::value, array.values);
    }
}

void write_dump(const Graph& graph, const Dump& dump, const Executable& executable) {
    std::error_code error;
    std::filesystem::create_directories(dump.directory, error);
    if (error) {
        throw Error(fmt::format("cannot make the folder {}: {}; choose another with --dump",
                                dump.directory.string(), error.message()));
    }
    const auto lacks = lacks_values(graph, executable.steps());
    const auto inner = intermediate_tensors(graph, executable.steps());
    std::set<std::string> taken;
    for (const TensorId id : dumped_tensors(graph, dump.layers)) {
        const GraphTensor& tensor = graph.tensors[id];
        if (lacks[id] || inner.contains(id)) {
            continue;
        }
        write_npy(dump.directory / (file_name_of(tensor.name, taken) + ".npy"), tensor.tensor.dims,
                  executable.read(id, Content::value));
    }
}

std::string file_name_of(const std::string& tensor, std::set<std::string>& taken) {
    constexpr std::size_t longest = 200;  // of the 255 bytes allowed by file systems
    std::string name = tensor.substr(0, longest);
    std::ranges::replace_if(
        name,
        [](char c) {
            const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            return !letter && !(c >= '0' && c <= '9') && c != '_' && c != '.' && c != '-';
        },
        '_');
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; ++n) {
        unique = fmt::format("{}.{}", name, n);
    }
    return unique;
}

}  // namespace strata
