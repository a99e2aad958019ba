// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"
#include "op/rules.h"

#include <algorithm>

namespace strata {

namespace {

KnownResults determinant(const NodeImport& node) {
    Tensor y = node.input(0);
    unsupported_if(y.dims.size() < 2, "its input is not a matrix");
    y.dims.resize(y.dims.size() - 2);
    return uncounted_result(std::move(y));
}

KnownResults window_function(const NodeImport& node) {
    const Dims dims = sane_extents({node.integer_of_input(0)});
    Tensor y{dims, named_type(node, "output_datatype", DataType::f32)};
    const double count = count_of(y);
    return counted_result(std::move(y), {.transcendentals = count});
}

// The number of operations of a Fourier transform depends on the algorithm.
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
    y.dims = sane_extents(y.dims);
    return uncounted_result(std::move(y));
}

KnownResults short_time_transform(const NodeImport& node) {
    const Tensor& signal = node.input(0);
    const std::int64_t step = node.integer_of_input(1);
    unsupported_if(signal.dims.size() < 2 || step < 1 || (!node.has_input(2) && !node.has_input(3)),
                   "its frames are not known");
    const std::int64_t length =
        node.has_input(3) ? node.integer_of_input(3) : node.input(2).elements();
    unsupported_if(length < 1 || length > signal.dims[1], "its frames do not fit its signal");
    const bool onesided = node.integer("onesided", 1) != 0;
    return uncounted_result({{signal.dims[0], (signal.dims[1] - length) / step + 1,
                              onesided ? length / 2 + 1 : length, 2},
                             signal.dtype});
}

KnownResults mel_weights(const NodeImport& node) {
    const Dims dims = sane_extents({node.integer_of_input(1) / 2 + 1, node.integer_of_input(0)});
    return uncounted_result({dims, named_type(node, "output_datatype", DataType::f32)});
}

// TfIdfVectorizer: one number for each term.
KnownResults weighted_terms(const NodeImport& node) {
    const Dims terms = node.integers("ngram_indexes");
    Dims dims = node.input(0).dims;
    unsupported_if(terms.empty() || dims.empty(), "its terms are not known");
    dims.back() = std::ranges::max(sane_extents(terms)) + 1;
    return uncounted_result({sane_extents(dims), DataType::f32});
}

// Operators on signals, texts and matrices; none is computed here.

}  // namespace

OnnxRows signal_rows() {
    static constexpr std::array rows = {
        OnnxRow("BlackmanWindow").shaped(window_function),
        OnnxRow("DFT").shaped(transform),
        OnnxRow("Det").shaped(determinant),
        OnnxRow("HammingWindow").shaped(window_function),
        OnnxRow("HannWindow").shaped(window_function),
        OnnxRow("Inverse", Domain::microsoft).shaped(uncounted_as_input),
        OnnxRow("MelWeightMatrix").shaped(mel_weights),
        OnnxRow("STFT").shaped(short_time_transform),
        OnnxRow("TfIdfVectorizer").shaped(weighted_terms),
    };
    return rows;
}

}  // namespace strata
