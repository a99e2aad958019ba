// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"
#include "networks/onnx/fold/folders.h"
#include "networks/onnx/shape_rules.h"
#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

KnownResults counted(Tensor result, Operations work) {
    return {.outputs = {std::move(result)}, .work = work};
}

KnownResults uncounted(Tensor result) {
    return {.outputs = {std::move(result)}};
}

// The type that an attribute names, or this one.
DataType named_type(const NodeImport& node, std::string_view attribute, DataType absent) {
    const auto named = data_type_of(node.integer(attribute, 0));
    return named.value_or(absent);
}

// Extents that a file states must be counted before they are used.
Dims sane(Dims dims) {
    for (const std::int64_t extent : dims) {
        if (extent < 0 || extent > max_elements) {
            throw Unsupported{"its result would be " + to_text(dims)};
        }
    }
    return dims;
}

}  // namespace

KnownResults as_input(const NodeImport& node) {
    return counted(node.input(0), {.adds = count_of(node.input(0))});
}

KnownResults moved_as_input(const NodeImport& node) {
    return counted(node.input(0), {});
}

KnownResults uncounted_as_input(const NodeImport& node) {
    return uncounted(node.input(0));
}

KnownResults random_as_input(const NodeImport& node) {
    const Tensor& x = node.input(0);
    return uncounted({x.dims, named_type(node, "dtype", x.dtype)});
}

KnownResults random_of_shape(const NodeImport& node) {
    return uncounted({sane(node.integers("shape")), named_type(node, "dtype", DataType::f32)});
}

KnownResults broadcast_results(const NodeImport& node) {
    std::vector<Dims> shapes;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        shapes.push_back(node.input(i).dims);
    }
    const auto dims = broadcast_dims(shapes);
    if (!dims) {
        throw Unsupported{"its inputs do not fit"};
    }
    Tensor y{*dims, node.input(0).dtype};
    const double count = count_of(y);
    return counted(std::move(y), {.adds = count});
}

KnownResults as_input_of_type_to(const NodeImport& node) {
    const auto to = data_type_of(node.integer("to", 0));
    if (!to) {
        throw Unsupported{"its type is unknown"};
    }
    return counted({node.input(0).dims, *to}, {});
}

KnownResults as_second_input(const NodeImport& node) {
    return counted({node.input(1).dims, node.input(0).dtype}, {});
}

KnownResults truth(const NodeImport&) {
    return counted({{}, DataType::boolean}, {});
}

KnownResults determinant(const NodeImport& node) {
    Tensor y = node.input(0);
    if (y.dims.size() < 2) {
        throw Unsupported{"its input is not a matrix"};
    }
    y.dims.resize(y.dims.size() - 2);
    return uncounted(std::move(y));
}

KnownResults window_function(const NodeImport& node) {
    const Dims dims = sane({node.integer_of_input(0)});
    Tensor y{dims, named_type(node, "output_datatype", DataType::f32)};
    const double count = count_of(y);
    return counted(std::move(y), {.transcendentals = count});
}

KnownResults padded_or_cropped(const NodeImport& node) {
    Tensor y = node.input(0);
    const Dims wanted = sane(node.integers_of_input(1));
    const Dims axes = node.integers("axes");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(i) : axes.at(i);
        y.dims[axis_of(axis, y.dims.size())] = wanted[i];
    }
    return counted(std::move(y), {});
}

// Blocks of columns are added up where they overlap.
KnownResults columns_to_image(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const Dims image = sane(node.integers_of_input(1));
    const std::int64_t block = product(sane(node.integers_of_input(2)));
    if (x.dims.size() != 3 || block < 1) {
        throw Unsupported{"its columns are " + to_text(x.dims)};
    }
    Dims dims = {x.dims[0], x.dims[1] / block};
    dims.insert(dims.end(), image.begin(), image.end());
    return counted({dims, x.dtype}, {.adds = count_of(x)});
}

// How many operations a Fourier transform takes depends on the algorithm.
KnownResults transform(const NodeImport& node) {
    Tensor y = node.input(0);
    const std::int64_t stated = node.opset() < 20   ? node.integer("axis", 1)
                                : node.has_input(2) ? node.integer_of_input(2)
                                                    : -2;
    const std::size_t axis = axis_of(stated, y.dims.size());
    const std::int64_t length = node.has_input(1) ? node.integer_of_input(1) : y.dims[axis];
    const bool onesided = node.integer("onesided", 0) != 0;
    const bool inverse = node.integer("inverse", 0) != 0;
    y.dims[axis] = onesided && !inverse ? length / 2 + 1 : length;
    y.dims.back() = onesided && inverse ? 1 : 2;
    y.dims = sane(y.dims);
    return uncounted(std::move(y));
}

KnownResults short_time_transform(const NodeImport& node) {
    const Tensor& signal = node.input(0);
    const std::int64_t step = node.integer_of_input(1);
    if (signal.dims.size() < 2 || step < 1 || (!node.has_input(2) && !node.has_input(3))) {
        throw Unsupported{"its frames are not known"};
    }
    const std::int64_t length =
        node.has_input(3) ? node.integer_of_input(3) : node.input(2).elements();
    if (length < 1 || length > signal.dims[1]) {
        throw Unsupported{"its frames do not fit its signal"};
    }
    const bool onesided = node.integer("onesided", 1) != 0;
    return uncounted({{signal.dims[0], (signal.dims[1] - length) / step + 1,
                       onesided ? length / 2 + 1 : length, 2},
                      signal.dtype});
}

