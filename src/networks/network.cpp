// SPDX-License-Identifier: MIT
#include "networks/network.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "graph/builder.h"
#include "networks/convolutional_head.h"
#include "networks/dnnmark.h"
#include "networks/generate/generator.h"
#include "networks/onnx/import.h"
#include "networks/text.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace strata {

namespace {

// The settings that a kind of network accepts; all others are refused, not ignored.
enum class Takes { nothing, dims, variables };

void refuse_unused(const NetworkRequest& request, Takes takes) {
    if (takes != Takes::dims && !request.dims.empty()) {
        throw Error(fmt::format("{}: it has no named dimension \"{}\"; only .onnx files have some",
                                printable(request.network), printable(request.dims.begin()->first)),
                    ExitCode::usage);
    }
    if (takes != Takes::variables && !request.variables.empty()) {
        throw Error(
            fmt::format("{}: it has no variable \"{}\"; only DNNMark files have some",
                        printable(request.network), printable(request.variables.begin()->first)),
            ExitCode::usage);
    }
}

void require_positive_batch(const NetworkRequest& request) {
    if (request.batch && *request.batch < 1) {
        throw Error(fmt::format("{}: a batch of {} is empty; use 1 or more",
                                printable(request.network), *request.batch),
                    ExitCode::usage);
    }
}

std::string_view text_of(const MappedFile& file) {
    const auto bytes = file.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Graph load_onnx(const NetworkRequest& request) {
    return import_onnx(request.network, {.batch = request.batch, .dims = request.dims});
}

Graph load_text(const NetworkRequest& request) {
    const auto file = MappedFile::open(request.network);
    return parse_graph(text_of(*file), request.network, request.batch);
}

Graph load_dnnmark(const NetworkRequest& request) {
    const auto file = MappedFile::open(request.network);
    return parse_dnnmark(text_of(*file), request.network,
                         {.batch = request.batch, .variables = request.variables});
}

// A kind of network file, by its file name extension.
struct FileKind {
    std::string_view ending;
    Takes takes;
    Graph (*load)(const NetworkRequest& request);
};

constexpr std::array<FileKind, 4> file_kinds = {{
    {".onnx", Takes::dims, load_onnx},
    {".graph", Takes::nothing, load_text},
    {".dnnmark", Takes::variables, load_dnnmark},
    {".dnntemplate", Takes::variables, load_dnnmark},
}};

const FileKind* file_kind_of(std::string_view network) {
    const auto found = std::ranges::find_if(
        file_kinds, [&](const FileKind& kind) { return network.ends_with(kind.ending); });
    return found == file_kinds.end() ? nullptr : &*found;
}

bool is_problem(std::string_view network) {
    return is_short_problem(network) || network.find('(') != std::string_view::npos;
}

// Creates an operand of a one-layer graph, whose activations come from outside.
TensorId place(GraphBuilder& build, const Operand& operand, std::size_t index) {
    const std::string name = index == 0 ? "input" : fmt::format("input.{}", index);
    switch (operand.role) {
        case Role::activation:
        case Role::input:
            return build.input(name, operand.tensor);
        case Role::label:
            return build.input(name, operand.tensor, Role::label);
        default:
            return build.constant(name, operand.tensor, operand.role);
    }
}

void set_batch(Problem& problem, std::int64_t batch) {
    for (Operand& operand : problem.activations) {
        const bool is_data = operand.role == Role::activation || operand.role == Role::input ||
                             operand.role == Role::label;
        if (is_data && !operand.tensor.dims.empty()) {
            operand.tensor.dims[0] = batch;
        }
    }
}

// A network of one layer, from an operator as one line of text.
Graph load_problem(const NetworkRequest& request) {
    Problem problem = parse_problem(request.network);
    if (std::holds_alternative<Opaque>(problem.op)) {
        throw Error("an opaque operator alone cannot be computed; name a known one",
                    ExitCode::usage);
    }
    problem.activations.resize(activations_of(problem));  // the network makes the others
    if (request.batch) {
        set_batch(problem, *request.batch);
    }
    GraphBuilder build(to_text(problem));
    std::vector<TensorId> operands;
    for (const Operand& operand : problem.activations) {
        operands.push_back(place(build, operand, operands.size()));
    }
    build.add(std::string(type_of(problem.op)), problem.op, operands);
    return build.finish();
}

std::string endings() {
    std::vector<std::string> names;
    for (const FileKind& kind : file_kinds) {
        names.emplace_back(kind.ending);
    }
    return join(names, ", ");
}

[[noreturn]] void refuse_family(const std::string& network) {
    std::vector<std::string> names;
    for (const GeneratorFamily& family : generator_families()) {
        names.emplace_back(family.name);
    }
    throw Error(fmt::format("\"{}\": no generator has that name; use one of {}, or the "
                            "short operators conv and fc",
                            printable(network), join(names, ", ")),
                ExitCode::usage);
}

[[noreturn]] void refuse_unknown(const std::string& network) {
    std::error_code ignored;
    if (std::filesystem::exists(network, ignored)) {
        throw Error(fmt::format("'{}' does not have the extension of a network file; use "
                                "one of {}",
                                printable(network, 400), endings()),
                    ExitCode::usage);
    }
    if (network.find(':') != std::string::npos) {
        refuse_family(network);
    }
    find_zoo_network(network);
    throw Error(fmt::format("there is no network \"{}\"", printable(network)), ExitCode::usage);
}

}  // namespace

const ZooNetwork& find_zoo_network(std::string_view name) {
    const auto found = std::ranges::find(zoo(), name, &ZooNetwork::name);
    if (found != zoo().end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const ZooNetwork& network : zoo()) {
        names.emplace_back(network.name);
    }
    for (const GeneratorFamily& family : generator_families()) {
        names.push_back(std::string(family.name) + ":");
    }
    const auto meant = nearest(name, names);
    throw Error(fmt::format("there is no network \"{}\"; {}", printable(name),
                            meant ? "did you mean \"" + *meant + "\"?"
                                  : "\"strata list networks\" names them, and a file is named with "
                                    "its ending"),
                ExitCode::usage);
}

namespace {

// The name without what asks for a convolutional head; nothing if it does not ask.
std::optional<std::string> without_head(const std::string& network) {
    return network.ends_with(convolutional_suffix)
               ? std::optional(network.substr(0, network.size() - convolutional_suffix.size()))
               : std::nullopt;
}

}  // namespace

std::string canonical_network(const std::string& network) {
    if (const auto base = without_head(network)) {
        return canonical_network(*base) + std::string(convolutional_suffix);
    }
    return is_generator(network) ? to_text(parse_generator(network)) : network;
}

std::vector<std::filesystem::path> files_of(const std::string& network) {
    if (const auto base = without_head(network)) {
        return files_of(*base);
    }
    const bool is_file = !is_zoo_name(network) && !is_generator(network);
    const FileKind* kind = is_file ? file_kind_of(network) : nullptr;
    if (kind == nullptr) {
        return {};
    }
    std::vector<std::filesystem::path> files = {network};
    if (kind->load == load_onnx) {
        std::ranges::copy(external_files_of(network), std::back_inserter(files));
    }
    return files;
}

Graph load_network(const NetworkRequest& request) {
    require_positive_batch(request);
    if (const auto base = without_head(request.network)) {
        NetworkRequest plain = request;
        plain.network = *base;
        return with_convolutional_head(load_network(plain));
    }
    if (is_zoo_name(request.network)) {
        refuse_unused(request, Takes::nothing);
        return find_zoo_network(request.network).build(request.batch.value_or(1));
    }
    if (is_generator(request.network)) {
        refuse_unused(request, Takes::nothing);
        return build(parse_generator(request.network), request.batch.value_or(1));
    }
    if (const FileKind* kind = file_kind_of(request.network)) {
        refuse_unused(request, kind->takes);
        return kind->load(request);
    }
    if (is_problem(request.network)) {
        refuse_unused(request, Takes::nothing);
        return load_problem(request);
    }
    refuse_unknown(request.network);
}

Graph load_network(const NetworkRequest& request, Mode mode) {
    Graph graph = load_network(request);
    return mode == Mode::inference ? for_inference(std::move(graph)) : graph;
}

namespace {

constexpr std::string_view softmax_name = "softmax";

bool is_trailing_loss(const Layer& layer, const std::vector<std::vector<LayerId>>& consumers) {
    return std::holds_alternative<SoftmaxCrossEntropy>(layer.op) &&
           consumers[layer.outputs[0]].empty();
}

bool is_free_name(const Graph& graph) {
    return std::ranges::find(graph.layers, softmax_name, &Layer::name) == graph.layers.end() &&
           std::ranges::find(graph.tensors, softmax_name, &GraphTensor::name) ==
               graph.tensors.end();
}

// A layer that is no longer a loss is renamed, unless the better name is taken.
void replace_loss(Graph& graph, Layer& layer) {
    GraphTensor& result = graph.tensors[layer.outputs[0]];
    if (is_free_name(graph)) {
        layer.name = softmax_name;
        result.name = softmax_name;
    }
    layer.op = Softmax{.axis = 1};
    layer.inputs.resize(1);
    result.tensor = graph.tensors[layer.inputs[0]].tensor;
}

}  // namespace

Graph for_inference(Graph graph) {
    const auto consumers = consumers_of(graph);
    bool changed = false;
    for (Layer& layer : graph.layers) {
        if (is_trailing_loss(layer, consumers)) {
            replace_loss(graph, layer);
            changed = true;
        }
    }
    return changed ? slice(graph, "*") : graph;  // drops unread labels
}

}  // namespace strata
