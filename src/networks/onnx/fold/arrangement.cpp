// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"

#include "base/error.h"
#include "networks/onnx/element_map.h"
#include "networks/onnx/fold/folders.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace strata {

namespace {

// A tensor seen as [before, along, after] for one of its axes.
struct Blocks {
    Blocks(const Tensor& tensor, std::size_t axis)
        : before(product(std::span(tensor.dims).first(axis))),
          along(tensor.dims[axis]),
          after(product(std::span(tensor.dims).subspan(axis + 1))) {}

    std::int64_t before;
    std::int64_t along;
    std::int64_t after;
};

// Selected elements of a constant.
Constant picked(const Constant& from, Dims dims, std::span<const std::int64_t> elements) {
    const auto size = static_cast<std::size_t>(size_in_bytes(from.tensor.dtype));
    std::vector<std::byte> bytes(elements.size() * size);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto element = is_uniform(from) ? 0 : static_cast<std::size_t>(elements[i]);
        std::memcpy(bytes.data() + i * size, from.data.bytes.data() + element * size, size);
    }
    return constant_of({std::move(dims), from.tensor.dtype}, std::move(bytes));
}

// Selected positions along one axis, in order; the other axes are kept whole.
Constant picked_along(const Constant& from, std::size_t axis,
                      std::span<const std::int64_t> positions, Dims dims) {
    const Blocks blocks(from.tensor, axis);
    std::vector<std::int64_t> elements;
    if (product(dims) == 0) {
        return picked(from, std::move(dims), elements);
    }
    for (std::int64_t before = 0; before < blocks.before; ++before) {
        for (const std::int64_t position : positions) {
            for (std::int64_t after = 0; after < blocks.after; ++after) {
                elements.push_back((before * blocks.along + position) * blocks.after + after);
            }
        }
    }
    return picked(from, std::move(dims), elements);
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
    const std::int64_t rows = product(dims) == 0 ? 0 : Blocks(node.input(0), axis).before;
    std::vector<const Constant*> parts;  // those that contribute to each row
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

Constant sliced(const Constant& from, const Cut& cut) {
    Dims positions;
    for (std::int64_t i = 0; i < cut.extent; ++i) {
        positions.push_back(cut.start + i * cut.step);
    }
    Dims dims = from.tensor.dims;
    dims[cut.axis] = cut.extent;
    return picked_along(from, cut.axis, positions, std::move(dims));
}

std::int64_t extent_at(const Dims& dims, std::size_t axis_from_end) {
    return axis_from_end < dims.size() ? dims[dims.size() - 1 - axis_from_end] : 1;
}

}  // namespace

std::optional<Constant> fold_identity(const NodeImport& node) {
    return node.known(0);
}

std::optional<Constant> fold_reshape(const NodeImport& node) {
    return reshaped(node.known(0), reshape_target(node));
}

std::optional<Constant> fold_flatten(const NodeImport& node) {
    return reshaped(node.known(0), flatten_target(node));
}

std::optional<Constant> fold_squeeze(const NodeImport& node) {
    return reshaped(node.known(0), squeeze_target(node));
}

std::optional<Constant> fold_unsqueeze(const NodeImport& node) {
    return reshaped(node.known(0), unsqueeze_target(node));
}

std::optional<Constant> fold_transpose(const NodeImport& node) {
    return transposed(node.known(0), transpose_permutation(node));
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

std::optional<Constant> fold_gather(const NodeImport& node) {
    const Constant& data = node.known(0);
    const std::size_t axis = axis_of(node.integer("axis", 0), data.tensor.dims.size());
    const Tensor& indices = node.input(1);
    Dims dims(data.tensor.dims.begin(),
              data.tensor.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
    dims.insert(dims.end(), data.tensor.dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                data.tensor.dims.end());
    if (!is_small(dims) || !is_small(indices.dims)) {
        return std::nullopt;
    }
    auto positions = integers_of(node.known(1));
    const std::int64_t extent = data.tensor.dims[axis];
    for (std::int64_t& position : positions) {
        if (position < -extent || position >= extent) {
            throw Error(
                fmt::format("index {} is not one of {} along axis {}", position, extent, axis));
        }
        position += position < 0 ? extent : 0;
    }
    return picked_along(data, axis, positions, std::move(dims));
}

std::optional<Constant> fold_slice(const NodeImport& node) {
    Constant result = node.known(0);
    const auto cuts = cuts_of(node);
    const bool is_whole = std::ranges::all_of(cuts, [&](const Cut& cut) {
        return cut.step == 1 && cut.extent == result.tensor.dims[cut.axis];
    });
    if (is_whole || !is_small(result.tensor.dims)) {
        return is_whole ? std::optional(result) : std::nullopt;
    }
    for (const Cut& cut : cuts) {
        result = sliced(result, cut);
    }
    return result;
}

std::optional<std::vector<Constant>> folded_parts(const NodeImport& node) {
    if (!is_small(node.input(0).dims)) {
        return std::nullopt;
    }
    std::vector<Constant> parts;
    for (const Cut& cut : parts_of(node)) {
        parts.push_back(sliced(node.known(0), cut));
    }
    return parts;
}

std::optional<Constant> fold_expand(const NodeImport& node) {
    const Constant& from = node.known(0);
    const Dims target = node.integers_of_input(1);
    const std::size_t rank = std::max(target.size(), from.tensor.dims.size());
    Dims dims(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t own = extent_at(from.tensor.dims, i), wanted = extent_at(target, i);
        if (own != wanted && own != 1 && wanted != 1) {
            throw Error(fmt::format("{} cannot be expanded to {}", to_text(from.tensor.dims),
                                    to_text(target)));
        }
        dims[rank - 1 - i] = own == 1 ? wanted : own;
    }
    if (is_uniform(from)) {
        require_sane(dims);
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

std::optional<Constant> fold_moved(const NodeImport& node) {
    const ElementMap map = find_element_map(node.node().op_type)(node);
    const Constant& first = node.known(map.operands[0]);
    const auto size = static_cast<std::size_t>(size_in_bytes(first.tensor.dtype));
    const std::int64_t count = first.tensor.elements();
    std::vector<std::byte> bytes(map.elements.size() * size);
    for (std::size_t i = 0; i < map.elements.size(); ++i) {
        const bool second = map.elements[i] >= count;
        const Constant& from = node.known(map.operands[second ? 1 : 0]);
        const std::int64_t element = map.elements[i] - (second ? count : 0);
        const auto at = is_uniform(from) ? 0 : static_cast<std::size_t>(element);
        std::memcpy(bytes.data() + i * size, from.data.bytes.data() + at * size, size);
    }
    return constant_of({map.dims, first.tensor.dtype}, std::move(bytes));
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

// One row of positions for each axis.
std::optional<Constant> fold_non_zero(const NodeImport& node) {
    const Constant& from = node.known(0);
    if (!is_small(from.tensor.dims)) {
        return std::nullopt;
    }
    std::vector<std::int64_t> found;
    for (std::int64_t element = 0; element < from.tensor.elements(); ++element) {
        if (number_at(from, element) != 0) {
            found.push_back(element);
        }
    }
    const Dims& dims = from.tensor.dims;
    const Dims strides = strides_of(dims);
    if (std::ssize(dims) * std::ssize(found) > 4 * max_folded_elements) {
        return std::nullopt;
    }
    std::vector<std::int64_t> rows;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        std::ranges::transform(found, std::back_inserter(rows),
                               [&](std::int64_t at) { return at / strides[axis] % dims[axis]; });
    }
    return constant_of({{std::ssize(dims), std::ssize(found)}, DataType::s64}, rows);
}

}  // namespace strata
