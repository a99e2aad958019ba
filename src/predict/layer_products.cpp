// SPDX-License-Identifier: MIT
#include "predict/layer_products.h"

#include "op/attention.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

std::int64_t gates_of(CellKind cell) {
    return cell == CellKind::lstm ? 4 : cell == CellKind::gru ? 3 : 1;
}

// The matrices of a product, with outermost extents multiplied.
struct MatrixExtents {
    std::int64_t batch = 1, m = 1, n = 1, k = 1;
};

LayerProduct product_of(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                        bool b_is_transposed = false) {
    return {{.batch = batch, .m = m, .n = n, .k = k, .b_is_transposed = b_is_transposed}};
}

// The same if A's rows run along m: A is a tensor whose rows are summed.
LayerProduct product_over_rows(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
    LayerProduct found = product_of(batch, m, n, k);
    found.problem.a_is_transposed = true;
    return found;
}

LayerProduct named(std::string_view name, LayerProduct product) {
    product.name = name;
    return product;
}

MatrixExtents extents_of_matmul(const MatMul& op, const Signature& signature) {
    const Dims& a = signature.inputs[0].tensor.dims;
    const Dims& result = signature.outputs[0].dims;
    const auto rank = result.size();
    MatrixExtents found{.m = result[rank - 2], .n = result[rank - 1]};
    found.k = op.transpose_a ? a[a.size() - 2] : a[a.size() - 1];
    const std::int64_t outer = product(std::span(result).first(rank - 2));
    // One right-hand matrix for all: the rows of all left-hand matrices are stacked.
    const bool shares_b = signature.inputs[1].tensor.dims.size() == 2 && !op.transpose_a;
    (shares_b ? found.m : found.batch) *= outer;
    return found;
}

bool is_trained(const Operand& operand) {
    return operand.role == Role::parameter;
}

template <class Window>
WindowExtents extents_of_window(const Window& op, const Dims& image, const Dims& result,
                                Pass pass) {
    return {.groups = op.groups,
            .filters = result[1] / op.groups,
            .channels = image[1] / op.groups,
            .window = product(op.kernel),
            .pixels = image[0] * product(std::span(image).subspan(2)),
            .outputs = result[0] * product(std::span(result).subspan(2)),
            .row = result.back(),
            .stride = std::max<std::int64_t>(product(op.stride), 1),
            .pass = pass};
}

// If there are fewer channels than any tile has columns, libraries use special kernels, which are
// assumed to be as fast as the forward product.
constexpr std::int64_t most_few_channels = 4;

