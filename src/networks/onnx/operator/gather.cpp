// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/element_map.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <utility>

namespace strata {

namespace {

// A table of trained rows, looked up by index.
bool is_lookup(const NodeImport& node, std::int64_t axis) {
    const Constant* table = node.constant(0);
    return table && axis == 0 && table->tensor.dims.size() == 2 &&
           is_floating(table->tensor.dtype) && is_integer(node.input(1).dtype) && node.is_weight(0);
}

void convert_gather(const NodeImport& node) {
    const std::int64_t axis = node.integer("axis", 0);
    if (is_lookup(node, axis)) {
        const Dims table = node.input(0).dims;
        return node.result(Embedding{.rows = table[0], .width = table[1]},
                           {node.operand(1), node.operand(0, Role::parameter)});
    }
    node.result(Gather{.axis = axis}, {node.operand(0), node.operand(1)});
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

void write_gather(const Gather& op, LayerWriter& to) {
    to.last("Gather", to.inputs(), {{"axis", op.axis}});
}

void write_embedding(const Embedding&, LayerWriter& to) {
    to.last("Gather", {to.in(1), to.in(0)}, {{"axis", std::int64_t{0}}});
}

// 0, 1, 2 ... n - 1. Throws Unsupported if n is too large.
Constant counting(const NodeImport& node, std::int64_t n) {
    if (n > max_folded_elements) {
        throw Unsupported{fmt::format("an axis of {} is too long to index", n)};
    }
    node.spend(n);
    Dims numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return constant_of({{n}, DataType::s64}, numbers);
}

// Indices along an axis, with negative ones counted from the front.
TensorId from_front(const NodeImport& node, Composition& steps, TensorId indices,
                    std::int64_t extent) {
    return steps.add(Gather{.axis = 0}, {steps.constant(counting(node, extent)), indices});
}

// Gathers elements of a tensor at computed row-major positions.
void finish_gather(const NodeImport& node, Composition& steps, TensorId data, TensorId places) {
    const TensorId flat = steps.reshape(data, {product(steps.dims(data))});
    node.result(Gather{.axis = 0}, {flat, places});
}

// For each index of a tensor, its position in extents `data`, with 0 along `axis`.
Constant places_without(const NodeImport& node, const Dims& dims, const Dims& data,
                        std::size_t axis) {
    if (!is_small(dims)) {
        throw Unsupported{to_text(dims) + " are too many elements to move one by one"};
    }
    node.spend(product(dims));
    const Dims strides = strides_of(data);
    std::vector<std::int64_t> places;
    for_each_index(dims, [&](const Dims& index) {
        std::int64_t place = 0;
        for (std::size_t i = 0; i < index.size(); ++i) {
            place += i == axis ? 0 : index[i] * strides[i];
        }
        places.push_back(place);
    });
    return constant_of({dims, DataType::s64}, places);
}

// Indices into several axes with these `extents`, with negative ones counted from the front.
TensorId each_from_front(Composition& steps, TensorId indices, const Dims& extents) {
    const auto axes = std::ssize(extents);
    const TensorId lengths = steps.constant(constant_of({{axes}, DataType::s64}, extents));
    const TensorId below = steps.elementwise(ElementwiseKind::less, indices, 0.0);
    const TensorId wrapped = steps.sum(indices, lengths);
    return steps.add(Select{}, {below, wrapped, indices});
}

// GatherND: gathers rows of a tensor by tuples of indices along the last axis; `batches` leading
// axes are shared.
struct RowsAt {
    explicit RowsAt(const NodeImport& node)
        : data(node.input(0).dims),
          indices(node.input(1).dims),
          batches(axis_of(node.integer("batch_dims", 0), data.size())) {
        const auto fits = [&] {
            return !indices.empty() && batches < indices.size() && indices.back() >= 1 &&
                   std::cmp_less_equal(indices.back(), data.size() - batches) &&
                   std::equal(data.begin(), data.begin() + offset(batches), indices.begin());
        };
        unsupported_if(!fits(), "its indices do not fit its data");
        indexed = batches + static_cast<std::size_t>(indices.back());
    }

    static std::ptrdiff_t offset(std::size_t axes) { return static_cast<std::ptrdiff_t>(axes); }

    Dims leading(std::size_t axes) const { return {data.begin(), data.begin() + offset(axes)}; }
    Dims row() const { return {data.begin() + offset(indexed), data.end()}; }
    Dims extents() const {
        return {data.begin() + offset(batches), data.begin() + offset(indexed)};
    }

    // The index of the first row of each batch, to add to places [batches..., ...].
    Constant first_rows() const {
        const Dims batch = leading(batches);
        Dims dims = batch;
        dims.resize(indices.size() - 1, 1);
        std::vector<std::int64_t> rows(static_cast<std::size_t>(product(batch)));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i] = static_cast<std::int64_t>(i) * product(extents());
        }
        return constant_of({dims, DataType::s64}, rows);
    }

