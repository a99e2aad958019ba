// SPDX-License-Identifier: MIT
#include "networks/onnx/file/module_path.h"

#include "base/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace strata {

namespace {

constexpr std::string_view folding_rule = "FuseBatchNormIntoConv";

// The items of a list of texts as Python prints it: "['', 'layer1', 'conv2d_1']".
std::vector<std::string_view> items_of(std::string_view list) {
    std::vector<std::string_view> items;
    for (;;) {
        const auto open = list.find_first_of("'\"");
        if (open == list.npos) {
            return items;
        }
        const auto close = list.find(list[open], open + 1);
        if (close == list.npos) {
            return items;
        }
        items.push_back(list.substr(open + 1, close - open - 1));
        list.remove_prefix(close + 1);
    }
}

// PyTorch's own modules that are a single operation, even if it takes several nodes.
bool is_one_operation(std::string_view type) {
    constexpr std::string_view modules = "torch.nn.modules.";
    constexpr std::array<std::string_view, 3> composed = {"container.", "transformer.",
                                                          "activation.MultiheadAttention"};
    return type.starts_with(modules) && std::ranges::none_of(composed, [&](std::string_view one) {
               return type.substr(modules.size()).starts_with(one);
           });
}

// "conv2d_3" is the fourth of its kind in the whole network; its module identifies it better.
std::string_view without_number(std::string_view operation) {
    const auto end = operation.find_last_not_of("0123456789");
    const bool numbered =
        end != operation.npos && end > 0 && end + 1 < operation.size() && operation[end] == '_';
    return numbered ? operation.substr(0, end) : operation;
}

// The module whose weight a node reads: "conv1" for "conv1.weight".
std::string_view module_of_weight(const OnnxNode& node) {
    constexpr std::string_view ending = ".weight";
    const std::string_view weight = node.inputs.size() > 1 ? node.inputs[1] : std::string_view();
    return weight.ends_with(ending) ? weight.substr(0, weight.size() - ending.size())
                                    : std::string_view();
}

// Matrix products take most of the time of their operation.
bool is_product(const OnnxNode& node) {
    constexpr std::array<std::string_view, 5> products = {"Conv", "ConvTranspose", "Gemm", "MatMul",
                                                          "Attention"};
    return std::ranges::find(products, node.op_type) != products.end();
}

// Whether a node is a minor one of several in an operation. The node that gives the result is named
// after the operation.
bool is_detail(const OnnxNode& node, std::string_view operation) {
    constexpr std::string_view prefix = "node_";
    const bool gives_result =
        node.name.starts_with(prefix) && node.name.substr(prefix.size()).starts_with(operation);
    return !gives_result && node.rewriting_rules.empty() && !is_product(node);
}

bool is_of_pytorch(std::string_view file) {
    return file.find("-packages/torch/") != file.npos || file.find("/torch/nn/") != file.npos;
}

// The path in the default exporter's metadata.
std::string path_in_metadata(const OnnxNode& node, bool is_only_one) {
    const auto scopes = items_of(node.name_scopes);
    const auto types = items_of(node.class_hierarchy);
    if (scopes.empty()) {
        return {};
    }
    // A convolution that absorbed the following normalisation has the normalisation's name.
    const std::string_view owner = module_of_weight(node);
    if (holds_folded_normalization(node) && !owner.empty()) {
        return std::string(owner);
    }
    const std::string_view module = scopes.size() > 1 ? scopes[scopes.size() - 2] : "";
    const std::string_view operation = without_number(scopes.back());
    const std::string detail =
        !is_only_one && is_detail(node, operation) ? fmt::format(".{}", node.op_type) : "";
    if (module.empty()) {
        return fmt::format("{}{}", operation, detail);
    }
    const bool is_whole =
        types.size() == scopes.size() && is_one_operation(types[types.size() - 2]);
    return is_whole ? fmt::format("{}{}", module, detail)
                    : fmt::format("{}.{}{}", module, operation, detail);
}

// The innermost module with several operations around a node; empty for the network itself.
std::string_view composed_module_of(const OnnxNode& node) {
    const auto scopes = items_of(node.name_scopes);
    const auto types = items_of(node.class_hierarchy);
    for (std::size_t depth = scopes.size(); depth-- > 1;) {
        const bool is_operation = depth + 1 == scopes.size();
        const bool is_single = types.size() == scopes.size() && is_one_operation(types[depth]);
        if (!is_operation && !is_single) {
            return scopes[depth];
        }
    }
    return {};
}

// ---- the older exporter

// Real modules are neither deeper nor longer in name; anything above is ignored.
constexpr std::size_t max_scope_segments = 24;
constexpr std::size_t max_scope_name = 512;

// The modules around a node: "/layer1/layer1.0" for "/layer1/layer1.0/Add_1", empty for the network
// itself. Nothing if the name does not have this form.
std::optional<std::string_view> scope_of(const OnnxNode& node) {
    const std::string_view name = node.name;
    const auto slash = name.rfind('/');
    if (!name.starts_with('/') || name.size() > max_scope_name || name.find("//") != name.npos ||
        static_cast<std::size_t>(std::ranges::count(name, '/')) > max_scope_segments) {
        return std::nullopt;
    }
    const std::string_view operation = name.substr(slash + 1);
    if (operation != node.op_type && without_number(operation) != node.op_type) {
        return std::nullopt;
    }
    return name.substr(0, slash);
}

std::string_view parent_of(std::string_view scope) {
    return scope.substr(0, scope.rfind('/'));
}

// PyTorch's name of the operation, as in the default exporter's "layer1.0.add".
std::string operation_of(std::string_view op_type) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> known = {
        {{"Concat", "cat"},
         {"ReduceMean", "mean"},
         {"ReduceSum", "sum"},
         {"MaxPool", "max_pool2d"},
         {"AveragePool", "avg_pool2d"},
         {"GlobalAveragePool", "adaptive_avg_pool2d"},
         {"Conv", "conv2d"},
         {"Gemm", "linear"},
         {"MatMul", "matmul"},
         {"Flatten", "view"},
         {"Reshape", "view"},
         {"Clip", "clamp"},
         {"HardSwish", "hardswish"},
         {"HardSigmoid", "hardsigmoid"},
         {"LeakyRelu", "leaky_relu"}}};
    const auto found =
        std::ranges::find(known, op_type, &std::pair<std::string_view, std::string_view>::first);
    if (found != known.end()) {
        return std::string(found->second);
    }
    std::string text;
    for (const char letter : op_type) {
        const bool is_capital = letter >= 'A' && letter <= 'Z';
        if (is_capital && !text.empty() && text.back() != '_') {
            text += '_';
        }
        text += is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return text;
}

}  // namespace

