// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/element_map.h"

#include "base/error.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <numeric>

namespace strata {

namespace {

// Charges the budget for elements that will be moved one by one.
void spend_on(const NodeImport& node, const Dims& dims) {
    if (!is_small(dims)) {
        throw Unsupported{
            fmt::format("{} has too many elements to move one by one", to_text(dims))};
    }
    node.spend(product(dims));
}

std::int64_t offset_of(std::span<const std::int64_t> index, const Dims& strides) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
        offset += index[axis] * strides[axis];
    }
    return offset;
}

// An index counted from the front.
std::int64_t position(std::int64_t index, std::int64_t extent) {
    if (index < -extent || index >= extent) {
        throw Error(fmt::format("index {} is not one of {}", index, extent));
    }
    return index < 0 ? index + extent : index;
}

// The identity map of input 0.
ElementMap unmoved(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    spend_on(node, dims);
    ElementMap map{dims, {}, {0}};
    map.elements.resize(static_cast<std::size_t>(product(dims)));
    std::iota(map.elements.begin(), map.elements.end(), 0);
    return map;
}

// The indices of GatherElements and ScatterElements must have the rank of the data.
void require_equal_rank(const Dims& data, const Dims& indices) {
    if (data.size() != indices.size() || data.empty()) {
        throw Error(fmt::format("its indices {} and data {} do not have the same rank",
                                to_text(indices), to_text(data)));
    }
}

// Calls use(n, element of the data) for the n-th index of GatherElements or ScatterElements.
template <class Use>
void for_each_along_axis(const NodeImport& node, Use&& use) {
    const Dims& data = node.input(0).dims;
    const Dims& shape = node.input(1).dims;
    require_equal_rank(data, shape);
    spend_on(node, shape);
    const std::size_t axis = axis_of(node.integer("axis", 0), data.size());
    const Dims indices = node.integers_of_input(1);
    const Dims strides = strides_of(data);
    std::size_t n = 0;
    for_each_index(shape, [&](const Dims& index) {
        Dims at = index;
        at[axis] = indices[n];
        for (std::size_t i = 0; i < at.size(); ++i) {
            at[i] = position(at[i], data[i]);
        }
        use(n++, offset_of(at, strides));
    });
}

void require_plain_scatter(const NodeImport& node) {
    if (node.input(2).dtype != node.input(0).dtype) {
        throw Error(fmt::format("its updates are {} and its data {}; cast one of them",
                                name_of(node.input(2).dtype), name_of(node.input(0).dtype)));
    }
    unsupported_if(node.text("reduction", "none") != "none",
                   "a scatter that sums or compares is not supported");
}

ElementMap map_scatter_elements(const NodeImport& node) {
    require_plain_scatter(node);
    if (node.input(2).dims != node.input(1).dims) {
        throw Error("its updates and indices do not have the same shape");
    }
    ElementMap map = unmoved(node);
    map.operands = {0, 2};
    const std::int64_t first_update = std::ssize(map.elements);
    for_each_along_axis(node, [&](std::size_t n, std::int64_t element) {
        map.elements[static_cast<std::size_t>(element)] =
            first_update + static_cast<std::int64_t>(n);
    });
    return map;
}

// The indices of GatherND and ScatterND: tuples that select blocks of the data.
struct Tuples {
    explicit Tuples(const NodeImport& node)
        : data(node.input(0).dims), shape(node.input(1).dims), batch(batch_axes(node)) {
        const auto given = shape.empty() ? std::int64_t{-1} : shape.back();
        const auto maximum = std::ssize(data) - static_cast<std::int64_t>(batch);
        if (given < 1 || given > maximum) {
            throw Error(
                fmt::format("its indices {} do not pick from {}", to_text(shape), to_text(data)));
        }
        length = static_cast<std::size_t>(given);
        spend_on(node, shape);
    }

    static std::size_t batch_axes(const NodeImport& node) {
        const std::int64_t axes = node.integer("batch_dims", 0);
        const std::int64_t maximum =
            std::min(std::ssize(node.input(0).dims), std::ssize(node.input(1).dims) - 1);
        if (axes < 0 || axes > maximum) {
            throw Error(fmt::format("batch_dims {} does not fit its inputs", axes));
        }
        return static_cast<std::size_t>(axes);
    }

    // The extents of the block that one tuple selects.
    Dims block() const {
        return {data.begin() + static_cast<std::ptrdiff_t>(batch + length), data.end()};
    }

    // Calls use(first element of the block) for every tuple.
    template <class Use>
    void for_each(const Dims& indices, Use&& use) const {
        const Dims strides = strides_of(data);
        const Dims outer(shape.begin(), shape.end() - 1);
        std::size_t n = 0;
        for_each_index(outer, [&](const Dims& index) {
            Dims at(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(batch));
            for (std::size_t i = 0; i < length; ++i) {
                at.push_back(position(indices[n++], data[batch + i]));
            }
            use(offset_of(at, strides));
        });
    }

