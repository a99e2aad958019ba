// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/node/extents.h"
#include "networks/onnx/operator/families.h"
#include "op/rules.h"

#include <fmt/format.h>
#include <algorithm>

namespace strata {

namespace {

// Axes come as an attribute before opset 13 and as input 1 since.
Dims axes_of(const NodeImport& node) {
    return node.has_input(1) ? node.integers_of_input(1) : node.integers("axes");
}

[[noreturn]] void refuse_reshape(const Dims& from, const Dims& to) {
    throw Error(fmt::format("{} cannot become {}; the number of elements must not change",
                            to_text(from), to_text(to)));
}

// The target with each 0 replaced by the input's extent, and one -1 by the remaining factor.
Dims resolved(Dims target, const Tensor& input) {
    const Dims asked = target;
    std::int64_t* open = nullptr;
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (target[i] < -1 || (target[i] == 0 && i >= input.dims.size()) ||
            (target[i] == -1 && open)) {
            refuse_reshape(input.dims, asked);
        }
        target[i] = target[i] == 0 ? input.dims[i] : target[i];
        open = target[i] == -1 ? &target[i] : open;
    }
    if (open) {
        *open = 1;
        const std::int64_t others = product(target);
        *open = others > 0 ? input.elements() / others : 0;
    }
    return target;
}

// A target that repeats the file's batch, with the requested batch instead. The first extent
// becomes the batch or, if that does not fit, a multiple of it.
Dims with_batch(const Dims& target, const BatchChange& change, const Tensor& input) {
    if (target.empty() || target[0] < 1 || input.dims.empty()) {
        return target;
    }
    Dims changed = target;
    if (target[0] == change.from && input.dims[0] == change.to) {
        changed[0] = change.to;
        if (product(resolved(changed, input)) == input.elements()) {
            return changed;
        }
    }
    const bool fits = product(resolved(target, input)) == input.elements();
    if (!fits && target[0] % change.from == 0) {
        changed[0] = product(Dims{target[0] / change.from, change.to});
        return changed;
    }
    return target;
}

Dims reshape_target(const NodeImport& node) {
    const Tensor& input = node.input(0);
    const bool states_zero = node.integer("allowzero", 0) != 0;
    Dims target = node.has_input(1) ? node.integers_of_input(1) : node.integers("shape");
    unsupported_if(states_zero && std::ranges::find(target, 0) != target.end(),
                   "its target is empty");
    if (node.batch_change() && !node.constant(0)) {
        target = with_batch(target, *node.batch_change(), input);
    }
    require_sane(Dims(target.size(), 1));
    const Dims dims = resolved(target, input);
    if (product(dims) != input.elements()) {
        refuse_reshape(input.dims, target);
    }
    return dims;
}

Dims flatten_target(const NodeImport& node) {
    const auto& dims = node.input(0).dims;
    const std::int64_t axis = node.integer("axis", 1);
    const std::size_t split = axis == std::ssize(dims) ? dims.size() : axis_of(axis, dims.size());
    return {product(std::span(dims).first(split)), product(std::span(dims).subspan(split))};
}

Dims squeeze_target(const NodeImport& node) {
    const auto& dims = node.input(0).dims;
    const Dims axes = axes_of(node);
    std::vector<bool> drop(dims.size());
    for (std::int64_t axis : axes) {
        drop[axis_of(axis, dims.size())] = true;
    }
    Dims target;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (drop[i] && dims[i] != 1) {
            throw Error(fmt::format("axis {} of {} cannot be dropped, its extent is not 1", i,
                                    to_text(dims)));
        }
        if (axes.empty() ? dims[i] != 1 : !drop[i]) {
            target.push_back(dims[i]);
        }
    }
    return target;
}

Dims unsqueeze_target(const NodeImport& node) {
    const auto& dims = node.input(0).dims;
    const Dims axes = axes_of(node);
    require_sane(Dims(dims.size() + axes.size(), 1));
    std::vector<bool> is_new(dims.size() + axes.size());
    for (std::int64_t axis : axes) {
        is_new[axis_of(axis, is_new.size())] = true;
    }
    if (std::ranges::count(is_new, true) != std::ssize(axes)) {
        throw Error("its axes repeat");
    }
    Dims target;
    auto next = dims.begin();
    for (const bool added : is_new) {
        target.push_back(added ? 1 : *next++);
    }
    return target;
}

Dims transpose_permutation(const NodeImport& node) {
    const std::size_t rank = node.input(0).dims.size();
    Dims permutation = node.integers("perm");
    if (permutation.empty()) {
        for (std::size_t axis = rank; axis-- > 0;) {
            permutation.push_back(static_cast<std::int64_t>(axis));
        }
    }
    Dims sorted = permutation;
    std::ranges::sort(sorted);
    for (std::size_t axis = 0; axis < std::max(rank, sorted.size()); ++axis) {
        if (sorted.size() != rank || sorted[axis] != static_cast<std::int64_t>(axis)) {
            throw Error(
                fmt::format("perm does not permute the axes of {}", to_text(node.input(0).dims)));
        }
    }
    return permutation;
}

// A reshape to the extents from `target`: as a layer, and on a constant.
template <Dims (*target)(const NodeImport& node)>
void convert_reshape(const NodeImport& node) {
    const Dims dims = target(node);
    node.result(Reshape{.dims = dims}, {node.operand(0)});
}

