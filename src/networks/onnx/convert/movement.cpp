// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/computed_gather.h"
#include "networks/onnx/convert/converters.h"
#include "networks/onnx/element_map.h"

#include <fmt/format.h>

namespace strata {

namespace {

// A layer has at least one element.
void require_filled(const Dims& dims) {
    if (product(dims) == 0) {
        throw Unsupported{"its result " + to_text(dims) + " is empty"};
    }
}

// A part that exporters cut off and join again may be empty (a roll by 0), which no layer computes.
bool gives_nothing(const NodeImport& node, std::size_t output, const std::vector<Cut>& cuts) {
    Tensor cut_out = node.input(0);
    for (const Cut& cut : cuts) {
        cut_out.dims[cut.axis] = cut.extent;
    }
    if (cut_out.elements() > 0) {
        return false;
    }
    node.give_empty(output, std::move(cut_out));
    return true;
}

Slice slice_of(const std::vector<Cut>& cuts) {
    Slice slice;
    for (const Cut& cut : cuts) {
        slice.axes.push_back(static_cast<std::int64_t>(cut.axis));
        slice.starts.push_back(cut.start);
        slice.extents.push_back(cut.extent);
        slice.steps.push_back(cut.step);
    }
    if (std::ranges::all_of(slice.steps, [](std::int64_t step) { return step == 1; })) {
        slice.steps.clear();
    }
    return slice;
}

bool is_whole(const std::vector<Cut>& cuts, const Dims& dims) {
    return std::ranges::all_of(
        cuts, [&](const Cut& cut) { return cut.step == 1 && cut.extent == dims[cut.axis]; });
}

// A table of trained rows, looked up by index.
bool is_lookup(const NodeImport& node, std::int64_t axis) {
    const Constant* table = node.constant(0);
    return table && axis == 0 && table->tensor.dims.size() == 2 &&
           is_floating(table->tensor.dtype) && is_integer(node.input(1).dtype) && node.is_weight(0);
}

// Movements with a known map: the operands' elements are joined into a row and gathered by
// position.
void convert_by_map(const NodeImport& node, const ElementMap& map) {
    require_filled(map.dims);
    Composition steps(node);
    std::vector<TensorId> rows;
    for (const std::size_t i : map.operands) {
        const TensorId operand = node.operand(i);
        rows.push_back(steps.reshape(operand, {product(steps.dims(operand))}));
    }
    const TensorId row = rows.size() == 1 ? rows[0] : steps.add(Concat{.axis = 0}, rows);
    const TensorId places = steps.constant(constant_of({map.dims, DataType::s64}, map.elements));
    node.result(Gather{.axis = 0}, {row, places});
}

}  // namespace

void convert_gather(const NodeImport& node) {
    const std::int64_t axis = node.integer("axis", 0);
    if (is_lookup(node, axis)) {
        const Dims table = node.input(0).dims;
        node.result(Embedding{.rows = table[0], .width = table[1]},
                    {node.operand(1), node.operand(0, Role::parameter)});
        return;
    }
    node.result(Gather{.axis = axis}, {node.operand(0), node.operand(1)});
}

void convert_moved(const NodeImport& node) {
    const std::string_view op_type = node.node().op_type;
    if (op_type == "GatherElements" && !node.constant(1)) {
        gather_computed_elements(node);
        return;
    }
    if (op_type == "GatherND" && !node.constant(1)) {
        gather_computed_rows(node);
        return;
    }
    convert_by_map(node, find_element_map(op_type)(node));
}

void convert_slice(const NodeImport& node) {
    const auto cuts = cuts_of(node);
    if (is_whole(cuts, node.input(0).dims)) {
        node.result(Identity{}, {node.operand(0)});
        return;
    }
    if (!gives_nothing(node, 0, cuts)) {
        node.result(slice_of(cuts), {node.operand(0)});
    }
}

void convert_split(const NodeImport& node) {
    const auto parts = parts_of(node);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!node.node().outputs[i].empty() && !gives_nothing(node, i, {parts[i]})) {
            node.result_part(i, slice_of({parts[i]}), {node.operand(0)});
        }
    }
}

void convert_expand(const NodeImport& node) {
    const Dims dims = expand_target(node);
    require_filled(dims);
    if (dims == node.input(0).dims) {
        node.result(Identity{}, {node.operand(0)});
        return;
    }
    node.result(Expand{.dims = dims}, {node.operand(0)});
}

// Inserts an axis in front of every axis, repeats it, and merges the two.
void convert_tile(const NodeImport& node) {
    const Dims dims = node.input(0).dims;
    const Dims target = tile_target(node);
    require_filled(target);
    Dims spread, repeated;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        spread.insert(spread.end(), {1, dims[axis]});
        repeated.insert(repeated.end(), {target[axis] / dims[axis], dims[axis]});
    }
    Composition steps(node);
    const TensorId wide = steps.reshape(node.operand(0), spread);
    const TensorId many = steps.add(Expand{.dims = repeated}, {wide});
    node.result(Reshape{.dims = target}, {many});
}

