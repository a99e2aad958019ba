// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/import_node.h"
#include "networks/onnx/operator/families.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace strata {

namespace {

bool is_channels_last(const NodeImport& node) {
    return node.node().op_type.starts_with("Nhwc") || node.integer("channels_last", 0) != 0;
}

// Moves the channels from the last axis to the second, or back.
void move_channels(Dims& dims, bool to_last) {
    if (dims.size() > 2) {
        to_last ? std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end())
                : std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    }
}

std::vector<SketchOperand> operands_of(const NodeImport& node, const Likeness& like) {
    std::vector<SketchOperand> operands;
    for (const std::size_t input : like.inputs) {
        if (input == 0 && !operands.empty()) {
            break;
        }
        if (!node.has_input(input)) {
            operands.emplace_back();
            continue;
        }
        Tensor stand_in{node.input(input).dims, DataType::f32};
        if (is_channels_last(node) && operands.empty()) {
            move_channels(stand_in.dims, false);
        }
        operands.push_back({.stand_in = stand_in, .is_constant = node.constant(input) != nullptr});
    }
    return operands;
}

KnownResults likened(const NodeImport& node, const Likeness& like) {
    const OnnxRow* row = find_row({}, like.op_type);
    check(row != nullptr && row->convert, "an operator is like one that becomes layers");
    const auto sketch = node.sketch(like.op_type, row->convert, operands_of(node, like));
    if (!sketch || !sketch->results.at(0)) {
        return {};
    }
    Tensor result = *sketch->results[0];
    if (is_channels_last(node)) {
        move_channels(result.dims, true);
    }
    result.dtype = like.dtype;
    if (like.typed_as >= 0) {
        const auto typed_as = static_cast<std::size_t>(like.typed_as);
        result.dtype = node.has_input(typed_as) ? node.input(typed_as).dtype : like.dtype;
    }
    KnownResults known{.outputs = {result}, .work = sketch->work};
    if (like.second) {
        known.outputs.push_back(Tensor{result.dims, *like.second});
    }
    std::ranges::copy_if(like.inputs, std::back_inserter(known.weights),
                         [](std::size_t input) { return input > 0; });
    return known;
}

// The results as if operands of unsupported types were f32; nothing if there are no such operands.
KnownResults as_if_computed(const NodeImport& node, const OnnxRow& row) {
    std::vector<SketchOperand> operands;
    std::optional<DataType> replaced;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        operands.push_back({.name = node.node().inputs[i]});
        const bool must_float = i == 0 && row.elements == Elements::floating;
        if (!node.has_input(i) || (is_computed(node.input(i).dtype) &&
                                   (!must_float || is_floating(node.input(i).dtype)))) {
            continue;
        }
        replaced = replaced.value_or(node.input(i).dtype);
        operands.back().stand_in = Tensor{node.input(i).dims, DataType::f32};
        operands.back().is_constant = node.constant(i) != nullptr;
    }
    const auto sketch = replaced ? node.sketch(row.op_type, row.convert, operands) : std::nullopt;
    if (!sketch) {
        return {};
    }
    KnownResults known{.outputs = sketch->results, .work = sketch->work};
    for (auto& result : known.outputs) {
        if (result && result->dtype == DataType::f32) {
            result->dtype = *replaced;
        }
    }
    return known;
}

KnownResults found_results(const NodeImport& node) {
    const OnnxRow* row = find_row(node.node().domain, node.node().op_type);
    if (!row) {
        return {};
    }
    KnownResults known;
    if (row->shape_rule || !row->like.op_type.empty()) {
        known = row->shape_rule ? row->shape_rule(node) : likened(node, row->like);
    }
    if (known.outputs.empty() && row->convert) {
        known = as_if_computed(node, *row);
    }
    for (const auto& output : known.outputs) {
        if (output) {
            require_sane(output->dims);
        }
    }
    return known;
}

}  // namespace

KnownResults known_results(const NodeImport& node) {
    try {
        return found_results(node);
    } catch (const Unsupported&) {
    } catch (const Error&) {              // the inputs do not fit
    } catch (const std::out_of_range&) {  // a list or a shape that is too short
    }
    return {};
}

}  // namespace strata