KnownResults regions_of_interest(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const Tensor& regions = node.input(1);
    const Dims extents = node.has_attribute("pooled_shape") ? node.integers("pooled_shape")
                         : node.has_input(3)                ? node.integers_of_input(3)
                                                            : Dims{node.integer("output_height", 1),
                                                    node.integer("output_width", 1)};
    if (x.dims.size() != 4 || regions.dims.empty() || extents.size() != 2) {
        throw Unsupported{"its regions are not known"};
    }
    return uncounted({sane({regions.dims[0], x.dims[1], extents[0], extents[1]}), x.dtype});
}

KnownResults unpooled(const NodeImport& node) {
    Tensor y = node.input(0);
    if (node.has_input(2)) {
        y.dims = sane(node.integers_of_input(2));
        return counted(std::move(y), {});
    }
    const Dims kernel = sane(node.integers("kernel_shape"));
    const std::size_t axes = kernel.size();
    const auto at = [](const Dims& list, std::size_t i, std::int64_t absent) {
        return i < list.size() ? list[i] : absent;
    };
    const Dims strides = sane(node.integers("strides"));
    const Dims pads = sane(node.integers("pads"));
    if (y.dims.size() != axes + 2) {
        throw Unsupported{"its kernel does not fit"};
    }
    for (std::size_t i = 0; i < axes; ++i) {
        const std::int64_t reach = product(Dims{y.dims[i + 2] - 1, at(strides, i, 1)});
        y.dims[i + 2] = reach + kernel[i] - at(pads, i, 0) - at(pads, axes + i, 0);
    }
    y.dims = sane(y.dims);
    return counted(std::move(y), {});
}

KnownResults mel_weights(const NodeImport& node) {
    const Dims dims = sane({node.integer_of_input(1) / 2 + 1, node.integer_of_input(0)});
    return uncounted({dims, named_type(node, "output_datatype", DataType::f32)});
}

KnownResults drawn_classes(const NodeImport& node) {
    const Dims dims = sane({node.input(0).dims.at(0), node.integer("sample_size", 1)});
    return uncounted({dims, named_type(node, "dtype", DataType::s32)});
}

// Also SoftmaxCrossEntropyLoss, whose second result are the logarithms of the probabilities.
KnownResults loss(const NodeImport& node) {
    const bool each = node.text("reduction", "mean") == "none";
    const Tensor& scores = node.input(0);
    return {.outputs = {Tensor{each ? node.input(1).dims : Dims(), scores.dtype}, scores}};
}

// The extents by sizes or scales, of all axes or of those listed.
KnownResults resized(const NodeImport& node) {
    Tensor y = node.input(0);
    if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch") {
        throw Unsupported{"it keeps the aspect ratio"};
    }
    const Dims axes = node.integers("axes");
    const auto extent = [&](std::size_t i) -> std::int64_t& {
        const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(i) : axes.at(i);
        return y.dims[axis_of(axis, y.dims.size())];
    };
    if (node.has_input(3)) {
        const Dims sizes = node.integers_of_input(3);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            extent(i) = sizes[i];
        }
    } else {
        const Constant& scales = node.known(node.opset() < 11 ? 1 : 2);
        if (!is_floating(scales.tensor.dtype)) {
            throw Unsupported{"its scales are not numbers"};
        }
        for (std::int64_t i = 0; i < std::min<std::int64_t>(scales.tensor.elements(), 64); ++i) {
            std::int64_t& scaled = extent(static_cast<std::size_t>(i));
            const double to = std::floor(static_cast<double>(scaled) * number_at(scales, i));
            scaled = to >= 0 && to < 1e15 ? static_cast<std::int64_t>(to) : -1;
        }
    }
    y.dims = sane(y.dims);
    return uncounted(std::move(y));
}

KnownResults sampled_on_grid(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const Dims& grid = node.input(1).dims;
    if (x.dims.size() < 3 || grid.size() != x.dims.size()) {
        throw Unsupported{"its grid does not fit"};
    }
    Dims dims = {x.dims[0], x.dims[1]};
    dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
    return uncounted({dims, x.dtype});
}

// GatherND: the last axis of the indices holds positions of the data's first axes.
KnownResults gathered_by_tuples(const NodeImport& node) {
    const Tensor& data = node.input(0);
    const Dims& indices = node.input(1).dims;
    const std::int64_t batches =
        std::clamp<std::int64_t>(node.integer("batch_dims", 0), 0, std::ssize(data.dims));
    const std::int64_t taken = batches + (indices.empty() ? 0 : indices.back());
    if (indices.empty() || taken < 0 || taken > std::ssize(data.dims)) {
        throw Unsupported{"its indices do not fit"};
    }
    Dims dims(indices.begin(), indices.end() - 1);
    dims.insert(dims.end(), data.dims.begin() + taken, data.dims.end());
    return counted({dims, data.dtype}, {});
}

KnownResults one_hot_results(const NodeImport& node) {
    Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer("axis", -1), dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), node.integer_of_input(1));
    return counted({sane(dims), node.input(2).dtype}, {});
}

// TfIdfVectorizer: a number for each term.
KnownResults weighted_terms(const NodeImport& node) {
    const Dims terms = node.integers("ngram_indexes");
    Dims dims = node.input(0).dims;
    if (terms.empty() || dims.empty()) {
        throw Unsupported{"its terms are not known"};
    }
    dims.back() = std::ranges::max(sane(terms)) + 1;
    return uncounted({sane(dims), DataType::f32});
}

}  // namespace strata