    Dims data;
    Dims shape;  // of the indices
    std::size_t batch;
    std::size_t length = 0;  // of a tuple
};

ElementMap map_scatter_nd(const NodeImport& node) {
    require_plain_scatter(node);
    const Tuples tuples(node);
    Dims expected(tuples.shape.begin(), tuples.shape.end() - 1);
    const Dims block = tuples.block();
    expected.insert(expected.end(), block.begin(), block.end());
    if (node.input(2).dims != expected) {
        throw Error(fmt::format("its updates are {} where the indices need {}",
                                to_text(node.input(2).dims), to_text(expected)));
    }
    ElementMap map = unmoved(node);
    map.operands = {0, 2};
    std::int64_t update = std::ssize(map.elements);
    const std::int64_t size = product(block);
    tuples.for_each(node.integers_of_input(1), [&](std::int64_t first) {
        for (std::int64_t i = 0; i < size; ++i) {
            map.elements[static_cast<std::size_t>(first + i)] = update++;
        }
    });
    return map;
}

// Reverses the first `length` steps of each sequence.
ElementMap map_reverse_sequence(const NodeImport& node) {
    ElementMap map = unmoved(node);
    const auto batch = axis_of(node.integer("batch_axis", 1), map.dims.size());
    const auto time = axis_of(node.integer("time_axis", 0), map.dims.size());
    const Dims lengths = node.integers_of_input(1);
    if (std::ssize(lengths) != map.dims[batch]) {
        throw Error("it does not have one length for each sequence");
    }
    const Dims strides = strides_of(map.dims);
    std::size_t n = 0;
    for_each_index(map.dims, [&](const Dims& index) {
        Dims at = index;
        const std::int64_t length =
            std::min(lengths[static_cast<std::size_t>(index[batch])], map.dims[time]);
        at[time] = at[time] < length ? length - 1 - at[time] : at[time];
        map.elements[n++] = offset_of(at, strides);
    });
    return map;
}

// The elements, or the slices along an axis, whose condition is true.
ElementMap map_compress(const NodeImport& node) {
    const Dims condition = node.integers_of_input(1);
    ElementMap map = unmoved(node);
    const bool flat = !node.has_attribute("axis");
    const Dims data = flat ? Dims{product(map.dims)} : map.dims;
    const std::size_t axis = flat ? 0 : axis_of(node.integer("axis", 0), data.size());
    const auto keeps = [&](std::int64_t at) {
        return at < std::ssize(condition) && condition[static_cast<std::size_t>(at)] != 0;
    };
    map.dims = data;
    map.dims[axis] = 0;
    for (std::int64_t at = 0; at < data[axis]; ++at) {
        map.dims[axis] += keeps(at) ? 1 : 0;
    }
    map.elements.clear();
    std::int64_t element = 0;
    for_each_index(data, [&](const Dims& index) {
        if (keeps(index[axis])) {
            map.elements.push_back(element);
        }
        ++element;
    });
    return map;
}

template <MakeElementMap make>
void convert_moved(const NodeImport& node) {
    convert_by_map(node, make(node));
}

template <MakeElementMap make>
constexpr OnnxRow moved_row(std::string_view op_type) {
    return OnnxRow(op_type).in(convert_moved<make>).folded(fold_moved<make>);
}

}  // namespace

ElementMap map_gather_elements(const NodeImport& node) {
    ElementMap map{node.input(1).dims, {}, {0}};
    for_each_along_axis(
        node, [&](std::size_t, std::int64_t element) { map.elements.push_back(element); });
    return map;
}

ElementMap map_gather_nd(const NodeImport& node) {
    const Tuples tuples(node);
    ElementMap map{Dims(tuples.shape.begin(), tuples.shape.end() - 1), {}, {0}};
    const Dims block = tuples.block();
    map.dims.insert(map.dims.end(), block.begin(), block.end());
    spend_on(node, map.dims);
    const std::int64_t size = product(block);
    tuples.for_each(node.integers_of_input(1), [&](std::int64_t first) {
        for (std::int64_t i = 0; i < size; ++i) {
            map.elements.push_back(first + i);
        }
    });
    return map;
}

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

std::optional<Constant> fold_by_map(const NodeImport& node, const ElementMap& map) {
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

OnnxRows movement_rows() {
    static constexpr std::array rows = {
        OnnxRow("Compress")
            .in(convert_moved<map_compress>)
            .folded(fold_moved<map_compress>, FoldCost::may_shrink),
        moved_row<map_reverse_sequence>("ReverseSequence"),
        moved_row<map_scatter_elements>("Scatter").shaped(moved_as_input),
        moved_row<map_scatter_elements>("ScatterElements").shaped(moved_as_input),
        moved_row<map_scatter_nd>("ScatterND").shaped(moved_as_input),
        OnnxRow("TensorScatter").shaped(moved_as_input),
    };
    return rows;
}

}  // namespace strata
