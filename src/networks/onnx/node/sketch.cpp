// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/node/model_import.h"
#include "networks/onnx/node/node_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace strata {

// Converts the node with other inputs, under another name.
TensorId NodeImport::part(std::string_view suffix, Convert convert,
                          std::vector<std::string_view> inputs) const {
    static constexpr std::string_view result = "strata.part";
    const std::string own_name = fmt::format("{}.{}", name(), suffix);
    OnnxNode node = node_;
    node.name = own_name;
    node.name_scopes = node.class_hierarchy = {};
    node.inputs = std::move(inputs);
    node.outputs = {result};
    convert(NodeImport(model_, node));
    const TensorId made = model_.assembly.value(result).tensor.value();
    model_.assembly.forget(result);
    return made;
}

namespace {

// The values that stand in for operands during a sketch.
class StandIns {
public:
    StandIns(Assembly& assembly, std::span<const SketchOperand> operands) : assembly_(assembly) {
        made_.reserve(operands.size());
        for (const SketchOperand& operand : operands) {
            names_.push_back(operand.stand_in ? make(*operand.stand_in, operand.is_constant)
                                              : operand.name);
        }
    }
    StandIns(const StandIns&) = delete;
    StandIns& operator=(const StandIns&) = delete;
    ~StandIns() {
        std::ranges::for_each(made_, [&](const std::string& name) { assembly_.forget(name); });
    }

    const std::vector<std::string_view>& names() const { return names_; }

private:
    std::string_view make(const Tensor& tensor, bool is_constant) {
        const std::string& name = made_.emplace_back(fmt::format("strata.operand{}", made_.size()));
        Value& value = assembly_.value(name);
        value = {};
        value.is_initializer = is_constant;
        if (is_constant) {
            value.constant = constant_of(tensor, std::array{0.0});
        } else {
            value.tensor = assembly_.add_tensor(name, tensor, Role::activation);
        }
        return name;
    }

    Assembly& assembly_;
    std::vector<std::string> made_;
    std::vector<std::string_view> names_;
};

// The tensor of a value that a sketch gave; nothing if it did not.
std::optional<Tensor> given_tensor(const Assembly& assembly, std::string_view name) {
    const Value* value = assembly.find(name);
    if (!value || (!value->tensor && !value->constant)) {
        return std::nullopt;
    }
    return value->constant ? value->constant->tensor : assembly.tensor(*value->tensor);
}

Sketch sketched(const Assembly& assembly, const OnnxNode& node, const AssemblyMark& before) {
    Sketch sketch;
    for (const std::string_view name : node.outputs) {
        sketch.results.push_back(given_tensor(assembly, name));
    }
    for (LayerId id = before.layers; id < assembly.graph.layers.size(); ++id) {
        const Layer& layer = assembly.graph.layers[id];
        sketch.work +=
            work_of(layer.op, signature_of(assembly.graph, layer), Pass::forward).operations;
    }
    return sketch;
}

}  // namespace

std::optional<Sketch> NodeImport::sketch(std::string_view op_type, Convert convert,
                                         std::span<const SketchOperand> operands) const {
    Assembly& assembly = model_.assembly;
    const AssemblyMark before = assembly.mark();
    const StandIns stand_ins(assembly, operands);
    OnnxNode node = node_;
    node.op_type = op_type;  // read by converters of several types
    node.inputs = stand_ins.names();
    std::optional<Sketch> made;
    try {
        convert(NodeImport(model_, node));
        made = sketched(assembly, node, before);
    } catch (const Unsupported&) {
    } catch (const Error&) {  // other operands need not fit
    } catch (const std::out_of_range&) {
    }
    assembly.roll_back(before, node.inputs);
    std::ranges::for_each(node.outputs, [&](std::string_view name) { assembly.forget(name); });
    return made;
}

}  // namespace strata
