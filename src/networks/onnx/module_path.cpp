// SPDX-License-Identifier: MIT
#include "networks/onnx/module_path.h"

#include "base/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
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

// Modules of PyTorch itself that are a single operation, however many nodes it takes.
bool is_one_operation(std::string_view type) {
    constexpr std::string_view modules = "torch.nn.modules.";
    constexpr std::array<std::string_view, 3> composed = {"container.", "transformer.",
                                                          "activation.MultiheadAttention"};
    return type.starts_with(modules) && std::ranges::none_of(composed, [&](std::string_view one) {
               return type.substr(modules.size()).starts_with(one);
           });
}

// "conv2d_3" is the fourth of its kind in the whole network, which its module identifies better.
std::string_view without_number(std::string_view operation) {
    const auto end = operation.find_last_not_of("0123456789");
    const bool numbered =
        end != operation.npos && end > 0 && end + 1 < operation.size() && operation[end] == '_';
    return numbered ? operation.substr(0, end) : operation;
}

// The module whose weight a node reads: "conv1" of "conv1.weight".
std::string_view module_of_weight(const OnnxNode& node) {
    constexpr std::string_view ending = ".weight";
    const std::string_view weight = node.inputs.size() > 1 ? node.inputs[1] : std::string_view();
    return weight.ends_with(ending) ? weight.substr(0, weight.size() - ending.size())
                                    : std::string_view();
}

// Whether a node is a minor one among several of an operation. The node that gives the result is
// named after the operation, and matrix products take the time.
bool is_detail(const OnnxNode& node, std::string_view operation) {
    constexpr std::array<std::string_view, 5> products = {"Conv", "ConvTranspose", "Gemm", "MatMul",
                                                          "Attention"};
    constexpr std::string_view prefix = "node_";
    const bool gives_result =
        node.name.starts_with(prefix) && node.name.substr(prefix.size()).starts_with(operation);
    return !gives_result && node.rewriting_rules.empty() &&
           std::ranges::find(products, node.op_type) == products.end();
}

bool is_of_pytorch(std::string_view file) {
    return file.find("-packages/torch/") != file.npos || file.find("/torch/nn/") != file.npos;
}

}  // namespace

std::string module_path_of(const OnnxNode& node) {
    const auto scopes = items_of(node.name_scopes);
    const auto types = items_of(node.class_hierarchy);
    if (scopes.empty()) {
        return {};
    }
    // A convolution that absorbed the following normalisation has that one's name.
    const std::string_view owner = module_of_weight(node);
    if (holds_folded_normalization(node) && !owner.empty()) {
        return std::string(owner);
    }
    const std::string_view module = scopes.size() > 1 ? scopes[scopes.size() - 2] : "";
    const std::string_view operation = without_number(scopes.back());
    const std::string detail = is_detail(node, operation) ? fmt::format(".{}", node.op_type) : "";
    if (module.empty()) {
        return fmt::format("{}{}", operation, detail);
    }
    const bool is_whole =
        types.size() == scopes.size() && is_one_operation(types[types.size() - 2]);
    return is_whole ? fmt::format("{}{}", module, detail)
                    : fmt::format("{}.{}{}", module, operation, detail);
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
    // The older exporter gives the weight and bias that it computed names of its own.
    const bool is_made = node.inputs.size() > 2 && node.inputs[1].starts_with("onnx::Conv_") &&
                         node.inputs[2].starts_with("onnx::Conv_");
    return node.op_type == "Conv" &&
           (is_made || node.rewriting_rules.find(folding_rule) != node.rewriting_rules.npos);
}

}  // namespace strata
