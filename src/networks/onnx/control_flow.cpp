// SPDX-License-Identifier: MIT
#include "networks/onnx/import_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace strata {

namespace {

// A body and the order of its nodes, which all iterations share.
struct Body {
    const OnnxGraph* graph = nullptr;
    std::vector<OrderedNode> nodes;
};

// Charges the budget for the contents of a body.
void charge(ModelImport& import, std::size_t items) {
    import.nodes_of_bodies += static_cast<std::int64_t>(items);
    unsupported_if(import.nodes_of_bodies > max_nodes_of_bodies,
                   "its bodies have too many nodes to be unrolled");
}

std::size_t items_of(const OnnxGraph& body) {
    return body.nodes.size() + body.initializers.size() + body.value_infos.size();
}

Body body_of(ModelImport& import, const OnnxNode& node, std::string_view attribute) {
    for (const OnnxNamedMessage& named : node.attributes) {
        if (named.name == attribute && named.has_graphs) {
            const auto graphs = parse_onnx_attribute(named.message).graphs;
            import.bodies.push_back(parse_onnx_graph(graphs.at(0)));
            const OnnxGraph& graph = import.bodies.back();
            charge(import, items_of(graph));
            return {&graph, execution_order(graph, import.file, DefinedNames::some_from_outside)};
        }
    }
    throw Unsupported{fmt::format("its body '{}' is missing", attribute)};
}

// One execution of a body; its names are made unique, so that a body can be repeated.
class Iteration {
public:
    Iteration(ModelImport& import, const Body& body, std::string prefix)
        : import_(import), body_(body), prefix_(std::move(prefix)) {
        scope_.outer = import.scope;
    }

    void bind(std::size_t input, std::string_view outer) {
        scope_.names[body_.graph->inputs.at(input).name] = outer;
    }

    // A unique name for a tensor that the body defines.
    std::string_view own(std::string_view name) {
        const std::string_view made =
            import_.names.emplace_back(fmt::format("{}#{}", name, import_.names.size()));
        scope_.names[name] = made;
        return made;
    }

    void run() {
        charge(import_, items_of(*body_.graph));
        for (const OnnxNamedMessage& named : body_.graph->initializers) {
            add_initializer(import_, parse_onnx_tensor(named.message), own(named.name));
        }
        for (const OrderedNode& node : body_.nodes) {
            for (const std::string_view output : node.node->outputs) {
                output.empty() ? output : own(output);
            }
        }
        note_stated();
        const NameScope* outside = std::exchange(import_.scope, &scope_);
        for (const OrderedNode& node : body_.nodes) {
            import_one(node);
        }
        import_.scope = outside;
    }

    std::string_view output(std::size_t i) const {
        return scope_.resolve(body_.graph->outputs.at(i).name);
    }

private:
    void note_stated() {
        for (const auto* list : {&body_.graph->value_infos, &body_.graph->outputs}) {
            for (const OnnxValueInfo& info : *list) {
                import_.stated.emplace(scope_.resolve(info.name), &info);
            }
        }
        for (const OnnxValueInfo& output : body_.graph->outputs) {
            import_.used.insert(scope_.resolve(output.name));
        }
        for (const OrderedNode& node : body_.nodes) {
            for (const std::string_view name : node.reads) {
                import_.used.insert(scope_.resolve(name));
            }
        }
    }

    void import_one(const OrderedNode& ordered) {
        OnnxNode& node = import_.nodes.emplace_back(*ordered.node);
        OrderedNode renamed{.node = &node, .reads = ordered.reads};
        const auto rename = [&](std::string_view& name) {
            name = name.empty() ? name : scope_.resolve(name);
        };
        std::ranges::for_each(node.inputs, rename);
        std::ranges::for_each(node.outputs, rename);
        std::ranges::for_each(renamed.reads, rename);
        if (!node.name.starts_with('/')) {  // a module's path
            const std::string_view own =
                node.name.empty() ? ordered.node->outputs.at(0) : node.name;
            node.name = import_.names.emplace_back(fmt::format("{}{}", prefix_, own));
        }
        import_node(import_, renamed);
    }

