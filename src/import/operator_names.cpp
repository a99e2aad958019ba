// SPDX-License-Identifier: MIT
#include "import/layers.h"

#include <algorithm>
#include <cctype>

namespace strata {

namespace {

struct OperatorName {
    std::string_view name;  // in lower case, without prefix unless it is ambiguous
    std::string_view type;  // like type_of(op) or, for activations, kind_of(op)
};

// THE list: the names of strata's operators in oneDNN, PyTorch, ONNX (Runtime) and TensorFlow.
constexpr std::array operator_names = {
    OperatorName{"conv", "convolution"},
    OperatorName{"conv1d", "convolution"},
    OperatorName{"conv2d", "convolution"},
    OperatorName{"conv3d", "convolution"},
    OperatorName{"convolution", "convolution"},
    OperatorName{"cudnn_convolution", "convolution"},
    OperatorName{"mkldnn_convolution", "convolution"},
    OperatorName{"fusedconv", "convolution"},
    OperatorName{"fusedconv2d", "convolution"},
    OperatorName{"depthwiseconv2dnative", "convolution"},
    OperatorName{"convtranspose", "transposed_convolution"},
    OperatorName{"conv_transpose2d", "transposed_convolution"},
    OperatorName{"deconvolution", "transposed_convolution"},
    OperatorName{"linear", "product"},
    OperatorName{"addmm", "product"},
    OperatorName{"mm", "product"},
    OperatorName{"bmm", "product"},
    OperatorName{"gemm", "product"},
    OperatorName{"fusedgemm", "product"},
    OperatorName{"matmul", "product"},
    OperatorName{"fusedmatmul", "product"},
    OperatorName{"batchmatmulv2", "product"},
    OperatorName{"inner_product", "product"},
    OperatorName{"scaled_dot_product_attention", "attention"},
    OperatorName{"attention", "attention"},
    OperatorName{"multiheadattention", "attention"},
    OperatorName{"lstm", "recurrent"},
    OperatorName{"gru", "recurrent"},
    OperatorName{"rnn", "recurrent"},
    OperatorName{"rnn_tanh", "recurrent"},
    OperatorName{"cudnnrnnv3", "recurrent"},
    OperatorName{"embedding", "embedding"},
    OperatorName{"max_pool2d", "max_pooling"},
    OperatorName{"maxpool", "max_pooling"},
    OperatorName{"avg_pool2d", "average_pooling"},
    OperatorName{"adaptive_avg_pool2d", "average_pooling"},
    OperatorName{"mean", "average_pooling"},  // over an image, as used in models
    OperatorName{"averagepool", "average_pooling"},
    OperatorName{"globalaveragepool", "average_pooling"},
    OperatorName{"avgpool", "average_pooling"},
    OperatorName{"pooling_max", "max_pooling"},
    OperatorName{"pooling_avg", "average_pooling"},
    OperatorName{"pooling_avg_include_padding", "average_pooling"},
    OperatorName{"pooling_avg_exclude_padding", "average_pooling"},
    OperatorName{"lrn", "lrn"},
    OperatorName{"local_response_norm", "lrn"},
    OperatorName{"batch_norm", "batch_normalization"},
    OperatorName{"batchnormalization", "batch_normalization"},
    OperatorName{"fusedbatchnormv3", "batch_normalization"},
    OperatorName{"batch_normalization", "batch_normalization"},
    OperatorName{"layer_norm", "layer_normalization"},
    OperatorName{"layernormalization", "layer_normalization"},
    OperatorName{"layer_normalization", "layer_normalization"},
    OperatorName{"group_norm", "group_normalization"},
    OperatorName{"group_normalization", "group_normalization"},
    OperatorName{"relu", "relu"},
    OperatorName{"relu_", "relu"},
    OperatorName{"eltwise_relu", "relu"},
    OperatorName{"sigmoid", "sigmoid"},
    OperatorName{"eltwise_logistic", "sigmoid"},
    OperatorName{"tanh", "tanh"},
    OperatorName{"eltwise_tanh", "tanh"},
    OperatorName{"gelu", "gelu"},
    OperatorName{"eltwise_gelu_erf", "gelu"},
    OperatorName{"eltwise_gelu_tanh", "gelu"},
    OperatorName{"silu", "silu"},
    OperatorName{"eltwise_swish", "silu"},
    OperatorName{"softmax", "softmax"},
    OperatorName{"softmax_accurate", "softmax"},
    OperatorName{"log_softmax", "softmax"},
    OperatorName{"cross_entropy_loss", "softmax_cross_entropy"},
    OperatorName{"sparsesoftmaxcrossentropywithlogits", "softmax_cross_entropy"},
    OperatorName{"softmaxcrossentropywithlogits", "softmax_cross_entropy"},
    OperatorName{"dropout", "dropout"},
    OperatorName{"add", "add"},
    OperatorName{"add_", "add"},
    OperatorName{"addv2", "add"},
    OperatorName{"binary_add", "add"},
    OperatorName{"aten::sum", "reduce_sum"},
    OperatorName{"sum", "add"},
    OperatorName{"sub", "subtract"},
    OperatorName{"mul", "multiply"},
    OperatorName{"mul_", "multiply"},
    OperatorName{"binary_mul", "multiply"},
    OperatorName{"div", "divide"},
    OperatorName{"realdiv", "divide"},
    OperatorName{"pow", "power"},
    OperatorName{"sqrt", "square_root"},
    OperatorName{"rsqrt", "square_root"},  // then its reciprocal
    OperatorName{"reciprocal", "reciprocal"},
    OperatorName{"exp", "exponential"},
    OperatorName{"log", "logarithm"},
    OperatorName{"neg", "negate"},
    OperatorName{"abs", "absolute"},
    OperatorName{"erf", "error_function"},
    OperatorName{"sin", "sine"},
    OperatorName{"cos", "cosine"},
    OperatorName{"reducemean", "average_pooling"},
    OperatorName{"cat", "concat"},
    OperatorName{"concat", "concat"},
    OperatorName{"concatv2", "concat"},
    OperatorName{"flatten", "reshape"},
    OperatorName{"reshape", "reshape"},
    OperatorName{"view", "reshape"},
    OperatorName{"transpose", "transpose"},
    OperatorName{"pad", "pad"},
};

constexpr std::array name_prefixes = {std::string_view("aten::"), std::string_view("_MklNative"),
                                      std::string_view("_Mkl"), std::string_view("_")};

}  // namespace

std::string_view type_of_operator(std::string_view name) {
    const std::string_view whole = name;
    for (const std::string_view prefix : name_prefixes) {
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
        }
    }
    const auto same = [&](const OperatorName& one) {
        return whole == one.name || std::ranges::equal(name, one.name, [](char a, char b) {
                   return std::tolower(static_cast<unsigned char>(a)) == b;
               });
    };
    const auto found = std::ranges::find_if(operator_names, same);
    return found == operator_names.end() ? std::string_view() : found->type;
}

bool is_heavy(std::string_view type) {
    return type == "convolution" || type == "product" || type == "recurrent" ||
           type == "attention" || type == "transposed_convolution";
}

}  // namespace strata
