// SPDX-License-Identifier: MIT
#include "op/op.h"
#include "op/rules.h"
#include "parallel/tensor_split.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace strata {

namespace {

// Whether each device may have its own part of an operand without an exchange.
bool is_free(Role role) {
    return is_owned(role) || role == Role::constant;
}

// The axis of the result to which a reshape moves the divided one: elements that are next to each
// other stay so if it is the first of those that are joined, or goes to the first one of its parts
// that devices can share.
SplitAxis reshaped_axis(const Dims& from, const Dims& to, std::size_t axis, std::int64_t devices) {
    std::size_t i = 0, o = 0;
    while (i < from.size() && o < to.size()) {
        const std::size_t first_in = i, first_out = o;
        std::int64_t in = from[i++], out = to[o++];
        while (in != out) {
            if (in < out ? i == from.size() : o == to.size()) {
                return {};
            }
            (in < out ? in : out) *= in < out ? from[i++] : to[o++];
        }
        if (axis >= i) {
            continue;
        }
        const bool leads = std::all_of(from.begin() + static_cast<std::ptrdiff_t>(first_in),
                                       from.begin() + static_cast<std::ptrdiff_t>(axis),
                                       [](std::int64_t extent) { return extent == 1; });
        for (std::size_t part = first_out; leads && part < o; ++part) {
            if (to[part] % devices == 0) {
                return part;
            }
        }
        return {};
    }
    return {};
}

// The rules, each of an operator some of whose activations are divided or which may open.
class SplitRules {
public:
    explicit SplitRules(const SplitQuestion& question)
        : q_(question), divided_(std::ranges::any_of(q_.inputs, &SplitAxis::has_value)) {}

    using Answer = std::optional<LayerSplit>;

    template <class Other>
    Answer operator()(const Other&) const {
        return {};
    }

    Answer operator()(const FullyConnected&) const {
        if (divided_) {
            return sums({.inputs = axes({q_.inputs[0], 1})});
        }
        return opens(0, {.inputs = axes({{}, 0, 0}), .outputs = 1});
    }

    Answer operator()(const Convolution& op) const {
        const bool shares_groups = op.groups > 1 && op.groups % q_.devices == 0;
        if (!divided_) {
            return op.groups > 1 ? Answer() : opens(0, {.inputs = axes({{}, 0, 0}), .outputs = 1});
        }
        if (q_.inputs[0] != 1U) {
            return {};
        }
        if (op.groups == 1) {
            return sums({.inputs = axes({1, 1})});
        }
        return shares_groups ? Answer({.inputs = axes({1, 0, 0}), .outputs = 1}) : Answer();
    }

    Answer operator()(const MatMul& op) const {
        const std::size_t rank_a = rank(0), rank_b = rank(1);
        if (rank_a < 2 || rank_b < 2) {
            return {};
        }
        const std::size_t deep_a = rank_a - (op.transpose_a ? 2 : 1);
        const std::size_t deep_b = rank_b - (op.transpose_b ? 1 : 2);
        const std::size_t wide_b = rank_b - (op.transpose_b ? 2 : 1);
        if (rank_b == 2 && is_free(q_.signature.inputs[1].role)) {
            if (!divided_) {
                return opens(wide_b, {.inputs = axes({{}, wide_b}), .outputs = out_rank() - 1});
            }
            return q_.inputs[0] == deep_a ? sums({.inputs = axes({deep_a, deep_b})}) : Answer();
        }
        return in_batches();
    }

    // Heads.
    Answer operator()(const Attention& op) const {
        const AttentionExtents extents = extents_of(op, q_.signature);
        const std::size_t axis = extents.packed ? 2 : 1;
        if (extents.heads % q_.devices != 0 || extents.kv_heads % q_.devices != 0 ||
            std::ranges::count(q_.inputs.first(3), SplitAxis(axis)) != 3) {
            return {};
        }
        LayerSplit split{.inputs = axes({axis, axis, axis}), .outputs = axis};
        if (q_.inputs.size() > 3) {
            const Dims& mask = q_.signature.inputs[3].tensor.dims;
            const bool has_heads = mask.size() >= 3 && mask[mask.size() - 3] > 1;
            if (has_heads && !is_free(q_.signature.inputs[3].role)) {
                return {};
            }
            split.inputs[3] = has_heads ? SplitAxis(mask.size() - 3) : SplitAxis();
        }
        return split;
    }