template <Dims (*target)(const NodeImport& node)>
std::optional<Constant> fold_reshape(const NodeImport& node) {
    return reshaped(node.known(0), target(node));
}

void write_reshape(const Reshape& op, LayerWriter& to) {
    to.last("Reshape", {to.in(0), to.integers(op.dims)});
}

void convert_transpose(const NodeImport& node) {
    node.result(Transpose{.permutation = transpose_permutation(node)}, {node.operand(0)});
}

std::optional<Constant> fold_transpose(const NodeImport& node) {
    return transposed(node.known(0), transpose_permutation(node));
}

void write_transpose(const Transpose& op, LayerWriter& to) {
    to.last("Transpose", to.inputs(), {{"perm", op.permutation}});
}

void convert_identity(const NodeImport& node) {
    node.result(Identity{}, {node.operand(0)});
}

std::optional<Constant> fold_identity(const NodeImport& node) {
    return node.known(0);
}

void write_identity(const Identity&, LayerWriter& to) {
    to.last("Identity", to.inputs());
}

void convert_concat(const NodeImport& node) {
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (node.input(i).elements() > 0) {  // exporters begin caches with an empty tensor
            operands.push_back(node.operand(i));
        }
    }
    unsupported_if(operands.empty(), "its result is empty");
    if (operands.size() == 1) {
        return node.result(Identity{}, std::move(operands));
    }
    node.result(Concat{.axis = node.integer("axis", 1)}, std::move(operands));
}

// Whether a part can be joined to the first one along an axis.
bool joins(const Tensor& part, const Tensor& first, std::size_t axis) {
    if (part.dims.size() != first.dims.size() || part.dtype != first.dtype ||
        !is_small(part.dims)) {
        return false;
    }
    for (std::size_t i = 0; i < first.dims.size(); ++i) {
        if (i != axis && part.dims[i] != first.dims[i]) {
            return false;
        }
    }
    return true;
}

// A node's inputs concatenated along an axis.
Constant joined(const NodeImport& node, std::size_t axis, Dims dims) {
    const DataType dtype = node.input(0).dtype;
    const auto size = static_cast<std::size_t>(size_in_bytes(dtype));
    std::vector<std::byte> bytes;
    const std::int64_t rows = product(dims) == 0 ? 0 : product(std::span(dims).first(axis));
    std::vector<const Constant*> parts;  // those that contribute to rows
    for (std::size_t i = 0; i < node.input_count() && rows > 0; ++i) {
        parts.insert(parts.end(), node.input(i).elements() > 0 ? 1 : 0, &node.known(i));
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const Constant* part : parts) {
            const auto length = static_cast<std::size_t>(part->tensor.elements() / rows) * size;
            const auto start = static_cast<std::size_t>(row) * length;
            for (std::size_t at = start; at < start + length; ++at) {
                bytes.push_back(part->data.bytes[is_uniform(*part) ? at % size : at]);
            }
        }
    }
    return constant_of({std::move(dims), dtype}, std::move(bytes));
}

std::optional<Constant> fold_concat(const NodeImport& node) {
    const Tensor& first = node.input(0);
    const std::size_t axis = axis_of(node.integer("axis", 1), first.dims.size());
    Dims dims = first.dims;
    dims[axis] = 0;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (!joins(node.input(i), first, axis)) {
            return std::nullopt;
        }
        dims[axis] += node.input(i).dims[axis];
    }
    return is_small(dims) ? std::optional(joined(node, axis, std::move(dims))) : std::nullopt;
}

void write_concat(const Concat& op, LayerWriter& to) {
    to.last("Concat", to.inputs(), {{"axis", op.axis}});
}

// Scale and zero point of the result, then (x, scale, zero point) for each part.
KnownResults quantized_concat(const NodeImport& node) {
    Tensor y = node.input(2);
    const std::size_t axis = axis_of(node.integer("axis", 0), y.dims.size());
    for (std::size_t i = 5; i < node.input_count(); i += 3) {
        y.dims[axis] += node.input(i).dims.at(axis);
    }
    const double count = count_of(y);
    return {.outputs = {std::move(y)},
            .work = Operations{.adds = 2 * count, .multiplies = count, .divides = count}};
}

// A row for an operator that only changes extents.
template <Dims (*target)(const NodeImport& node)>
constexpr OnnxRow reshape_row(std::string_view op_type) {
    return OnnxRow(op_type).in(convert_reshape<target>).folded(fold_reshape<target>);
}

}  // namespace

OnnxRows reshape_rows() {
    static constexpr std::array rows = {
        OnnxRow("Concat").in(convert_concat).folded(fold_concat).out<write_concat>(),
        reshape_row<flatten_target>("Flatten"),
        OnnxRow("Identity").in(convert_identity).folded(fold_identity).out<write_identity>(),
        OnnxRow("QLinearConcat", Domain::microsoft).shaped(quantized_concat),
        reshape_row<reshape_target>("Reshape").out<write_reshape>(),
        reshape_row<squeeze_target>("Squeeze"),
        OnnxRow("Transpose").in(convert_transpose).folded(fold_transpose).out<write_transpose>(),
        reshape_row<unsqueeze_target>("Unsqueeze"),
    };
    return rows;
}

}  // namespace strata