    ModelImport& import_;
    const Body& body_;
    std::string prefix_;
    NameScope scope_;
};

// Makes a body's result an output of the node. A tensor from outside is copied, because every
// output must come from a layer.
void give_value(ModelImport& import, const NodeImport& node, std::size_t output,
                std::string_view from) {
    if (output >= node.node().outputs.size() || node.node().outputs[output].empty()) {
        return;
    }
    const Value value = import.assembly.value(from);
    const bool is_layers =
        value.tensor && import.assembly.graph.tensors[*value.tensor].role == Role::activation;
    if (value.constant || is_layers || !value.unknown.empty()) {
        import.assembly.value(node.node().outputs[output]) = value;
    } else if (value.tensor) {
        node.result_part(output, Identity{}, {*value.tensor});
    } else {
        throw Unsupported{"its body gives what no node computes"};
    }
}

std::string_view constant_value(ModelImport& import, Constant constant) {
    const std::string_view name =
        import.names.emplace_back(fmt::format("strata.constant#{}", import.names.size()));
    import.assembly.value(name).constant = std::move(constant);
    return name;
}

std::string_view truth_value(ModelImport& import, bool is_true) {
    return constant_value(
        import, constant_of({{}, DataType::boolean}, std::array<std::int64_t, 1>{is_true}));
}

// The value of a constant condition; throws if it depends on values.
bool condition(ModelImport& import, std::string_view name) {
    const Value& value = import.assembly.value(name);
    unsupported_if(!value.constant || value.constant->tensor.elements() != 1 ||
                       !is_computed(value.constant->tensor.dtype),
                   "its path depends on values");
    return integer_at(*value.constant, 0) != 0;
}

// The results of all iterations, concatenated along a new axis.
void give_stacked(ModelImport& import, const NodeImport& node, std::size_t output,
                  const std::vector<std::string_view>& parts, std::int64_t stated_axis) {
    if (output >= node.node().outputs.size() || !node.is_used(output)) {
        return;
    }
    std::vector<TensorId> operands;
    std::size_t axis = 0;
    for (const std::string_view part : parts) {
        const Value& value = import.assembly.value(part);
        unsupported_if(!value.unknown.empty() || (!value.tensor && !value.constant),
                       "what its iterations give is not known");
        const TensorId one = import.assembly.operand(part, Role::constant);
        Dims dims = import.assembly.tensor(one).dims;
        axis = axis_of(stated_axis, dims.size() + 1);
        dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        operands.push_back(
            node.add(fmt::format("{}.{}", output, operands.size()), Reshape{.dims = dims}, {one}));
    }
    unsupported_if(operands.empty(), "it has no iterations whose results are read");
    node.result_part(output, Concat{.axis = static_cast<std::int64_t>(axis)}, operands);
}

std::int64_t number_at_or_0(const Dims& list, std::size_t i) {
    return i < list.size() ? list[i] : 0;
}

// The states that a loop passes from one iteration to the next, and the results it stacks.
struct Carried {
    // The body's first `before` outputs are neither.
    Carried(std::span<const std::string_view> first, const Body& body, std::size_t before)
        : states(first.begin(), first.end()) {
        const std::size_t outputs = body.graph->outputs.size();
        stacked.resize(outputs - std::min(outputs, states.size() + before));
    }

    void take(const Iteration& iteration, std::size_t before) {
        for (std::size_t state = 0; state < states.size(); ++state) {
            states[state] = iteration.output(before + state);
        }
        for (std::size_t k = 0; k < stacked.size(); ++k) {
            stacked[k].push_back(iteration.output(before + states.size() + k));
        }
    }

    void give(ModelImport& import, const NodeImport& node, const Dims& axes,
              const Dims& directions) {
        for (std::size_t state = 0; state < states.size(); ++state) {
            give_value(import, node, state, states[state]);
        }
        for (std::size_t k = 0; k < stacked.size(); ++k) {
            if (number_at_or_0(directions, k) != 0) {
                std::ranges::reverse(stacked[k]);
            }
            give_stacked(import, node, states.size() + k, stacked[k], number_at_or_0(axes, k));
        }
    }

