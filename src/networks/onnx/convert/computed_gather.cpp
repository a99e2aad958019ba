// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/computed_gather.h"

#include "networks/onnx/arrangement.h"
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/element_map.h"

#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace strata {

namespace {

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

// Where each index of a tensor lies in one of extents `data` when it stands at 0 along `axis`.
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
    const TensorId wrapped = steps.elementwise(ElementwiseKind::add, indices, lengths);
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
        if (!fits()) {
            throw Unsupported{"its indices do not fit its data"};
        }
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
    std::size_t indexed = 0;  // axes that batches and tuples cover together
};

}  // namespace

Constant counting(const NodeImport& node, std::int64_t n) {
    if (n > max_folded_elements) {
        throw Unsupported{fmt::format("an axis of {} is too long to index", n)};
    }
    node.spend(n);
    Dims numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return constant_of({{n}, DataType::s64}, numbers);
}

void gather_computed_elements(const NodeImport& node) {
    const Dims data = node.input(0).dims;
    const Dims dims = node.input(1).dims;
    const std::size_t axis = axis_of(node.integer("axis", 0), data.size());
    for (std::size_t i = 0; i < std::max(dims.size(), data.size()); ++i) {
        const bool fits =
            i < std::min(dims.size(), data.size()) && (i == axis || dims[i] <= data[i]);
        if (!fits) {
            throw Unsupported{"its indices do not fit its data"};
        }
    }
    Composition steps(node);
    const TensorId along = from_front(node, steps, node.operand(1), data[axis]);
    const TensorId scaled = steps.elementwise(ElementwiseKind::multiply, along,
                                              static_cast<double>(strides_of(data)[axis]));
    const TensorId others = steps.constant(places_without(node, dims, data, axis));
    finish_gather(node, steps, node.operand(0),
                  steps.elementwise(ElementwiseKind::add, scaled, others));
}

void gather_computed_rows(const NodeImport& node) {
    const RowsAt rows(node);
    if (!is_small(rows.leading(rows.indexed))) {
        throw Unsupported{"it gathers from too many rows"};
    }
    node.spend(product(rows.leading(rows.batches)));
    Composition steps(node);
    const Dims extents = rows.extents();
    const Constant strides =
        constant_of({{std::ssize(extents)}, DataType::s64}, strides_of(extents));
    const TensorId tuples = each_from_front(steps, node.operand(1), extents);
    const TensorId scaled =
        steps.elementwise(ElementwiseKind::multiply, tuples, steps.constant(strides));
    const auto last = static_cast<std::int64_t>(rows.indices.size()) - 1;
    TensorId places = steps.add(
        Reduction{.kind = ReductionKind::sum, .axes = {last}, .keep_axes = false}, {scaled});
    if (rows.batches > 0) {
        places = steps.elementwise(ElementwiseKind::add, places, steps.constant(rows.first_rows()));
    }
    Dims flat = {product(rows.leading(rows.indexed))};
    const Dims row = rows.row();
    flat.insert(flat.end(), row.begin(), row.end());
    node.result(Gather{.axis = 0}, {steps.reshape(node.operand(0), flat), places});
}

}  // namespace strata
