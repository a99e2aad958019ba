// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace strata {

namespace {

Dims expand_target(const NodeImport& node) {
    const Dims& from = node.input(0).dims;
    const Dims target = node.integers_of_input(1);
    require_sane(target);
    const std::size_t rank = std::max(target.size(), from.size());
    Dims dims(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t own = i < from.size() ? from[from.size() - 1 - i] : 1;
        const std::int64_t wanted = i < target.size() ? target[target.size() - 1 - i] : 1;
        if (own != wanted && own != 1 && wanted != 1) {
            throw Error(fmt::format("{} cannot be expanded to {}", to_text(from), to_text(target)));
        }
        dims[rank - 1 - i] = own == 1 ? wanted : own;
    }
    require_sane(dims);
    return dims;
}

Dims tile_target(const NodeImport& node) {
    const Dims& from = node.input(0).dims;
    const Dims repeats = node.integers_of_input(1);
    if (repeats.size() != from.size()) {
        throw Error(fmt::format("it has {} repeats for the {} axes of {}", repeats.size(),
                                from.size(), to_text(from)));
    }
    Dims dims = from;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        dims[axis] = product(Dims{dims[axis], repeats[axis]});
    }
    require_sane(dims);
    return dims;
}

void convert_expand(const NodeImport& node) {
    const Dims dims = expand_target(node);
    require_filled(dims);
    if (dims == node.input(0).dims) {
        return node.result(Identity{}, {node.operand(0)});
    }
    node.result(Expand{.dims = dims}, {node.operand(0)});
}

// Inserts an axis before every axis, repeats it, and merges the two.
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

std::optional<Constant> fold_expand(const NodeImport& node) {
    const Constant& from = node.known(0);
    const Dims dims = expand_target(node);
    if (is_uniform(from)) {
        return Constant{{dims, from.tensor.dtype}, from.data};
    }
    if (!is_small(dims)) {
        return std::nullopt;
    }
    return picked(from, dims, broadcast_elements(from.tensor.dims, dims));
}

std::optional<Constant> fold_tile(const NodeImport& node) {
    const Constant& from = node.known(0);
    const Dims dims = tile_target(node);
    if (is_uniform(from)) {
        return Constant{{dims, from.tensor.dtype}, from.data};
    }
    if (!is_small(dims)) {
        return std::nullopt;
    }
    const Dims strides = strides_of(from.tensor.dims);
    std::vector<std::int64_t> elements;
    for_each_index(dims, [&](const Dims& index) {
        std::int64_t element = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            element += index[axis] % from.tensor.dims[axis] * strides[axis];
        }
        elements.push_back(element);
    });
    return picked(from, dims, elements);
}

void write_expand(const Expand& op, LayerWriter& to) {
    to.last("Expand", {to.in(0), to.integers(op.dims)});
}

// The elements of a matrix on the side of a diagonal that Trilu keeps.
struct TriangleMask {
    explicit TriangleMask(const NodeImport& node) : upper(node.integer("upper", 1) != 0) {
        const Dims given = node.has_input(1) ? node.integers_of_input(1) : Dims();
        diagonal = given.empty() ? 0 : std::clamp(given[0], -furthest, furthest);
    }

    static constexpr std::int64_t furthest = std::int64_t{1} << 62;  // sums do not overflow

    bool keeps(std::int64_t row, std::int64_t column) const {
        return upper ? column - row >= diagonal : column - row <= diagonal;
    }

    bool upper = true;
    std::int64_t diagonal = 0;
};

void convert_trilu(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    unsupported_if(dims.size() < 2, "it has no matrix to cut");
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

std::optional<Constant> fold_trilu(const NodeImport& node) {
    const Constant& from = node.known(0);
    const Dims& dims = from.tensor.dims;
    if (!is_small(dims) || dims.size() < 2) {
        return std::nullopt;
    }
    const TriangleMask mask(node);
    const auto size = static_cast<std::size_t>(size_in_bytes(from.tensor.dtype));
    std::vector<std::byte> bytes(static_cast<std::size_t>(from.tensor.elements()) * size);
    std::size_t at = 0;
    for_each_index(dims, [&](const Dims& index) {
        if (mask.keeps(index[dims.size() - 2], index[dims.size() - 1])) {
            const std::size_t source = is_uniform(from) ? 0 : at;
            std::memcpy(bytes.data() + at, from.data.bytes.data() + source, size);
        }
        at += size;
    });
    return constant_of(from.tensor, std::move(bytes));
}

void require_image(const NodeImport& node) {
    unsupported_if(node.input(0).dims.size() != 4, "its input is not a batch of images");
}

std::int64_t block_of(const NodeImport& node, std::int64_t divided) {
    const std::int64_t block = node.integer("blocksize", 1);
    if (block < 1 || block > (std::int64_t{1} << 20) || divided % block != 0) {
        throw Unsupported{fmt::format("a block of {} does not fit its input", block)};
    }
    return block;
}

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
    const bool depth_first = node.text("mode", "DCR") == "DCR";  // since opset 28 also CRD
    const TensorId moved =
        steps.transpose(wide, depth_first ? Dims{0, 3, 5, 1, 2, 4} : Dims{0, 1, 3, 5, 2, 4});
    node.result(
        Reshape{.dims = {d[0], product(Dims{d[1], block, block}), d[2] / block, d[3] / block}},
        {moved});
}

}  // namespace

OnnxRows spread_rows() {
    static constexpr std::array rows = {
        OnnxRow("DepthToSpace").in(convert_depth_to_space),
        OnnxRow("Expand")
            .in(convert_expand)
            .folded(fold_expand, FoldCost::may_grow)
            .out<write_expand>(),
        OnnxRow("SpaceToDepth").in(convert_space_to_depth),
        OnnxRow("Tile").in(convert_tile).folded(fold_tile, FoldCost::may_grow),
        OnnxRow("Trilu", Domain::both).in(convert_trilu).folded(fold_trilu),
    };
    return rows;
}

}  // namespace strata
