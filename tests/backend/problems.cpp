// SPDX-License-Identifier: MIT
#include "tests/backend/problems.h"

#include "graph/builder.h"
#include "op/problem.h"

#include <algorithm>
#include <cctype>

namespace strata::testing {

namespace {

TensorId further_operand(GraphBuilder& builder, const Operand& operand, std::size_t number) {
    const std::string name = "x" + std::to_string(number);
    const Role role = operand.role == Role::activation ? Role::input : operand.role;
    return role == Role::input || role == Role::label
               ? builder.input(name, operand.tensor, role)
               : builder.constant(name, operand.tensor, role);
}

Convolution pointwise(std::int64_t channels) {
    return {.out_channels = channels, .kernel = {1, 1}};
}

}  // namespace

const std::vector<std::string>& operator_problems() {
    static const std::vector<std::string> problems = {
        "convolution(2x3x9x9) out_channels=8 kernel=3x3 pad_begin=1x1 pad_end=1x1",
        "convolution(2x16x9x9) out_channels=32 kernel=3x3 pad_begin=1x1 pad_end=1x1",
        "convolution(2x20x9x9) out_channels=24 kernel=3x3 pad_begin=1x1 pad_end=1x1",
        "convolution(2x16x9x8) out_channels=16 kernel=3x2 stride=2x3 pad_begin=1x0 pad_end=0x1",
        "convolution(2x16x9x9) out_channels=16 kernel=3x3 dilation=2x2 bias=false",
        "convolution(2x32x7x7) out_channels=32 kernel=3x3 groups=2 pad_begin=1x1 pad_end=1x1",
        "convolution(2x32x7x7) out_channels=32 kernel=3x3 groups=32 pad_begin=1x1 pad_end=1x1",
        "convolution(2x6x7x7) out_channels=12 kernel=3x3 groups=3",
        "convolution(2x16x11) out_channels=16 kernel=3",
        "convolution(2x16x5x6x7) out_channels=16 kernel=2x3x3",
        "convolution(2x32x8x8) out_channels=64 kernel=1x1 stride=2x2 bias=false",
        "convolution(1x3x35x35) out_channels=16 kernel=11x11 stride=4x4",
        "convolution(2x32x11) out_channels=32 kernel=3 groups=32 pad_begin=1 pad_end=1 stride=2",
        "convolution(2x16x5x6x7) out_channels=16 kernel=3x3x3 groups=16 pad_begin=1x1x1",
        "transposed_convolution(2x16x5x5) out_channels=32 kernel=2x2 stride=2x2",
        "transposed_convolution(2x20x5x6) out_channels=12 kernel=3x3 pad_begin=1x0 pad_end=0x1",
        "transposed_convolution(2x16x5x4) out_channels=16 kernel=3x4 stride=2x3 output_pad=1x2 "
        "pad_begin=1x1 pad_end=1x0 bias=false",
        "transposed_convolution(2x16x5x5) out_channels=32 kernel=3x3 stride=2x2 groups=2",
        "transposed_convolution(2x16x5x5) out_channels=16 kernel=3x3 dilation=2x2 groups=16",
        "transposed_convolution(2x16x9) out_channels=8 kernel=4 stride=2 pad_begin=1 pad_end=1",
        "transposed_convolution(1x16x3x4x5) out_channels=16 kernel=2x3x3 stride=1x2x2",
        "resize(2x16x5x5) sizes=10x10",
        "resize(2x16x6x6) sizes=3x4",
        "resize(2x20x5x5) sizes=10x15 coordinates=asymmetric rounding=down",
        "resize(2x16x5x6) sizes=10x9 interpolation=linear",
        "resize(2x16x5x6) sizes=10x9 interpolation=linear coordinates=align_corners",
        "resize(2x6x5x6) sizes=3x4 interpolation=linear coordinates=asymmetric",
        "resize(2x20x5x6) sizes=10x9 interpolation=cubic",
        "resize(2x16x7) sizes=14 interpolation=linear",
        "resize(1x6x3x4x5) sizes=6x8x5 interpolation=linear coordinates=pytorch_half_pixel",
        "resize(1x6x3x4x5) sizes=6x8x7 interpolation=cubic coordinates=align_corners",
        "fully_connected(4x32) out_features=20",
        "fully_connected(4x16x3x3) out_features=10 bias=false",
        "fully_connected(3x5) out_features=7",
        "fully_connected(520x40) out_features=70",
        "matmul(8x12, 12x10:parameter)",
        "matmul(2x8x12, 12x10:parameter)",
        "matmul(2x3x8x12, 2x3x12x10)",
        "matmul(2x3x12x8, 2x3x12x10) transpose_a=true",
        "matmul(2x3x8x12, 2x3x10x12) transpose_b=true",
        "matmul(2x3x12x8, 3x10x12) transpose_a=true transpose_b=true",
        "matmul(2x1x8x12, 3x12x10)",
        "pooling(2x16x9x9) kernel=3x3 stride=2x2",
        "pooling(2x5x9x9) kernel=3x3 stride=2x2 pad_begin=1x1 pad_end=1x1",
        "pooling(2x16x8x8) kernel=3x3 stride=2x2 ceil_mode=true",
        "pooling(2x16x9x9) kernel=2x2 dilation=2x2",
        "pooling(2x16x9x9) kind=average kernel=3x3 stride=2x2 pad_begin=1x1 pad_end=1x1",
        "pooling(2x16x9x9) kind=average kernel=3x3 pad_begin=1x0 pad_end=0x1 "
        "count_include_pad=true",
        "pooling(2x16x8x8) kind=average kernel=3x3 stride=2x2 ceil_mode=true",
        "pooling(2x20x8x8) kind=average kernel=3x3 stride=2x2 pad_end=0x1 ceil_mode=true "
        "count_include_pad=true",
        "pooling(2x16x12) kernel=3 stride=2 pad_begin=1",
        "pooling(2x16x12) kind=average kernel=3 stride=2",
        "pooling(2x16x5x6x7) kernel=2x3x3 stride=1x2x2",
        "pooling(2x16x5x6x7) kind=average kernel=2x3x2 pad_begin=1x1x0 pad_end=0x1x1",
        "pooling(2x6x5x6x7) kind=average kernel=2x2x2 stride=2x2x2 ceil_mode=true "
        "count_include_pad=true pad_begin=1x0x0",
        "pooling(2x16x7x7) kind=average global=true",
        "pooling(2x16x7x7) global=true",
        "lrn(2x32x6x6)",
        "lrn(2x20x6x6) size=3 alpha=0.01 beta=0.5 k=2",
        "lrn(2x8x6x6) size=7 alpha=0.1",
        "batch_normalization(4x16x5x5)",
        "batch_normalization(4x10x5x5) epsilon=0.001 momentum=0.8",
        "batch_normalization(6x12)",
        "batch_normalization(4x16x9)",
        "batch_normalization(2x16x3x4x5)",
        "lrn(2x16x9)",
        "lrn(2x16x3x4x5)",
        "batch_normalization(6x4x3x3) scope=per_activation",
        "activation(2x20x5x5)",
        "activation(2x16x5x5) kind=leaky_relu alpha=0.1",
        "activation(2x16x5x5) kind=leaky_relu alpha=-0.1",
        "activation(2x16x5x5) kind=clip alpha=-0.5 beta=0.5",
        "activation(2x16x5x5) kind=elu alpha=0.7",
        "activation(2x16x5x5) kind=sigmoid",
        "activation(2x20x5x5) kind=hard_sigmoid alpha=0.2 beta=0.5",
        "activation(2x20x5x5) kind=tanh",
        "activation(2x20x5x5) kind=softplus",
        "activation(2x20x5x5) kind=gelu",
        "activation(2x20x5x5) kind=gelu_tanh",
        "activation(2x20x5x5) kind=silu",
        "activation(2x20x5x5) kind=hard_swish",
        "activation(2x20x5x5) kind=mish",
        "activation(2x20x5x5) kind=softsign",
        "activation(2x20x5x5) kind=selu alpha=1.67326 beta=1.0507",
        "activation(2x20x5x5) kind=celu alpha=0.7",
        "activation(2x20x5x5) kind=thresholded_relu alpha=0.3",
        "layer_normalization(3x7x24)",
        "layer_normalization(3x5x7x4) axis=1 epsilon=0.001",
        "layer_normalization(6x33) scale=false",
        "layer_normalization(6x33) shift=false",
        "layer_normalization(6x33) scale=false shift=false",
        "layer_normalization(3x7x24) kind=root_mean_square shift=false",
        "group_normalization(2x6x5x5) groups=3",
        "group_normalization(2x6x5x5)",
        "group_normalization(2x6x5) groups=1 affine=false",
        "group_normalization(4x6) groups=2",
        "attention(2x40x32, 2x40x32, 2x40x32) heads=2",
        "attention(2x40x32, 2x40x32, 2x40x32) heads=4 causal=true",
        "attention(2x7x20, 2x150x20, 2x150x12) heads=4",
        "attention(2x150x24, 2x130x24, 2x130x24) heads=1 causal=true",
        "attention(1x130x24, 1x150x24, 1x150x24) heads=3 causal=true scale=0.3",
        "attention(2x9x64, 2x11x32, 2x11x32) heads=4 kv_heads=2",
        "attention(2x4x9x16, 2x2x11x16, 2x2x11x8) causal=true",
        "attention(2x128x128, 2x128x128, 2x128x128) heads=2 causal=true",
        "attention(1x2x24x64, 1x2x200x64, 1x2x200x64)",
        "attention(2x9x32, 2x16x32, 2x16x32, 9x16:constant) heads=4",
        "attention(2x9x32, 2x16x32, 2x16x32, 2x1x1x16:constant) heads=2",
        "attention(2x9x32, 2x11x32, 2x11x32, 9x11:constant) heads=4",
        "attention(2x9x32, 2x11x32, 2x11x32, 2x1x1x11:constant) heads=4",
        "attention(2x9x32, 2x11x32, 2x11x32, 4x9x1:constant) heads=4 causal=true",
        "softmax(4x10)",
        "softmax(4x10x3x3) axis=1",
        "softmax(4x10x6) axis=-1 logarithm=true",
        "softmax(2x7x20x15) axis=1",
        "softmax(3x7x20) axis=1 logarithm=true",
        "dropout(4x32) probability=0.3 seed=7",
        "dropout(2x20x5x5)",
        "elementwise(2x16x5x5, 2x16x5x5)",
        "elementwise(2x16x5x5, 2x16x5x5, 2x16x5x5)",
        "elementwise(2x6x5x5, 6x1x1:parameter)",
        "elementwise(2x6x5x5, 6x1x1:parameter) kind=multiply",
        "elementwise(2x6x5x5, 2x6x1x1) kind=multiply",
        "elementwise(2x6x5, 2x6x5) kind=subtract",
        "elementwise(2x6x5, 1x6x1) kind=divide",
        "elementwise(2x6x5, 2x6x5, 2x6x5) kind=maximum",
        "elementwise(2x6x5, 2x6x5) kind=minimum",
        "elementwise(2x6x5, 6x5) kind=power",
        "elementwise(2x6x5, 6x5) kind=maximum",
        "elementwise(2x1x5, 6x1) kind=multiply",
        "elementwise(3x700, 3x1) kind=multiply",
        "elementwise(40x3x600, 3x1:parameter) kind=multiply",
        "elementwise(40x600, 600:parameter)",
        "elementwise(600:parameter, 40x600) kind=subtract",
        "elementwise(2x6x5, 6x1:parameter) kind=prelu",
        "elementwise(2x6x5, 6x5) kind=remainder",
        "elementwise(2x6x5, 6x5) kind=less",
        "elementwise(2x6x5, 6x5) kind=greater_or_equal",
        "elementwise(2x6x5:boolean, 6x5:boolean) kind=logical_xor",
        "elementwise(2x6x5:s64, 6x5:s64) kind=divide",
        "elementwise(2x6x5:s64, 6x5:s64)",
        "unary(2x20x5x5) kind=exponential",
        "unary(2x20x5x5) kind=logarithm",
        "unary(2x20x5x5) kind=square_root",
        "unary(2x20x5x5) kind=reciprocal",
        "unary(2x20x5x5) kind=negate",
        "unary(2x20x5x5) kind=absolute",
        "unary(2x20x5x5) kind=sign",
        "unary(2x20x5x5) kind=error_function",
        "unary(2x20x5x5) kind=floor",
        "unary(2x20x5x5) kind=round",
        "unary(2x20x5x5) kind=sine",
        "unary(2x20x5x5) kind=tangent",
        "unary(2x20x5x5) kind=arc_cosine",
        "unary(2x20x5x5) kind=hyperbolic_cosine",
        "unary(2x20x5x5) kind=inverse_hyperbolic_sine",
        "unary(2x20x5x5) kind=inverse_hyperbolic_tangent",
        "unary(2x20x5x5:boolean) kind=logical_not",
        "unary(2x20x5x5) kind=is_nan",
        "select(2x6x1:boolean, 6x5, 2x6x5)",
        "select(40x600:boolean, 600:parameter, scalar:parameter)",
        "reduction(2x6x5x5) axes=2x3",
        "reduction(2x6x5x5) axes=0x2 kind=mean keep_axes=false",
        "reduction(2x6x5x5) axes=1 kind=maximum",
        "reduction(2x6x5x5) axes=-1 kind=minimum",
        "reduction(2x6x5) kind=product axes=1",
        "reduction(2x6x5) kind=product",
        "reduction(2x6x5) axes=0 kind=sum_of_squares",
        "reduction(2x6x5) axes=1 kind=l1",
        "reduction(2x6x5) axes=2 kind=l2",
        "reduction(2x6x5) axes=1 kind=log_sum_exp",
        "reduction(2x6x500) axes=2 kind=log_sum_exp",
        "reduction(70x600)",
        "reduction(70x600) axes=0",
        "reduction(70x600) axes=1 kind=mean",
        "reduction(70x600:parameter) axes=0 kind=maximum",
        "reduction(40x30x50) axes=0x2",
        "hardmax(4x10)",
        "hardmax(4x10x3) axis=1",
        "hardmax(70x600)",
        "top_k(4x10) k=3",
        "top_k(4x10x3) k=2 axis=1 largest=false",
        "top_k(4x70) k=40",
        "slice(2x40x5x5) axes=1 starts=16 extents=16",
        "slice(2x6x9) axes=2 starts=8 extents=4 steps=-2",
        "slice(6x9) axes=1x0 starts=1x2 extents=3x4 steps=3x1",
        "gather(10x8, 2x3:s64)",
        "gather(10x8:parameter, 20:s64)",
        "gather(4x10x8, 5:s64) axis=1",
        "gather(4x10, 5:s64) axis=-1",
        "gather(4x10:s64, 5:s64) axis=-1",
        "expand(3x1) dims=2x3x4",
        "expand(1x1x8:parameter) dims=4x1x8",
        "expand(scalar) dims=300x100",
        "cast(2x6x5) dtype=s64",
        "cast(2x6x5:s64) dtype=f32",
        "cast(2x6x5) dtype=bf16",
        "cast(2x6x5:s32) dtype=boolean",
        "concat(2x16x5x5, 2x32x5x5)",
        "concat(2x6x5x5, 2x10x5x5, 2x3x5x5)",
        "concat(2x6x5x5, 2x6x3x5) axis=2",
        "reshape(2x6x5x5) dims=2x150",
        "transpose(2x6x5x4) permutation=0x2x3x1",
        "transpose(2x6x5) permutation=2x0x1",
        "pad(2x3x5x5) begin=0x0x1x2 end=0x0x2x1 value=0.5",
        "pad(2x3x5x5) begin=0x0x1x2 end=0x0x2x1 kind=reflect",
        "pad(2x3x5x5) begin=0x0x1x0 end=0x1x2x1 kind=edge",
        "pad(2x3x5x5) begin=0x0x-1x0 end=0x0x2x-1",
        "softmax_cross_entropy(6x10)",
        "identity(2x20x5x5)",
        "embedding(6x5:s64) rows=11 width=24",
        "recurrent(5x4x24) hidden=32",
        "recurrent(1x3x8) hidden=16",
        "recurrent(5x4x24) hidden=20 direction=reverse bias=false",
        "recurrent(5x4x24) hidden=16 direction=bidirectional layers=2",
        "recurrent(5x4x24, 2x4x16, 2x4x16) hidden=16 layers=2 final_state=true",
        "recurrent(5x4x24, 2x4x16, 2x4x16) hidden=16 direction=bidirectional final_state=true",
        "recurrent(5x7x24) hidden=128 direction=bidirectional",
        "recurrent(5x3x24, 1x3x128) cell=gru hidden=128",
        "recurrent(5x3x24) cell=gru hidden=128 reset_after=true direction=reverse",
        "recurrent(5x26x24) cell=rnn_tanh hidden=128",
        "recurrent(5x4x24) cell=rnn_tanh hidden=16",
        "recurrent(5x4x24) cell=rnn_relu hidden=16 direction=bidirectional",
        "recurrent(5x4x24, 1x4x16) cell=rnn_tanh hidden=16 direction=reverse final_state=true",
        "recurrent(5x4x24) cell=gru hidden=16",
        "recurrent(5x4x24, 2x4x16) cell=gru hidden=16 direction=bidirectional final_state=true",
        "recurrent(5x4x24) cell=gru hidden=16 reset_after=true layers=2",
        "recurrent(5x4x24, 1x4x16) cell=gru hidden=16 reset_after=true direction=reverse "
        "final_state=true",
        "recurrent(5x4x24) cell=gru hidden=16 reset_after=true bias=false direction=bidirectional",
    };
    return problems;
}

const std::vector<std::string>& inner_problems() {
    static const std::vector<std::string> problems = {
        "pooling(2x32x9x9) kernel=3x3 stride=2x2 ceil_mode=true",
        "pooling(2x20x9x9) kind=average kernel=3x3 pad_begin=1x1 pad_end=1x1",
        "pooling(2x20x8x8) kind=average kernel=3x3 stride=2x2 ceil_mode=true "
        "count_include_pad=true",
        "transposed_convolution(2x32x5x5) out_channels=16 kernel=2x2 stride=2x2",
        "resize(2x32x5x5) sizes=10x10",
        "resize(2x32x5x5) sizes=9x10 interpolation=linear",
        "resize(2x20x5x5) sizes=9x10 interpolation=linear coordinates=align_corners",
        "lrn(2x32x6x6)",
        "batch_normalization(4x32x5x5)",
        "batch_normalization(4x20x5x5)",
        "batch_normalization(6x16x3x3) scope=per_activation",
        "activation(2x20x5x5)",
        "activation(2x20x5x5) kind=sigmoid",
        "activation(2x20x5x5) kind=hard_sigmoid alpha=0.2 beta=0.5",
        "activation(2x20x5x5) kind=gelu",
        "activation(2x20x5x5) kind=softsign",
        "layer_normalization(2x20x5x6)",
        "group_normalization(2x20x5x5) groups=5",
        "softmax(2x20x5x5) axis=1",
        "dropout(2x20x5x5)",
        "transpose(2x20x5x4) permutation=0x3x1x2",
        "reshape(2x20x5x4) dims=2x5x20x4",
        "pad(2x20x5x5) begin=0x0x1x2 end=0x0x2x1",
        "identity(2x20x5x5)",
        "slice(2x40x5x5) axes=1 starts=16 extents=16",
        "slice(2x40x5x5) axes=1 starts=7 extents=20",
        "slice(2x20x5x5) axes=3 starts=4 extents=2 steps=-2",
        "gather(2x20x5x5, 7:s64:constant) axis=1",
        "unary(2x20x5x5) kind=exponential",
        "unary(2x20x5x5) kind=error_function",
        "unary(2x20x5x5) kind=reciprocal",
        "reduction(2x20x5x5) axes=2x3",
        "cast(2x20x5x5) dtype=f16",
        "elementwise(2x20x5x5, 2x20x1x1) kind=multiply",
        "elementwise(2x32x5x5, 2x32x1x1) kind=multiply",
        "elementwise(2x20x5x5, 20x1x1:parameter)",
        "elementwise(2x20x5x5, 20x1x1:constant) kind=divide",
        "elementwise(2x20x5x5, 2x20x5x5) kind=maximum",
    };
    return problems;
}

Graph graph_of_problem(const std::string& text) {
    const Problem problem = parse_problem(text);
    GraphBuilder builder("problem");
    std::vector<TensorId> operands;
    for (const Operand& operand : problem.activations) {
        operands.push_back(further_operand(builder, operand, operands.size()));
    }
    builder.add("layer", problem.op, operands);
    return builder.finish();
}

Graph graph_between_convolutions(const std::string& text) {
    const Problem problem = parse_problem(text);
    GraphBuilder builder("problem");
    const TensorId x = builder.input("x", problem.activations[0].tensor);
    std::vector<TensorId> operands = {
        builder.add("before", pointwise(builder.tensor(x).dims[1]), {x})};
    for (std::size_t i = 1; i < problem.activations.size(); ++i) {
        operands.push_back(further_operand(builder, problem.activations[i], i));
    }
    const TensorId y = builder.add("layer", problem.op, operands);
    builder.add("after", pointwise(builder.tensor(y).dims[1]), {y});
    return builder.finish();
}

std::string name_of_case(const ::testing::TestParamInfo<std::string>& info) {
    std::string name = std::to_string(info.index) + "_" + info.param;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

}  // namespace strata::testing