ModulePaths::ModulePaths(const OnnxModel& model) {
    const bool is_from_pytorch = model.producer == "pytorch";
    for (const OnnxNode& node : model.graph->nodes) {
        if (node.op_type == "Constant") {
            continue;
        }
        if (!node.name_scopes.empty()) {
            ++nodes_in_[node.name_scopes];
        } else if (const auto scope = is_from_pytorch ? scope_of(node) : std::nullopt) {
            add(node, *scope);
        }
    }
    if (std::ranges::any_of(model.graph->nodes,
                            [](const OnnxNode& node) { return !node.name_scopes.empty(); })) {
        place_between_neighbours(*model.graph);
    }
}

void ModulePaths::place_between_neighbours(const OnnxGraph& graph) {
    std::unordered_map<std::string_view, const OnnxNode*> producers;
    std::unordered_map<std::string_view, std::vector<const OnnxNode*>> readers;
    for (const OnnxNode& node : graph.nodes) {
        for (const std::string_view name : node.outputs) {
            producers[name] = &node;
        }
        for (const std::string_view name : node.inputs) {
            readers[name].push_back(&node);
        }
    }
    for (const OnnxNode& node : graph.nodes) {
        if (!node.name_scopes.empty() || node.op_type == "Constant") {
            continue;
        }
        std::vector<const OnnxNode*> near;
        for (const std::string_view name : node.outputs) {
            const auto found = readers.find(name);
            near.insert(near.end(), found == readers.end() ? 0U : 1U,
                        found == readers.end() ? nullptr : found->second.front());
        }
        for (const std::string_view name : node.inputs) {
            const auto found = producers.find(name);
            near.insert(near.end(), found == producers.end() ? 0U : 1U,
                        found == producers.end() ? nullptr : found->second);
        }
        const auto known = std::ranges::find_if(
            near, [](const OnnxNode* one) { return !one->name_scopes.empty(); });
        if (known != near.end()) {
            placed_.emplace(node.outputs.front(), composed_module_of(**known));
        }
    }
}