    // A table with more rows than an example looks up; each device has zeros for rows of others.
    Answer operator()(const Embedding& op) const {
        const Operand& indices = q_.signature.inputs[0];
        const std::int64_t looked_up =
            indices.tensor.elements() / std::max<std::int64_t>(indices.tensor.dims.at(0), 1);
        if (!q_.may_open || is_free(indices.role) || op.rows <= std::max(looked_up, q_.devices)) {
            return {};
        }
        return sums({.inputs = axes({{}, 0})});
    }

    Answer operator()(const SoftmaxCrossEntropy&) const {
        return q_.inputs[0] == 1U && rank(0) == 2 ? Answer({.inputs = axes({1})}) : Answer();
    }

    Answer operator()(const Elementwise&) const { return by_element(); }
    Answer operator()(const Select&) const { return by_element(); }
    Answer operator()(const Activation&) const { return by_element(); }
    Answer operator()(const Unary&) const { return by_element(); }
    Answer operator()(const Dropout&) const { return by_element(); }
    Answer operator()(const Cast&) const { return by_element(); }
    Answer operator()(const Identity&) const { return by_element(); }

    Answer operator()(const BatchNormalization& op) const {
        return op.scope == NormalizationScope::spatial ? by_channel({1, 0, 0, 0, 0}) : Answer();
    }
    Answer operator()(const GroupNormalization& op) const {
        return op.groups % q_.devices == 0 ? by_channel({1, 0, 0}) : Answer();
    }
    Answer operator()(const Pooling&) const { return by_channel({1}); }
    Answer operator()(const Resize&) const { return by_channel({1}); }

    Answer operator()(const Softmax& op) const {
        return follows_unless(
            [&](std::size_t axis) { return axis == axis_index("", op.axis, rank(0)); });
    }
    Answer operator()(const LayerNormalization& op) const {
        return follows_unless(
            [&](std::size_t axis) { return axis >= axis_index("", op.axis, rank(0)); });
    }
    Answer operator()(const Pad& op) const {
        return follows_unless([&](std::size_t axis) {
            const auto pads = [&](const Dims& by) { return axis < by.size() && by[axis] != 0; };
            return pads(op.begin) || pads(op.end);
        });
    }
    Answer operator()(const Slice& op) const {
        return follows_unless([&](std::size_t axis) {
            for (std::size_t i = 0; i < op.axes.size(); ++i) {
                if (axis_index("", op.axes[i], rank(0)) == axis) {
                    const bool steps = !op.steps.empty() && op.steps[i] != 1;
                    return steps || op.starts[i] % q_.devices != 0 ||
                           op.extents[i] % q_.devices != 0;
                }
            }
            return false;
        });
    }

    Answer operator()(const Reduction& op) const {
        if (!divided_) {
            return {};
        }
        const std::size_t axis = *q_.inputs[0];
        std::size_t before = 0;
        for (const std::int64_t reduced : op.axes) {
            const std::size_t index = axis_index("", reduced, rank(0));
            if (index == axis) {
                return {};
            }
            before += index < axis ? 1 : 0;
        }
        if (op.axes.empty()) {
            return {};
        }
        return LayerSplit{.inputs = axes({axis}), .outputs = op.keep_axes ? axis : axis - before};
    }

    Answer operator()(const Concat&) const {
        if (!divided_ ||
            std::ranges::adjacent_find(q_.inputs, std::not_equal_to()) != q_.inputs.end()) {
            return {};
        }
        return LayerSplit{.inputs = {q_.inputs.begin(), q_.inputs.end()}, .outputs = q_.inputs[0]};
    }