    Dims data;
    Dims indices;
    std::size_t batches = 0;
    std::size_t indexed = 0;  // axes of batches and tuples together
};

// GatherElements with indices computed at run time becomes a gather of rows by positions, which are
// computed from the indices.
void gather_computed_elements(const NodeImport& node) {
    const Dims data = node.input(0).dims;
    const Dims dims = node.input(1).dims;
    const std::size_t axis = axis_of(node.integer("axis", 0), data.size());
    for (std::size_t i = 0; i < std::max(dims.size(), data.size()); ++i) {
        const bool fits =
            i < std::min(dims.size(), data.size()) && (i == axis || dims[i] <= data[i]);
        unsupported_if(!fits, "its indices do not fit its data");
    }
    Composition steps(node);
    const TensorId along = from_front(node, steps, node.operand(1), data[axis]);
    const TensorId scaled = steps.product(along, static_cast<double>(strides_of(data)[axis]));
    const TensorId others = steps.constant(places_without(node, dims, data, axis));
    finish_gather(node, steps, node.operand(0), steps.sum(scaled, others));
}

void gather_computed_rows(const NodeImport& node) {
    const RowsAt rows(node);
    unsupported_if(!is_small(rows.leading(rows.indexed)), "it gathers from too many rows");
    node.spend(product(rows.leading(rows.batches)));
    Composition steps(node);
    const Dims extents = rows.extents();
    const Constant strides =
        constant_of({{std::ssize(extents)}, DataType::s64}, strides_of(extents));
    const TensorId tuples = each_from_front(steps, node.operand(1), extents);
    const TensorId scaled = steps.product(tuples, steps.constant(strides));
    const auto last = static_cast<std::int64_t>(rows.indices.size()) - 1;
    TensorId places = steps.add(
        Reduction{.kind = ReductionKind::sum, .axes = {last}, .keep_axes = false}, {scaled});
    if (rows.batches > 0) {
        places = steps.sum(places, steps.constant(rows.first_rows()));
    }
    Dims flat = {product(rows.leading(rows.indexed))};
    const Dims row = rows.row();
    flat.insert(flat.end(), row.begin(), row.end());
    node.result(Gather{.axis = 0}, {steps.reshape(node.operand(0), flat), places});
}

void convert_gather_elements(const NodeImport& node) {
    if (node.constant(1)) {
        convert_by_map(node, map_gather_elements(node));
    } else {
        gather_computed_elements(node);
    }
}

void convert_gather_nd(const NodeImport& node) {
    if (node.constant(1)) {
        convert_by_map(node, map_gather_nd(node));
    } else {
        gather_computed_rows(node);
    }
}

KnownResults as_second_input(const NodeImport& node) {
    return moved_result({node.input(1).dims, node.input(0).dtype});
}

// GatherND: the last axis of the indices holds positions of the data's first axes.
KnownResults gathered_by_tuples(const NodeImport& node) {
    const Tensor& data = node.input(0);
    const Dims& indices = node.input(1).dims;
    const std::int64_t batches =
        std::clamp<std::int64_t>(node.integer("batch_dims", 0), 0, std::ssize(data.dims));
    const std::int64_t taken = batches + (indices.empty() ? 0 : indices.back());
    unsupported_if(indices.empty() || taken < 0 || taken > std::ssize(data.dims),
                   "its indices do not fit");
    Dims dims(indices.begin(), indices.end() - 1);
    dims.insert(dims.end(), data.dims.begin() + taken, data.dims.end());
    return moved_result({dims, data.dtype});
}

// on if the index, counted from either end, is the position along the new axis; off otherwise.
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
    const TensorId wrapped = steps.difference(places, static_cast<double>(depth));
    const TensorId hot = steps.elementwise(
        ElementwiseKind::logical_or, steps.elementwise(ElementwiseKind::equal, indices, places),
        steps.elementwise(ElementwiseKind::equal, indices, wrapped));
    unsupported_if(values.tensor.elements() != 2, "its values are not two");
    const TensorId on = steps.scalar(number_at(values, 1), values.tensor.dtype);
    const TensorId off = steps.scalar(number_at(values, 0), values.tensor.dtype);
    node.result(Select{}, {hot, on, off});
}

KnownResults one_hot_results(const NodeImport& node) {
    Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer("axis", -1), dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), node.integer_of_input(1));
    return moved_result({sane_extents(dims), node.input(2).dtype});
}

}  // namespace

OnnxRows gather_rows() {
    static constexpr std::array rows = {
        OnnxRow("Gather")
            .in(convert_gather)
            .folded(fold_gather)
            .out<write_gather>()
            .out<write_embedding>(),
        OnnxRow("GatherElements")
            .in(convert_gather_elements)
            .folded(fold_moved<map_gather_elements>)
            .shaped(as_second_input),
        OnnxRow("GatherND")
            .in(convert_gather_nd)
            .folded(fold_moved<map_gather_nd>)
            .shaped(gathered_by_tuples),
        OnnxRow("GatherND", Domain::microsoft).shaped(gathered_by_tuples),
        OnnxRow("OneHot").in(convert_one_hot).shaped(one_hot_results),
    };
    return rows;
}

}  // namespace strata
