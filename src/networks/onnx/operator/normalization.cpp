// SPDX-License-Identifier: MIT
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>

namespace strata {

namespace {

// A weight standardised by its own mean and variance, channel by channel (Brock 2021): exporters
// write it as a batch normalisation in training mode.
void standardise_weight(const NodeImport& node) {
    const Dims dims = node.input(0).dims;
    unsupported_if(dims.size() < 2, "its input has no channels");
    Dims axes, channels(dims.size(), 1);
    channels[1] = dims[1];
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        axes.insert(axes.end(), axis == 1 ? 0 : 1, static_cast<std::int64_t>(axis));
    }
    Composition steps(node);
    const Reduction mean{.kind = ReductionKind::mean, .axes = axes};
    const TensorId x = node.operand(0);
    const TensorId rest = steps.difference(x, steps.add(mean, {x}));
    const TensorId squares = steps.product(rest, rest);
    const TensorId variance = steps.sum(steps.add(mean, {squares}), node.number("epsilon", 1e-5));
    const TensorId normal = steps.quotient(rest, steps.unary(UnaryKind::square_root, variance));
    const auto by_channel = [&](std::size_t i) {
        return steps.reshape(node.operand(i, Role::parameter), channels);
    };
    const TensorId scaled = steps.product(normal, by_channel(1));
    node.result(Elementwise{ElementwiseKind::add}, {scaled, by_channel(2)});
}

// In training form, the file gives the running statistics as results. Our training step changes
// them in place, so readers of such a result read the statistics themselves.
void give_running_statistics(const NodeImport& node) {
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (node.is_used(i)) {
            node.result_part(i, Identity{}, {node.operand(i + 2, Role::statistic)});
        }
    }
    for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
        unsupported_if(node.is_used(i), "the statistics of its batch are read");
    }
}

constexpr auto batch_attributes = [](auto& op, auto&& attribute) {
    attribute("epsilon", op.epsilon);
    attribute("momentum", op.momentum);
};

constexpr auto layer_attributes = [](auto& op, auto&& attribute) {
    attribute("axis", op.axis);
    attribute("epsilon", op.epsilon);
};

constexpr auto instance_attributes = [](auto& op, auto&& attribute) {
    attribute("epsilon", op.epsilon);
};

constexpr auto group_attributes = [](auto& op, auto&& attribute) {
    attribute("epsilon", op.epsilon);
    attribute("num_groups", op.groups);
};

void convert_batch_normalization(const NodeImport& node) {
    if (node.integer("training_mode", 0) != 0 && node.constant(0)) {
        return standardise_weight(node);
    }
    const bool spatial = node.opset() >= 9 || node.integer("spatial", 1) != 0;
    const BatchNormalization normalization{
        .epsilon = 1e-5,
        .momentum = 0.9,
        .scope = spatial ? NormalizationScope::spatial : NormalizationScope::per_activation};
    node.result(
        with_attributes(node, normalization, batch_attributes),
        {node.operand(0), node.operand(1, Role::parameter), node.operand(2, Role::parameter),
         node.operand(3, Role::statistic), node.operand(4, Role::statistic)});
    give_running_statistics(node);
}

// Whether an operand has exactly the extents of input 0 from an axis on.
bool fills(const NodeImport& node, std::size_t i, std::size_t axis) {
    const Dims& dims = node.input(0).dims;
    return std::ranges::equal(node.input(i).dims, std::span(dims).subspan(axis));
}

// Scale and shift with other extents are broadcast by separate layers.
void finish_broadcast(const NodeImport& node, LayerNormalization normalization) {
    normalization.scale = normalization.shift = false;
    Composition steps(node);
    const TensorId normal = steps.add(normalization, {node.operand(0)});
    const TensorId scaled = steps.product(normal, node.operand(1, Role::parameter));
    if (!node.has_input(2)) {
        return node.result(Identity{}, {scaled});
    }
    node.result(Elementwise{ElementwiseKind::add}, {scaled, node.operand(2, Role::parameter)});
}

// LayerNormalization, or by the root mean square only.
void convert_by_layer(const NodeImport& node) {
    const bool by_mean = node.node().op_type == "LayerNormalization";
    LayerNormalization normalization{
        .axis = -1,
        .epsilon = 1e-5,
        .kind = by_mean ? NormalizationKind::standard : NormalizationKind::root_mean_square,
        .scale = node.has_input(1),
        .shift = node.has_input(2)};
    normalization = with_attributes(node, normalization, layer_attributes);
    const std::size_t axis = axis_of(normalization.axis, node.input(0).dims.size());
    normalization.axis = static_cast<std::int64_t>(axis);
    std::vector<TensorId> operands = {node.operand(0)};
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (node.has_input(i) && !fills(node, i, axis)) {
            return finish_broadcast(node, normalization);
        }
        if (node.has_input(i)) {
            operands.push_back(node.operand(i, Role::parameter));
        }
    }
    node.result(normalization, std::move(operands));
}

// One scale or shift per channel; before opset 21 the file has one per group.
TensorId by_channel(const NodeImport& node, std::size_t i, std::int64_t groups) {
    const std::int64_t channels = node.input(0).dims.at(1);
    if (node.input(i).dims != Dims{groups} || groups == channels) {
        return node.operand(i, Role::parameter);
    }
    const Constant& given = node.known(i);
    node.spend(channels);
    std::vector<double> values;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        values.push_back(number_at(given, channel / (channels / groups)));
    }
    return node.operand(i, "channels", constant_of({{channels}, given.tensor.dtype}, values),
                        Role::parameter);
}

