// SPDX-License-Identifier: MIT
#include "graph/onnx/convert/converters.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

struct Entry {
    std::string_view op_type;
    Converter convert;
};

// THE list: every ONNX operator that becomes a layer, in one line each.
constexpr std::array converters = {
    Entry{"Add", convert_add},
    Entry{"AveragePool", convert_average_pool},
    Entry{"BatchNormalization", convert_batch_normalization},
    Entry{"Cast", convert_cast},
    Entry{"Clip", convert_clip},
    Entry{"Concat", convert_concat},
    Entry{"Conv", convert_convolution},
    Entry{"Div", convert_divide},
    Entry{"Dropout", convert_dropout},
    Entry{"Elu", convert_elu},
    Entry{"Flatten", convert_flatten},
    Entry{"Gemm", convert_gemm},
    Entry{"GlobalAveragePool", convert_global_average_pool},
    Entry{"GlobalMaxPool", convert_global_max_pool},
    Entry{"HardSigmoid", convert_hard_sigmoid},
    Entry{"Identity", convert_identity},
    Entry{"LRN", convert_lrn},
    Entry{"LeakyRelu", convert_leaky_relu},
    Entry{"LogSoftmax", convert_log_softmax},
    Entry{"MatMul", convert_matmul},
    Entry{"Max", convert_maximum},
    Entry{"MaxPool", convert_max_pool},
    Entry{"Min", convert_minimum},
    Entry{"Mul", convert_multiply},
    Entry{"Pad", convert_pad},
    Entry{"ReduceMean", convert_reduce_mean},
    Entry{"Relu", convert_relu},
    Entry{"Reshape", convert_reshape},
    Entry{"Sigmoid", convert_sigmoid},
    Entry{"Softmax", convert_softmax},
    Entry{"Softplus", convert_softplus},
    Entry{"Squeeze", convert_squeeze},
    Entry{"Sub", convert_subtract},
    Entry{"Sum", convert_add},
    Entry{"Tanh", convert_tanh},
    Entry{"Transpose", convert_transpose},
    Entry{"Unsqueeze", convert_unsqueeze},
};

}  // namespace

Converter find_converter(std::string_view op_type) {
    const auto found = std::ranges::find(converters, op_type, &Entry::op_type);
    return found == converters.end() ? nullptr : found->convert;
}

}  // namespace strata