    Answer operator()(const Transpose& op) const {
        if (!divided_) {
            return {};
        }
        const auto at = std::ranges::find(op.permutation, static_cast<std::int64_t>(*q_.inputs[0]));
        return LayerSplit{.inputs = axes({q_.inputs[0]}),
                          .outputs = static_cast<std::size_t>(at - op.permutation.begin())};
    }

    Answer operator()(const Reshape&) const {
        if (!divided_) {
            return {};
        }
        const SplitAxis to = reshaped_axis(q_.signature.inputs[0].tensor.dims,
                                           q_.signature.outputs[0].dims, *q_.inputs[0], q_.devices);
        return to ? Answer({.inputs = axes({q_.inputs[0]}), .outputs = to}) : Answer();
    }

private:
    std::size_t rank(std::size_t operand) const {
        return q_.signature.inputs[operand].tensor.dims.size();
    }
    std::size_t out_rank() const { return q_.signature.outputs[0].dims.size(); }

    // Of every operand; those that are not given are whole.
    std::vector<SplitAxis> axes(std::vector<SplitAxis> first) const {
        first.resize(q_.signature.inputs.size());
        return first;
    }

    // Products of whole activations whose channels, an extent of the weights, are divided.
    Answer opens(std::size_t weight_axis, LayerSplit split) const {
        const std::int64_t channels = q_.signature.inputs[1].tensor.dims.at(weight_axis);
        const bool fits = channels % q_.devices == 0 || (q_.may_round && channels > q_.devices);
        if (!q_.may_open || !fits || !is_free(q_.signature.inputs[1].role)) {
            return {};
        }
        split.opens = true;
        return split;
    }

    static Answer sums(LayerSplit split) {
        split.is_partial = true;
        return split;
    }

    // Products of two activations in a batch of which each device has a part.
    Answer in_batches() const {
        const Answer split = divided_ ? by_element() : Answer();
        return split && *split->outputs + 2 < out_rank() ? split : Answer();
    }

    // Results with elements where the operands have theirs, broadcast as NumPy does.
    Answer by_element() const {
        if (!divided_) {
            return {};
        }
        LayerSplit split{.inputs = {q_.inputs.begin(), q_.inputs.end()}};
        for (std::size_t i = 0; i < q_.inputs.size(); ++i) {
            if (q_.inputs[i]) {
                const std::size_t axis = *q_.inputs[i] + out_rank() - rank(i);
                if (split.outputs && *split.outputs != axis) {
                    return {};
                }
                split.outputs = axis;
            }
        }
        for (std::size_t i = 0; i < q_.inputs.size(); ++i) {
            const std::size_t missing = out_rank() - rank(i);
            const bool has_axis = *split.outputs >= missing &&
                                  q_.signature.inputs[i].tensor.dims[*split.outputs - missing] > 1;
            if (has_axis && !q_.inputs[i]) {
                if (!is_free(q_.signature.inputs[i].role)) {
                    return {};
                }
                split.inputs[i] = *split.outputs - missing;
            }
        }
        return split;
    }

    // Channels are axis 1; what the layer owns has these axes.
    Answer by_channel(std::vector<SplitAxis> operands) const {
        if (q_.inputs[0] != 1U) {
            return {};
        }
        return LayerSplit{.inputs = axes(std::move(operands)), .outputs = 1};
    }

    template <class Uses>
    Answer follows_unless(Uses&& uses) const {
        if (!q_.inputs[0] || uses(*q_.inputs[0])) {
            return {};
        }
        return LayerSplit{.inputs = axes({q_.inputs[0]}), .outputs = q_.inputs[0]};
    }

    const SplitQuestion& q_;
    bool divided_ = false;
};

}  // namespace

std::optional<LayerSplit> split_of(const SplitQuestion& question) {
    return std::visit(SplitRules(question), static_cast<const OneOperator&>(question.op));
}

}  // namespace strata
