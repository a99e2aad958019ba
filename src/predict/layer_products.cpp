// SPDX-License-Identifier: MIT
#include "predict/layer_products.h"

#include "op/attention_extents.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

// The matrices of a product, outermost extents multiplied.
struct MatrixExtents {
    std::int64_t batch = 1, m = 1, n = 1, k = 1;
};

LayerProduct product_of(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                        bool b_is_transposed = false) {
    return {{.batch = batch, .m = m, .n = n, .k = k, .b_is_transposed = b_is_transposed}};
}

MatrixExtents extents_of_matmul(const MatMul& op, const Signature& signature) {
    const Dims& a = signature.inputs[0].tensor.dims;
    const Dims& result = signature.outputs[0].dims;
    const auto rank = result.size();
    MatrixExtents found{.m = result[rank - 2], .n = result[rank - 1]};
    found.k = op.transpose_a ? a[a.size() - 2] : a[a.size() - 1];
    const std::int64_t outer = product(std::span(result).first(rank - 2));
    // One right-hand matrix for all: the rows of all left-hand ones stand below each other.
    const bool shares_b = signature.inputs[1].tensor.dims.size() == 2 && !op.transpose_a;
    (shares_b ? found.m : found.batch) *= outer;
    return found;
}

bool is_trained(const Operand& operand) {
    return operand.role == Role::parameter;
}

// What a convolution's implicit product is made of.
struct WindowExtents {
    std::int64_t groups, filters, channels, window, outputs, stride;
};

template <class Window>
WindowExtents extents_of_window(const Window& op, const Dims& image, const Dims& result) {
    return {.groups = op.groups,
            .filters = result[1] / op.groups,
            .channels = image[1] / op.groups,
            .window = product(op.kernel),
            .outputs = result[0] * product(std::span(result).subspan(2)),
            .stride = std::max<std::int64_t>(product(op.stride), 1)};
}

// With fewer channels than any tile has columns, libraries have kernels of their own, which are
// taken to be as fast as the forward product.
constexpr std::int64_t most_few_channels = 4;

std::vector<LayerProduct> implicit_product(const WindowExtents& x, Pass pass) {
    LayerProduct found;
    switch (pass) {
        case Pass::forward:
            found = product_of(x.groups, x.outputs, x.filters, x.channels * x.window);
            break;
        case Pass::backward_data: {
            if (x.channels <= most_few_channels) {
                return implicit_product(x, Pass::forward);
            }
            const std::int64_t phase =
                std::max<std::int64_t>((x.window + x.stride - 1) / x.stride, 1);
            found = product_of(x.groups, x.outputs * x.stride, x.channels, x.filters * phase);
            break;
        }
        case Pass::backward_weights:
            found = product_of(x.groups, x.filters, x.channels * x.window, x.outputs);
            break;
        case Pass::update:
            return {};
    }
    found.algorithm = "implicit-gemm";
    return {found};
}

// One direction of one layer of a recurrent network.
struct CellExtents {
    std::int64_t steps, batch, inputs, hidden, gates;
};

void add_cell(const CellExtents& c, Pass pass, std::vector<LayerProduct>& all) {
    const std::int64_t wide = c.gates * c.hidden;
    const std::int64_t together = c.steps * c.batch;
    LayerProduct step;
    switch (pass) {
        case Pass::forward:
            all.push_back(product_of(1, together, wide, c.inputs, true));
            step = product_of(1, c.batch, wide, c.hidden, true);
            break;
        case Pass::backward_data:
            all.push_back(product_of(1, together, c.inputs, wide));
            step = product_of(1, c.batch, c.hidden, wide);
            break;
        case Pass::backward_weights:
            all.push_back(product_of(1, wide, c.inputs, together));
            all.push_back(product_of(1, wide, c.hidden, together));
            return;
        case Pass::update:
            return;
    }
    step.repeats = static_cast<double>(c.steps);
    all.push_back(step);
}

}  // namespace