void ModulePaths::add(const OnnxNode& node, std::string_view scope) {
    ++nodes_in_[scope];
    products_in_[scope] += is_product(node) ? 1u : 0u;
    while (!scope.empty() && parents_.insert(parent_of(scope)).second) {
        scope = parent_of(scope);
    }
}

std::string ModulePaths::of(const OnnxNode& node) const {
    if (node.name_scopes.empty()) {
        const auto placed = node.outputs.empty() ? placed_.end() : placed_.find(node.outputs[0]);
        if (placed == placed_.end()) {
            return of_scoped(node);
        }
        const std::string operation = operation_of(node.op_type);
        return placed->second.empty() ? operation : fmt::format("{}.{}", placed->second, operation);
    }
    const auto found = nodes_in_.find(node.name_scopes);
    return path_in_metadata(node, found != nodes_in_.end() && found->second == 1);
}

// "layer1.0.conv1" for "/layer1/layer1.0/conv1".
std::string ModulePaths::module_of(std::string_view scope) const {
    std::string path;
    std::string_view before;
    for (std::size_t start = 0; start < scope.size();) {
        const auto end = std::min(scope.find('/', start + 1), scope.size());
        std::string_view segment = scope.substr(start + 1, end - start - 1);
        const std::string_view first = without_number(segment);
        const std::string_view first_call = scope.substr(0, start + 1 + first.size());
        if (first != segment && (nodes_in_.contains(first_call) || parents_.contains(first_call))) {
            segment = first;
        }
        const bool continues = !before.empty() && segment.size() > before.size() &&
                               segment.starts_with(before) && segment[before.size()] == '.';
        if (continues) {
            path.resize(path.size() - before.size());
        } else if (!path.empty()) {
            path += '.';
        }
        path += segment;
        before = segment;
        start = end;
    }
    return path;
}

std::string ModulePaths::of_scoped(const OnnxNode& node) const {
    const auto scope = scope_of(node);
    if (!scope || !nodes_in_.contains(*scope)) {
        return {};
    }
    std::string module = module_of(*scope);
    const std::string_view last = scope->substr(scope->rfind('/') + 1);
    // The weight has its module's whole path, even if the scopes omit a ModuleDict or the number at
    // the end is part of the module's name.
    if (const auto owner = module_of_weight(node);
        !scope->empty() && (owner == last || owner.ends_with(fmt::format(".{}", last)))) {
        module = owner;
    }
    const bool is_composed = scope->empty() || parents_.contains(*scope);
    const bool is_whole = nodes_in_.at(*scope) == 1 || is_product(node);
    if (!is_composed && is_whole) {
        return module;
    }
    const std::string operation = !is_composed && products_in_.at(*scope) > 0
                                      ? std::string(node.op_type)
                                      : operation_of(node.op_type);
    return module.empty() ? operation : fmt::format("{}.{}", module, operation);
}

std::string source_line_of(const OnnxNode& node) {
    constexpr std::string_view opening = "File \"", closing = "\", line ";
    std::string found;
    std::string_view trace = node.stack_trace;
    for (auto at = trace.find(opening); at != trace.npos; at = trace.find(opening)) {
        trace.remove_prefix(at + opening.size());
        const auto end = trace.find(closing);
        if (end == trace.npos) {
            break;
        }
        const std::string_view file = trace.substr(0, end);
        trace.remove_prefix(end + closing.size());
        const std::string_view line = trace.substr(0, trace.find_first_not_of("0123456789"));
        if (!is_of_pytorch(file) && !line.empty()) {
            const auto folder = file.rfind('/', file.rfind('/') - 1);
            const bool is_deep = file.rfind('/') != file.npos && file.rfind('/') > 0;
            found = fmt::format(
                "{}:{}", is_deep && folder != file.npos ? file.substr(folder + 1) : file, line);
        }
    }
    return found;
}

bool holds_folded_normalization(const OnnxNode& node) {
    // The older exporter gives these names to the weight and bias that it computes.
    const bool is_made = node.inputs.size() > 2 && node.inputs[1].starts_with("onnx::Conv_") &&
                         node.inputs[2].starts_with("onnx::Conv_");
    return node.op_type == "Conv" &&
           (is_made || node.rewriting_rules.find(folding_rule) != node.rewriting_rules.npos);
}

}  // namespace strata
