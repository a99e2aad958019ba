// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/file.h"
#include "networks/onnx/file/model.h"
#include "networks/onnx/import.h"
#include "tests/onnx_nodes/node_case.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// Names of the model's inputs and outputs, in its order.
struct Interface {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};

Interface interface_of(const NodeCase& one) {
    const auto mapped = MappedFile::open(one.model);
    const WireFile file{one.model.string(), mapped->bytes()};
    const OnnxModel model = parse_onnx_model(file);
    Interface names;
    for (const OnnxValueInfo& input : model.graph->inputs) {
        names.inputs.emplace_back(input.name);
    }
    for (const OnnxValueInfo& output : model.graph->outputs) {
        names.outputs.emplace_back(output.name);
    }
    return names;
}

bool is_known(const NodeCase& one, std::size_t input, Known known) {
    const Tensor& tensor = one.inputs[input]->tensor;
    switch (known) {
        case Known::nothing:
            return false;
        case Known::numbers:
            return input > 0 && (!is_floating(tensor.dtype) || tensor.elements() == 1);
        case Known::all_but_first:
            return input > 0;
        case Known::everything:
            return true;
    }
    return false;
}

OnnxOptions options_for(const NodeCase& one, const Interface& names, Known known) {
    OnnxOptions options;
    for (std::size_t i = 0; i < names.inputs.size(); ++i) {
        if (one.inputs[i] && is_known(one, i, known)) {
            options.values.emplace(names.inputs[i], *one.inputs[i]);
        }
    }
    return options;
}

// Why a graph cannot be run completely; empty if it can.
std::string refusal_of(const Graph& graph, const Executable& executable) {
    for (const Layer& layer : graph.layers) {
        if (const auto* opaque = std::get_if<Opaque>(&layer.op)) {
            return fmt::format("{}: {}", opaque->foreign_type, opaque->reason);
        }
    }
    for (const Step& step : executable.steps()) {
        if (!step.runs()) {
            return fmt::format("{}: {}", type_of(graph.layers[step.layer].op), step.refusal());
        }
    }
    return {};
}

std::vector<float> as_floats(const Constant& constant) {
    std::vector<float> values(static_cast<std::size_t>(constant.tensor.elements()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(number_at(constant, static_cast<std::int64_t>(i)));
    }
    return values;
}

void write_inputs(const NodeCase& one, const Interface& names, const Graph& graph,
                  Executable& executable) {
    for (const TensorId id : graph.inputs) {
        const auto found = std::ranges::find(names.inputs, graph.tensors[id].name);
        check(found != names.inputs.end(), "an input of the graph is one of the model");
        const auto index = static_cast<std::size_t>(found - names.inputs.begin());
        executable.write(id, Content::value, as_floats(one.inputs[index].value()));
    }
}

// NumPy's allclose for one element; integers and booleans need no tolerance.
bool is_close(double actual, double expected, const NodeCase& one) {
    if (std::isnan(expected) || std::isinf(expected)) {
        return std::isnan(expected) ? std::isnan(actual) : actual == expected;
    }
    return std::abs(actual - expected) <= one.absolute + one.relative * std::abs(expected);
}

// How an output differs from the expected one; empty if it does not.
std::string difference(const NodeCase& one, const GraphTensor& tensor, const HostValues& actual,
                       const Constant& expected) {
    if (tensor.tensor != expected.tensor) {
        return fmt::format("'{}' is {} {} where {} {} is expected", tensor.name,
                           name_of(tensor.tensor.dtype), to_text(tensor.tensor.dims),
                           name_of(expected.tensor.dtype), to_text(expected.tensor.dims));
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double wanted = number_at(expected, static_cast<std::int64_t>(i));
        if (!is_close(static_cast<double>(actual[i]), wanted, one)) {
            return fmt::format("'{}' is {} at element {} where {} is expected", tensor.name,
                               actual[i], i, wanted);
        }
    }
    return {};
}

NodeResult compare(const NodeCase& one, const Graph& graph, const Executable& executable) {
    NodeResult result{.verdict = CaseOutcome::passed};
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const TensorId id = graph.outputs[i];
        result.reason = difference(one, graph.tensors[id], executable.read(id, Content::value),
                                   *one.outputs[i]);
        if (!result.reason.empty()) {
            result.verdict = CaseOutcome::failed;
            return result;
        }
    }
    return result;
}

// Whether the extents of the graph's inputs match the values; a model may leave some open.
bool fits(const NodeCase& one, const Interface& names, const Graph& graph) {
    return std::ranges::all_of(graph.inputs, [&](TensorId id) {
        const auto found = std::ranges::find(names.inputs, graph.tensors[id].name);
        const auto index = static_cast<std::size_t>(found - names.inputs.begin());
        return index < one.inputs.size() &&
               one.inputs[index]->tensor.dims == graph.tensors[id].tensor.dims;
    });
}

NodeResult attempt(const NodeCase& one, const Interface& names, Known known, Backend& backend) {
    const Graph graph = import_onnx(one.model, options_for(one, names, known));
    if (!fits(one, names, graph)) {
        return {.reason = "its inputs have other extents than the model states"};
    }
    if (graph.outputs.size() != one.outputs.size()) {
        return {.reason = "two of its outputs are one tensor"};
    }
    Execution execution;
    execution.numerics.mode = Mode::inference;
    execution.scheduling.threads = 1;
    execution.scheduling.pinned = false;
    execution.scheduling.memory = MemoryReuse::kept;
    const auto executable = backend.prepare(graph, execution);
    if (const std::string reason = refusal_of(graph, *executable); !reason.empty()) {
        return {.reason = reason};
    }
    write_inputs(one, names, graph, *executable);
    executable->run();
    NodeResult result = compare(one, graph, *executable);
    result.known = known;
    return result;
}

// Values are f32 throughout, so a computation that rounds to half precision has a different result.
bool is_half(const std::optional<Constant>& constant) {
    return constant->tensor.dtype == DataType::f16 || constant->tensor.dtype == DataType::bf16;
}

bool has_all_tensors(const std::vector<std::optional<Constant>>& tensors) {
    return std::ranges::all_of(tensors, [](const auto& tensor) { return tensor.has_value(); });
}

}  // namespace

NodeResult run_node_case(const NodeCase& one, Backend& backend) {
    if (!has_all_tensors(one.inputs) || !has_all_tensors(one.outputs)) {
        return {.reason = "it gives or takes what is no tensor of a known type"};
    }
    if (std::ranges::any_of(one.inputs, is_half) || std::ranges::any_of(one.outputs, is_half)) {
        return {.reason = "half precision is computed in f32"};
    }
    const Interface names = interface_of(one);
    NodeResult first;
    for (const Known known :
         {Known::nothing, Known::numbers, Known::all_but_first, Known::everything}) {
        NodeResult result;
        try {
            result = attempt(one, names, known, backend);
        } catch (const Error& error) {
            result.reason = error.what();
        }
        if (result.verdict != CaseOutcome::unsupported) {
            return result;
        }
        first = known == Known::nothing ? result : first;
    }
    return first;
}

}  // namespace strata
