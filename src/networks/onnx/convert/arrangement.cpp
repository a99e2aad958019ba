// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"

#include "networks/onnx/convert/converters.h"

namespace strata {

namespace {

void convert_to_reshape(const NodeImport& node, const Dims& dims) {
    node.result(Reshape{.dims = dims}, {node.operand(0)});
}

}  // namespace

void convert_concat(const NodeImport& node) {
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (node.input(i).elements() > 0) {  // exporters begin caches with an empty tensor
            operands.push_back(node.operand(i));
        }
    }
    if (operands.empty()) {
        throw Unsupported{"its result is empty"};
    }
    if (operands.size() == 1) {
        node.result(Identity{}, std::move(operands));
        return;
    }
    node.result(Concat{.axis = node.integer("axis", 1)}, std::move(operands));
}

void convert_reshape(const NodeImport& node) {
    convert_to_reshape(node, reshape_target(node));
}

void convert_flatten(const NodeImport& node) {
    convert_to_reshape(node, flatten_target(node));
}

void convert_squeeze(const NodeImport& node) {
    convert_to_reshape(node, squeeze_target(node));
}

void convert_unsqueeze(const NodeImport& node) {
    convert_to_reshape(node, unsqueeze_target(node));
}

void convert_transpose(const NodeImport& node) {
    node.result(Transpose{.permutation = transpose_permutation(node)}, {node.operand(0)});
}

void convert_identity(const NodeImport& node) {
    node.result(Identity{}, {node.operand(0)});
}

}  // namespace strata
