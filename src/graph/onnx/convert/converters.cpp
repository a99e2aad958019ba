// SPDX-License-Identifier: MIT
#include "graph/onnx/convert/converters.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

// THE list: every ONNX operator that becomes a layer, in one line each.
constexpr std::array converters = {
    Converter{"Add", convert_add},
    Converter{"AveragePool", convert_average_pool},
    Converter{"BatchNormalization", convert_batch_normalization},
    Converter{"Cast", convert_cast, Elements::any},
    Converter{"Clip", convert_clip},
    Converter{"Concat", convert_concat, Elements::any},
    Converter{"Conv", convert_convolution},
    Converter{"Div", convert_divide},
    Converter{"Dropout", convert_dropout},
    Converter{"Elu", convert_elu},
    Converter{"Flatten", convert_flatten, Elements::any},
    Converter{"Gemm", convert_gemm},
    Converter{"GlobalAveragePool", convert_global_average_pool},
    Converter{"GlobalMaxPool", convert_global_max_pool},
    Converter{"HardSigmoid", convert_hard_sigmoid},
    Converter{"Identity", convert_identity, Elements::any},
    Converter{"LRN", convert_lrn},
    Converter{"LeakyRelu", convert_leaky_relu},
    Converter{"LogSoftmax", convert_log_softmax},
    Converter{"MatMul", convert_matmul},
    Converter{"Max", convert_maximum},
    Converter{"MaxPool", convert_max_pool},
    Converter{"Min", convert_minimum},
    Converter{"Mul", convert_multiply},
    Converter{"Pad", convert_pad, Elements::any},
    Converter{"ReduceMean", convert_reduce_mean},
    Converter{"Relu", convert_relu},
    Converter{"Reshape", convert_reshape, Elements::any},
    Converter{"Sigmoid", convert_sigmoid},
    Converter{"Softmax", convert_softmax},
    Converter{"Softplus", convert_softplus},
    Converter{"Squeeze", convert_squeeze, Elements::any},
    Converter{"Sub", convert_subtract},
    Converter{"Sum", convert_add},
    Converter{"Tanh", convert_tanh},
    Converter{"Transpose", convert_transpose, Elements::any},
    Converter{"Unsqueeze", convert_unsqueeze, Elements::any},
};

}  // namespace

const Converter* find_converter(std::string_view op_type) {
    const auto found = std::ranges::find(converters, op_type, &Converter::op_type);
    return found == converters.end() ? nullptr : &*found;
}

}  // namespace strata