void convert_trilu(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    if (dims.size() < 2) {
        throw Unsupported{"it has no matrix to cut"};
    }
    const Dims matrix = {dims[dims.size() - 2], dims.back()};
    if (!is_small(matrix)) {
        throw Unsupported{"a mask of " + to_text(matrix) + " is too large"};
    }
    const TriangleMask mask(node);
    node.spend(product(matrix));
    std::vector<std::int64_t> kept;
    for_each_index(
        matrix, [&](const Dims& index) { kept.push_back(mask.keeps(index[0], index[1]) ? 1 : 0); });
    Composition steps(node);
    const TensorId condition = steps.constant(constant_of({matrix, DataType::boolean}, kept));
    const TensorId zero = steps.scalar(0, node.input(0).dtype);
    node.result(Select{}, {condition, node.operand(0), zero});
}

namespace {

void require_image(const NodeImport& node) {
    if (node.input(0).dims.size() != 4) {
        throw Unsupported{"its input is not a batch of images"};
    }
}

std::int64_t block_of(const NodeImport& node, std::int64_t divided) {
    const std::int64_t block = node.integer("blocksize", 1);
    if (block < 1 || block > (std::int64_t{1} << 20) || divided % block != 0) {
        throw Unsupported{fmt::format("a block of {} does not fit its input", block)};
    }
    return block;
}

}  // namespace

void convert_depth_to_space(const NodeImport& node) {
    require_image(node);
    const Dims d = node.input(0).dims;
    const std::int64_t block = block_of(node, d[1]);
    if (d[1] % (block * block) != 0) {
        throw Unsupported{fmt::format("{} channels do not divide into blocks of {}", d[1], block)};
    }
    const std::int64_t depth = d[1] / (block * block);
    const bool depth_first = node.text("mode", "DCR") == "DCR";
    Composition steps(node);
    const Dims split = depth_first ? Dims{d[0], block, block, depth, d[2], d[3]}
                                   : Dims{d[0], depth, block, block, d[2], d[3]};
    const Dims order = depth_first ? Dims{0, 3, 4, 1, 5, 2} : Dims{0, 1, 4, 2, 5, 3};
    const TensorId wide = steps.reshape(node.operand(0), split);
    const TensorId moved = steps.transpose(wide, order);
    node.result(
        Reshape{.dims = {d[0], depth, product(Dims{d[2], block}), product(Dims{d[3], block})}},
        {moved});
}

void convert_space_to_depth(const NodeImport& node) {
    require_image(node);
    const Dims d = node.input(0).dims;
    const std::int64_t block = block_of(node, d[2]);
    block_of(node, d[3]);
    Composition steps(node);
    const Dims split = {d[0], d[1], d[2] / block, block, d[3] / block, block};
    const TensorId wide = steps.reshape(node.operand(0), split);
    const bool depth_first = node.text("mode", "DCR") == "DCR";  // from opset 28 also CRD
    const TensorId moved =
        steps.transpose(wide, depth_first ? Dims{0, 3, 5, 1, 2, 4} : Dims{0, 1, 3, 5, 2, 4});
    node.result(
        Reshape{.dims = {d[0], product(Dims{d[1], block, block}), d[2] / block, d[3] / block}},
        {moved});
}

// on where the index, counted from either end, is the position along the new axis; off elsewhere.
void convert_one_hot(const NodeImport& node) {
    const double stated = node.number_of_input(1);
    if (!(stated >= 1 && stated <= static_cast<double>(max_folded_elements))) {
        throw Unsupported{fmt::format("a depth of {} is out of range", stated)};
    }
    const auto depth = static_cast<std::int64_t>(stated);
    const Constant& values = node.known(2);
    Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer("axis", -1), dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    Dims line(dims.size(), 1);
    line[axis] = depth;
    Composition steps(node);
    const TensorId indices = steps.reshape(node.operand(0), dims);
    const TensorId places = steps.constant(reshaped(counting(node, depth), line));
    const TensorId wrapped =
        steps.elementwise(ElementwiseKind::subtract, places, static_cast<double>(depth));
    const TensorId hot = steps.elementwise(
        ElementwiseKind::logical_or, steps.elementwise(ElementwiseKind::equal, indices, places),
        steps.elementwise(ElementwiseKind::equal, indices, wrapped));
    if (values.tensor.elements() != 2) {
        throw Unsupported{"its values are not two"};
    }
    const TensorId on = steps.scalar(number_at(values, 1), values.tensor.dtype);
    const TensorId off = steps.scalar(number_at(values, 0), values.tensor.dtype);
    node.result(Select{}, {hot, on, off});
}

}  // namespace strata