std::vector<LayerProduct> implicit_product(WindowExtents x) {
    LayerProduct found;
    switch (x.pass) {
        case Pass::forward:
            found = product_of(x.groups, x.outputs, x.filters, x.channels * x.window);
            break;
        case Pass::backward_data: {
            if (x.channels <= most_few_channels) {
                x.pass = Pass::forward;
                return implicit_product(x);
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

std::vector<CellExtents> cells_of(const Recurrent& op, const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    const std::int64_t directions = op.direction == Direction::bidirectional ? 2 : 1;
    std::vector<CellExtents> cells;
    for (std::int64_t layer = 0; layer < op.layers; ++layer) {
        const CellExtents cell{.steps = x[0],
                               .batch = x[1],
                               .inputs = layer == 0 ? x[2] : directions * op.hidden,
                               .hidden = op.hidden,
                               .gates = gates_of(op.cell)};
        cells.insert(cells.end(), static_cast<std::size_t>(directions), cell);
    }
    return cells;
}

void add_products(const CellExtents& c, Pass pass, std::vector<LayerProduct>& all) {
    const std::int64_t wide = c.gates * c.hidden;
    const std::int64_t together = c.steps * c.batch;
    switch (pass) {
        case Pass::forward:
            all.push_back(
                named("product of all steps", product_of(1, together, wide, c.inputs, true)));
            break;
        case Pass::backward_data:
            all.push_back(named("product of all steps", product_of(1, together, c.inputs, wide)));
            break;
        case Pass::backward_weights:
            for (const std::int64_t columns : {c.inputs, c.hidden}) {
                all.push_back(
                    named("product of gradient", product_over_rows(1, wide, columns, together)));
            }
            break;
        case Pass::update:
            break;
    }
}

RecurrentCell cell_of(CellKind cell) {
    return cell == CellKind::lstm  ? RecurrentCell::lstm
           : cell == CellKind::gru ? RecurrentCell::gru
                                   : RecurrentCell::vanilla;
}

std::optional<ConvolutionPass> convolution_pass(Pass pass) {
    switch (pass) {
        case Pass::forward:
            return ConvolutionPass::forward;
        case Pass::backward_data:
            return ConvolutionPass::backward_data;
        case Pass::backward_weights:
            return ConvolutionPass::backward_weights;
        case Pass::update:
            break;
    }
    return {};
}

// The last axis (0) or the one before it (1); an absent axis is 1, without padding.
struct Axis {
    std::int64_t extent, window, stride, dilation, pad;
};

template <class Window>
Axis axis_of(const Window& op, const Dims& image, std::size_t from_last) {
    if (from_last >= op.kernel.size()) {
        return {1, 1, 1, 1, 0};
    }
    const std::size_t at = op.kernel.size() - 1 - from_last;
    const auto value = [&](const Dims& dims, std::int64_t usual) {
        return dims.empty() ? usual : dims[at];
    };
    const std::int64_t before = value(op.pad_begin, 0), after = value(op.pad_end, 0);
    // (A library pads both sides equally, so the image gets the difference.)
    return {.extent = image[image.size() - 1 - from_last] + after - before,
            .window = op.kernel[at],
            .stride = value(op.stride, 1),
            .dilation = value(op.dilation, 1),
            .pad = before};
}

template <class Window>
std::optional<ConvolutionProblem> problem_of(const Window& op, const Dims& image,
                                             std::int64_t filters, DataType dtype, Pass pass) {
    const auto of_library = convolution_pass(pass);
    const auto arithmetic = arithmetic_of(dtype);
    if (!of_library || op.kernel.size() > 2 || !arithmetic) {
        return {};
    }
    const Axis rows = axis_of(op, image, 1), columns = axis_of(op, image, 0);
    const ConvolutionProblem problem{.n = image[0],
                                     .c = image[1],
                                     .h = rows.extent,
                                     .w = columns.extent,
                                     .k = filters,
                                     .r = rows.window,
                                     .s = columns.window,
                                     .pad_h = rows.pad,
                                     .pad_w = columns.pad,
                                     .stride_h = rows.stride,
                                     .stride_w = columns.stride,
                                     .dilation_h = rows.dilation,
                                     .dilation_w = columns.dilation,
                                     .groups = op.groups,
                                     .pass = *of_library,
                                     .arithmetic = *arithmetic,
                                     .element_bytes = static_cast<double>(size_in_bytes(dtype))};
    const bool is_whole =
        problem.h > 0 && problem.w > 0 && problem.result_h() > 0 && problem.result_w() > 0;
    return is_whole ? std::optional(problem) : std::nullopt;
}

}  // namespace

Pass turned(Pass pass) {
    return pass == Pass::forward         ? Pass::backward_data
           : pass == Pass::backward_data ? Pass::forward
                                         : pass;
}

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
            return {product_over_rows(1, out, in, batch)};
        case Pass::update:
            break;
    }
    return {};
}

std::vector<LayerProduct> products_of(const MatMul& op, const Signature& signature, Pass pass) {
    const MatrixExtents x = extents_of_matmul(op, signature);
    const auto is_shared = [&](std::size_t operand) {
        return x.batch > 1 && signature.inputs[operand].tensor.dims.size() == 2;
    };
    if (pass == Pass::forward) {
        LayerProduct product = product_of(x.batch, x.m, x.n, x.k, op.transpose_b);
        product.problem.a_is_transposed = op.transpose_a;
        product.shares_a = is_shared(0);
        product.shares_b = is_shared(1);
        return {product};
    }
    std::vector<LayerProduct> found;
    if (pass == Pass::update) {
        return found;
    }
    const bool of_weights = pass == Pass::backward_weights;
    if (is_trained(signature.inputs[0]) == of_weights) {
        found.push_back(product_of(x.batch, x.m, x.k, x.n, !op.transpose_b));
        found.back().shares_b = is_shared(1);
    }
    if (is_trained(signature.inputs[1]) == of_weights) {
        found.push_back(op.transpose_a ? product_of(x.batch, x.k, x.n, x.m)
                                       : product_over_rows(x.batch, x.k, x.n, x.m));
        found.back().shares_a = is_shared(0);
    }
    return found;
}

std::optional<WindowExtents> window_extents(const Op& op, const Signature& signature, Pass pass) {
    const Dims& input = signature.inputs[0].tensor.dims;
    const Dims& output = signature.outputs[0].dims;
    if (const auto* convolution = std::get_if<Convolution>(&op)) {
        return extents_of_window(*convolution, input, output, pass);
    }
    if (const auto* transposed = std::get_if<TransposedConvolution>(&op)) {
        return extents_of_window(*transposed, output, input, turned(pass));
    }
    return {};
}

std::vector<LayerProduct> products_of(const Convolution& op, const Signature& signature,
                                      Pass pass) {
    return implicit_product(*window_extents(op, signature, pass));
}

std::vector<LayerProduct> products_of(const TransposedConvolution& op, const Signature& signature,
                                      Pass pass) {
    return implicit_product(*window_extents(op, signature, pass));
}

std::vector<LayerProduct> products_of(const Recurrent& op, const Signature& signature, Pass pass) {
    std::vector<LayerProduct> found;
    for (const CellExtents& cell : cells_of(op, signature)) {
        add_products(cell, pass, found);
    }
    return found;
}

std::vector<LayerProduct> step_products_of(const Recurrent& op, const Signature& signature,
                                           Pass pass) {
    std::vector<LayerProduct> found;
    for (const CellExtents& cell : cells_of(op, signature)) {
        const std::int64_t wide = cell.gates * cell.hidden;
        if (pass == Pass::forward) {
            found.push_back(product_of(1, cell.batch, wide, cell.hidden, true));
        } else if (pass == Pass::backward_data) {
            found.push_back(product_of(1, cell.batch, cell.hidden, wide));
        } else {
            break;
        }
        found.back().repeats = static_cast<double>(cell.steps);
    }
    return found;
}

std::vector<LayerProduct> products_of(const Attention& op, const Signature& signature, Pass pass) {
    const AttentionExtents x = extents_of(op, signature);
    const std::int64_t heads = x.batch * x.heads;
    switch (pass) {
        case Pass::forward:
            return {named("queries by keys", product_of(heads, x.queries, x.keys, x.width, true)),
                    named("scores by values", product_of(heads, x.queries, x.value_width, x.keys))};
        case Pass::backward_data:
            return {
                named("gradient of scores",
                      product_of(heads, x.queries, x.keys, x.value_width, true)),
                named("gradient of values",
                      product_over_rows(heads, x.keys, x.value_width, x.queries)),
                named("gradient of queries", product_of(heads, x.queries, x.width, x.keys)),
                named("gradient of keys", product_over_rows(heads, x.keys, x.width, x.queries))};
        case Pass::backward_weights:
        case Pass::update:
            break;
    }
    return {};
}

std::optional<std::vector<LayerProduct>> layer_products(const Op& op, const Signature& signature,
                                                        Pass pass) {
    return std::visit(
        [&](const auto& one) -> std::optional<std::vector<LayerProduct>> {
            if constexpr (requires { products_of(one, signature, pass); }) {
                return products_of(one, signature, pass);
            } else {
                return std::nullopt;
            }
        },
        op);
}

std::optional<ConvolutionProblem> convolution_of(const Convolution& op, const Signature& signature,
                                                 Pass pass) {
    const Tensor& image = signature.inputs[0].tensor;
    return problem_of(op, image.dims, signature.outputs[0].dims[1], image.dtype, pass);
}

std::optional<ConvolutionProblem> convolution_of(const TransposedConvolution& op,
                                                 const Signature& signature, Pass pass) {
    const Tensor& result = signature.inputs[0].tensor;
    return problem_of(op, signature.outputs[0].dims, result.dims[1], result.dtype, turned(pass));
}

std::vector<RecurrentProblem> sequences_of(const Recurrent& op, const Signature& signature,
                                           Pass pass) {
    std::vector<RecurrentProblem> found;
    if (pass != Pass::forward && pass != Pass::backward_data) {
        return found;
    }
    const DataType dtype = signature.inputs[0].tensor.dtype;
    for (const CellExtents& cell : cells_of(op, signature)) {
        found.push_back(
            {.cell = cell_of(op.cell),
             .hidden = cell.hidden,
             .batch = cell.batch,
             .steps = cell.steps,
             .pass = pass == Pass::forward ? RecurrentPass::forward : RecurrentPass::backward_data,
             .arithmetic = arithmetic_of(dtype).value_or(Arithmetic::f32),
             .element_bytes = static_cast<double>(size_in_bytes(dtype))});
    }
    return found;
}

std::optional<AttentionProblem> attention_of(const Attention& op, const Signature& signature,
                                             Pass pass) {
    const AttentionExtents x = extents_of(op, signature);
    if (x.width != x.value_width || (pass != Pass::forward && pass != Pass::backward_data)) {
        return {};
    }
    const DataType dtype = signature.inputs[0].tensor.dtype;
    return AttentionProblem{
        .batch = x.batch,
        .heads = x.heads,
        .kv_heads = x.kv_heads,
        .queries = x.queries,
        .keys = x.keys,
        .width = x.width,
        .mask = op.causal ? AttentionMask::causal : AttentionMask::none,
        .pass = pass == Pass::forward ? AttentionPass::forward : AttentionPass::backward,
        .arithmetic = arithmetic_of(dtype).value_or(Arithmetic::f32),
        .element_bytes = static_cast<double>(size_in_bytes(dtype))};
}

std::optional<Arithmetic> arithmetic_of(DataType dtype) {
    switch (dtype) {
        case DataType::f32:
            return Arithmetic::f32;
        case DataType::f16:
            return Arithmetic::f16;
        case DataType::bf16:
            return Arithmetic::bf16;
        case DataType::f8e4m3fn:
            return Arithmetic::f8;
        case DataType::s8:
            return Arithmetic::i8;
        default:
            return {};
    }
}

RateClass LayerProduct::rates() const {
    switch (problem.arithmetic) {
        case Arithmetic::f32:
            break;
        case Arithmetic::tf32:
            return RateClass::tf32;
        case Arithmetic::f8:
            return RateClass::fp8;
        case Arithmetic::i8:
            return RateClass::int8;
        case Arithmetic::f16:
        case Arithmetic::bf16:
            return RateClass::low_precision;
    }
    return !algorithm.empty()        ? RateClass::convolution
           : problem.b_is_transposed ? RateClass::linear
                                     : RateClass::batched;
}

}  // namespace strata
