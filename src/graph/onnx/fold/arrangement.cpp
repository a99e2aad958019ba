// SPDX-License-Identifier: MIT
#include "graph/onnx/arrangement.h"

#include "base/error.h"
#include "graph/onnx/fold/broadcast.h"
#include "graph/onnx/fold/folders.h"

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

// Elements of a constant picked one by one.
Constant picked(const Constant& from, Dims dims, std::span<const std::int64_t> elements) {
    const auto size = static_cast<std::size_t>(size_in_bytes(from.tensor.dtype));
    std::vector<std::byte> bytes(elements.size() * size);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto element = is_uniform(from) ? 0 : static_cast<std::size_t>(elements[i]);
        std::memcpy(bytes.data() + i * size, from.data.bytes.data() + element * size, size);
    }
    return constant_of({std::move(dims), from.tensor.dtype}, std::move(bytes));
}

// The positions along one axis that are kept, in order; the other axes stay whole.
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

// Whether a part can stand beside the first one along an axis.
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

// The inputs of a node one behind the other along an axis.
Constant joined(const NodeImport& node, std::size_t axis, Dims dims) {
    const DataType dtype = node.input(0).dtype;
    const auto size = static_cast<std::size_t>(size_in_bytes(dtype));
    std::vector<std::byte> bytes;
    const std::int64_t rows = product(dims) == 0 ? 0 : Blocks(node.input(0), axis).before;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            const Constant& part = node.known(i);
            const Blocks blocks(part.tensor, axis);
            const auto length = static_cast<std::size_t>(blocks.along * blocks.after) * size;
            const auto start = static_cast<std::size_t>(row) * length;
            for (std::size_t at = start; at < start + length; ++at) {
                bytes.push_back(part.data.bytes[is_uniform(part) ? at % size : at]);
            }
        }
    }
    return constant_of({std::move(dims), dtype}, std::move(bytes));
}

// What Slice asks for along one axis.
struct Cut {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t step = 1;
};

std::vector<std::int64_t> positions_of(Cut cut, std::int64_t extent) {
    const auto absolute = [&](std::int64_t position) {
        return position < 0 ? std::max(position, -extent - 1) + extent : position;
    };
    std::vector<std::int64_t> positions;
    const std::int64_t step = std::clamp(cut.step, -extent - 1, extent + 1);
    if (step > 0) {
        const std::int64_t end = std::min(absolute(cut.end), extent);
        for (auto at = std::max<std::int64_t>(absolute(cut.start), 0); at < end; at += step) {
            positions.push_back(at);
        }
    } else {
        const std::int64_t end = std::max<std::int64_t>(absolute(cut.end), -1);
        for (auto at = std::min(absolute(cut.start), extent - 1); at > end; at += step) {
            positions.push_back(at);
        }
    }
    return positions;
}

// One of Slice's lists: input `i` since opset 10, an attribute before.
Dims slice_list(const NodeImport& node, std::size_t i, std::string_view attribute) {
    return node.has_input(i) ? node.integers_of_input(i) : node.integers(attribute);
}

Constant sliced(const Constant& from, std::size_t axis, Cut cut) {
    const auto positions = positions_of(cut, from.tensor.dims[axis]);
    Dims dims = from.tensor.dims;
    dims[axis] = std::ssize(positions);
    return picked_along(from, axis, positions, std::move(dims));
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
    if (!is_small(result.tensor.dims)) {
        return std::nullopt;
    }
    const Dims starts = slice_list(node, 1, "starts");
    const Dims ends = slice_list(node, 2, "ends");
    const Dims axes = slice_list(node, 3, "axes");
    const Dims steps = slice_list(node, 4, "steps");
    const auto fits = [&](const Dims& list) {
        return list.empty() || list.size() == starts.size();
    };
    if (ends.size() != starts.size() || !fits(axes) || !fits(steps) || starts.size() > 32) {
        throw Error("its starts, ends, axes and steps are not equally many");
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto axis = axis_of(axes.empty() ? static_cast<std::int64_t>(i) : axes[i],
                                  result.tensor.dims.size());
        const Cut cut{.start = starts[i], .end = ends[i], .step = steps.empty() ? 1 : steps[i]};
        if (cut.step == 0) {
            throw Error("a step of 0 never ends");
        }
        result = sliced(result, axis, cut);
    }
    return result;
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

}  // namespace strata