void convert_group_normalization(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    const auto op =
        with_attributes(node, GroupNormalization{.groups = 1, .epsilon = 1e-5}, group_attributes);
    const std::int64_t groups = op.groups;
    if (dims.size() < 3 || groups < 1 || dims[1] % groups != 0 || dims[1] > max_folded_elements) {
        throw Unsupported{fmt::format("{} groups do not fit its input", groups)};
    }
    node.result(op, {node.operand(0), by_channel(node, 1, groups), by_channel(node, 2, groups)});
}

void convert_instance_normalization(const NodeImport& node) {
    node.result(
        with_attributes(node, GroupNormalization{.groups = 0, .epsilon = 1e-5},
                        instance_attributes),
        {node.operand(0), node.operand(1, Role::parameter), node.operand(2, Role::parameter)});
}

// Has the mean and the reciprocal deviation as results; our layers do not give them.
KnownResults layer_normalization_results(const NodeImport& node) {
    const Tensor x = node.input(0);
    std::vector<SketchOperand> operands;
    for (const std::string_view name : node.node().inputs) {
        operands.push_back({.name = name});
    }
    const auto plain = node.sketch("LayerNormalization", convert_by_layer, operands);
    Dims rows = x.dims;
    std::fill(
        rows.begin() + static_cast<std::ptrdiff_t>(axis_of(node.integer("axis", -1), rows.size())),
        rows.end(), 1);
    const Tensor statistics{rows, DataType::f32};
    return {.outputs = {x, statistics, statistics},
            .work = plain ? std::optional(plain->work) : std::nullopt,
            .weights = {1, 2}};
}

// (x - mean) / sqrt(variance + epsilon) * scale + shift, all broadcast.
void write_per_activation(const BatchNormalization& op, LayerWriter& to) {
    const DataType dtype = to.input(0).dtype;
    const std::string rest = to.step("Sub", {to.in(0), to.in(3)});
    const std::string sum = to.step("Add", {to.in(4), to.number(op.epsilon, dtype)});
    const std::string normal = to.step("Div", {rest, to.step("Sqrt", {sum})});
    to.last("Add", {to.step("Mul", {normal, to.in(1)}), to.in(2)});
}

// x / sqrt(mean of squares + epsilon) * scale + shift.
void write_root_mean_square(const LayerNormalization& op, LayerWriter& to, std::size_t axis) {
    Dims axes;
    for (std::size_t i = axis; i < to.input(0).dims.size(); ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
    }
    const std::string squares = to.step("Mul", {to.in(0), to.in(0)});
    const std::string mean = to.step("ReduceMean", {squares, to.integers(axes)});
    const std::string sum = to.step("Add", {mean, to.number(op.epsilon, to.input(0).dtype)});
    const std::string root = to.step("Sqrt", {sum});
    std::vector<std::pair<const char*, std::string>> behind;
    std::size_t next = 1;
    if (op.scale) {
        behind.emplace_back("Mul", to.in(next++));
    }
    if (op.shift) {
        behind.emplace_back("Add", to.in(next));
    }
    if (behind.empty()) {
        return to.last("Div", {to.in(0), root});
    }
    std::string y = to.step("Div", {to.in(0), root});
    for (std::size_t i = 0; i + 1 < behind.size(); ++i) {
        y = to.step(behind[i].first, {y, behind[i].second});
    }
    to.last(behind.back().first, {y, behind.back().second});
}

void write_batch_normalization(const BatchNormalization& op, LayerWriter& to) {
    if (op.scope == NormalizationScope::per_activation) {
        return write_per_activation(op, to);
    }
    to.last("BatchNormalization", to.inputs(), attributes_of(op, batch_attributes));
}

void write_layer_normalization(const LayerNormalization& op, LayerWriter& to) {
    const Dims& dims = to.input(0).dims;
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + std::ssize(dims) : op.axis);
    if (op.kind == NormalizationKind::root_mean_square) {
        return write_root_mean_square(op, to, axis);
    }
    const Dims normalized(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
    std::vector<std::string> inputs = {to.in(0)};
    inputs.push_back(op.scale ? to.in(1) : to.filled(normalized, 1));
    if (op.shift) {
        inputs.push_back(to.in(op.scale ? 2 : 1));
    }
    to.last("LayerNormalization", inputs, attributes_of(op, layer_attributes));
}

void write_group_normalization(const GroupNormalization& op, LayerWriter& to) {
    const Dims channels = {to.input(0).dims.at(1)};
    std::vector<std::string> inputs = to.inputs();
    if (!op.affine) {
        inputs = {to.in(0), to.filled(channels, 1), to.filled(channels, 0)};
    }
    if (op.groups == 0) {
        return to.last("InstanceNormalization", inputs, attributes_of(op, instance_attributes));
    }
    to.last("GroupNormalization", inputs, attributes_of(op, group_attributes));
}

}  // namespace

OnnxRows normalization_rows() {
    static constexpr std::array rows = {
        OnnxRow("BatchNormalization")
            .in_floating(convert_batch_normalization, Outputs::several)
            .out<write_batch_normalization>(),
        OnnxRow("GroupNorm", Domain::microsoft).shaped(uncounted_as_input),
        OnnxRow("GroupNormalization")
            .in_floating(convert_group_normalization)
            .out<write_group_normalization>(),
        OnnxRow("InstanceNormalization")
            .in_floating(convert_instance_normalization)
            .out<write_group_normalization>(),
        OnnxRow("LayerNormalization")
            .in_floating(convert_by_layer)
            .shaped(layer_normalization_results)
            .out<write_layer_normalization>(),
        OnnxRow("RMSNormalization").in_floating(convert_by_layer),
        OnnxRow("SimplifiedLayerNormalization", Domain::both).in_floating(convert_by_layer),
        OnnxRow("SkipGroupNorm", Domain::microsoft).shaped(uncounted_as_input),
    };
    return rows;
}

}  // namespace strata