std::vector<LayerProduct> products_of(const FullyConnected&, const Signature& signature,
                                      Pass pass) {
    const Dims& weight = signature.inputs[1].tensor.dims;
    const std::int64_t batch = signature.outputs[0].dims[0];
    const std::int64_t out = weight[0];
    const std::int64_t in = weight[1];
    switch (pass) {
        case Pass::forward:
            return {product_of(1, batch, out, in, true)};
        case Pass::backward_data:
            return {product_of(1, batch, in, out)};
        case Pass::backward_weights:
            return {product_of(1, out, in, batch)};
        case Pass::update:
            break;
    }
    return {};
}

std::vector<LayerProduct> products_of(const MatMul& op, const Signature& signature, Pass pass) {
    const MatrixExtents x = extents_of_matmul(op, signature);
    if (pass == Pass::forward) {
        return {product_of(x.batch, x.m, x.n, x.k, op.transpose_b)};
    }
    std::vector<LayerProduct> found;
    if (pass == Pass::update) {
        return found;
    }
    const bool of_weights = pass == Pass::backward_weights;
    if (is_trained(signature.inputs[0]) == of_weights) {
        found.push_back(product_of(x.batch, x.m, x.k, x.n, !op.transpose_b));
    }
    if (is_trained(signature.inputs[1]) == of_weights) {
        found.push_back(product_of(x.batch, x.k, x.n, x.m));
    }
    return found;
}

std::vector<LayerProduct> products_of(const Convolution& op, const Signature& signature,
                                      Pass pass) {
    return implicit_product(
        extents_of_window(op, signature.inputs[0].tensor.dims, signature.outputs[0].dims), pass);
}

// What is forward here is backward there: its result is the image of a convolution.
std::vector<LayerProduct> products_of(const TransposedConvolution& op, const Signature& signature,
                                      Pass pass) {
    const WindowExtents x =
        extents_of_window(op, signature.outputs[0].dims, signature.inputs[0].tensor.dims);
    return implicit_product(x, pass == Pass::forward         ? Pass::backward_data
                               : pass == Pass::backward_data ? Pass::forward
                                                             : pass);
}

double gates_of(CellKind cell) {
    return cell == CellKind::lstm ? 4 : cell == CellKind::gru ? 3 : 1;
}

std::vector<LayerProduct> products_of(const Recurrent& op, const Signature& signature, Pass pass) {
    const Dims& x = signature.inputs[0].tensor.dims;
    const std::int64_t directions = op.direction == Direction::bidirectional ? 2 : 1;
    std::vector<LayerProduct> found;
    for (std::int64_t layer = 0; layer < op.layers; ++layer) {
        const std::int64_t inputs = layer == 0 ? x[2] : directions * op.hidden;
        for (std::int64_t direction = 0; direction < directions; ++direction) {
            add_cell({.steps = x[0],
                      .batch = x[1],
                      .inputs = inputs,
                      .hidden = op.hidden,
                      .gates = static_cast<std::int64_t>(gates_of(op.cell))},
                     pass, found);
        }
    }
    return found;
}

std::vector<LayerProduct> products_of(const Attention& op, const Signature& signature, Pass pass) {
    const AttentionExtents x = extents_of(op, signature);
    const std::int64_t heads = x.batch * x.heads;
    switch (pass) {
        case Pass::forward:
            return {product_of(heads, x.queries, x.keys, x.width, true),
                    product_of(heads, x.queries, x.value_width, x.keys)};
        case Pass::backward_data:
            return {product_of(heads, x.queries, x.keys, x.value_width, true),  // of the scores
                    product_of(heads, x.keys, x.value_width, x.queries),        // of the values
                    product_of(heads, x.queries, x.width, x.keys),              // of the queries
                    product_of(heads, x.keys, x.width, x.queries)};             // of the keys
        case Pass::backward_weights:
        case Pass::update:
            break;
    }
    return {};
}

}  // namespace strata