    std::vector<std::string_view> states;
    std::vector<std::vector<std::string_view>> stacked;
};

void import_if(ModelImport& import, const OrderedNode& ordered) {
    const NodeImport node(import, *ordered.node);
    const bool taken = condition(import, ordered.node->inputs.at(0));
    const Body body = body_of(import, *ordered.node, taken ? "then_branch" : "else_branch");
    Iteration branch(import, body, "");
    branch.run();
    for (std::size_t i = 0; i < body.graph->outputs.size(); ++i) {
        give_value(import, node, i, branch.output(i));
    }
}

// The iteration limit of a Loop: its first input, or none.
std::int64_t most_iterations(const NodeImport& node) {
    const std::int64_t stated = node.has_input(0) ? node.integer_of_input(0) : max_unrolled + 1;
    return std::max<std::int64_t>(stated, 0);
}

void require_few(std::int64_t iterations) {
    if (iterations > max_unrolled) {
        throw Unsupported{fmt::format("more than {} iterations are not unrolled", max_unrolled)};
    }
}

std::string prefix_of(const NodeImport& node, std::int64_t iteration) {
    return fmt::format("{}.{}.", node.name(), iteration);
}

void import_loop(ModelImport& import, const OrderedNode& ordered) {
    const NodeImport node(import, *ordered.node);
    const Body body = body_of(import, *ordered.node, "body");
    const std::int64_t most = most_iterations(node);
    unsupported_if(ordered.node->inputs.size() < 2, "it does not say how often it repeats");
    Carried carried(std::span(ordered.node->inputs).subspan(2), body, 1);
    bool goes_on = !node.has_input(1) || condition(import, ordered.node->inputs[1]);
    for (std::int64_t i = 0; i < most && goes_on; ++i) {
        require_few(std::max(i + 1, node.has_input(0) ? most : 0));
        Iteration iteration(import, body, prefix_of(node, i));
        iteration.bind(0, constant_value(import, constant_of({{}, DataType::s64}, std::array{i})));
        iteration.bind(1, truth_value(import, true));
        for (std::size_t state = 0; state < carried.states.size(); ++state) {
            iteration.bind(state + 2, carried.states[state]);
        }
        iteration.run();
        goes_on = condition(import, iteration.output(0));
        carried.take(iteration, 1);
    }
    carried.give(import, node, {}, {});
}

// The slices of a Scan's input, one for each iteration.
std::string_view scanned(ModelImport& import, const NodeImport& node, std::size_t input,
                         std::int64_t position, std::size_t axis) {
    const TensorId all = node.operand(input);
    Dims dims = node.tensor(all).dims;
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    const auto along = static_cast<std::int64_t>(axis);
    const std::string suffix = fmt::format("{}.in{}", position, input);
    const TensorId cut = node.add(
        suffix + ".slice", Slice{.axes = {along}, .starts = {position}, .extents = {1}}, {all});
    const std::string_view name =
        import.names.emplace_back(fmt::format("strata.part#{}", import.names.size()));
    import.assembly.value(name).tensor = node.add(suffix, Reshape{.dims = dims}, {cut});
    return name;
}

void import_scan(ModelImport& import, const OrderedNode& ordered) {
    const NodeImport node(import, *ordered.node);
    const Body body = body_of(import, *ordered.node, "body");
    const std::int64_t stated = node.integer("num_scan_inputs", 0);
    unsupported_if(node.opset() < 9 || stated < 1 || stated > std::ssize(ordered.node->inputs),
                   "it does not say what it scans");
    const auto states = ordered.node->inputs.size() - static_cast<std::size_t>(stated);
    const Dims axes = node.integers("scan_input_axes");
    const Dims directions = node.integers("scan_input_directions");
    const auto axis_of_input = [&](std::size_t i) {
        return axis_of(number_at_or_0(axes, i - states), node.input(i).dims.size());
    };
    const std::int64_t length = node.input(states).dims.at(axis_of_input(states));
    require_few(length);
    Carried carried(std::span(ordered.node->inputs).first(states), body, 0);
    for (std::int64_t i = 0; i < length; ++i) {
        Iteration iteration(import, body, prefix_of(node, i));
        for (std::size_t input = 0; input < ordered.node->inputs.size(); ++input) {
            const bool backward =
                input >= states && number_at_or_0(directions, input - states) != 0;
            iteration.bind(input, input < states
                                      ? carried.states[input]
                                      : scanned(import, node, input, backward ? length - 1 - i : i,
                                                axis_of_input(input)));
        }
        iteration.run();
        carried.take(iteration, 0);
    }
    carried.give(import, node, node.integers("scan_output_axes"),
                 node.integers("scan_output_directions"));
}

}  // namespace

void import_body(ModelImport& import, const OrderedNode& node) {
    const NameScope* const outside = import.scope;
    try {
        const std::string_view type = node.node->op_type;
        type == "If"     ? import_if(import, node)
        : type == "Loop" ? import_loop(import, node)
                         : import_scan(import, node);
    } catch (...) {
        import.scope = outside;
        throw;
    }
}

}  // namespace strata
