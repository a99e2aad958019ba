// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/convolution.h"

#include "backend/cuda/cudnn/operation_graph.h"
#include "backend/cuda/machine.h"

#include <fmt/format.h>

namespace strata::cuda {

namespace {

// cuDNN wants two spatial axes at least: a sequence is an image of one column.
Dims with_two_axes(Dims values, std::size_t spatial, std::int64_t added) {
    if (spatial == 1) {
        values.push_back(added);
    }
    return values;
}

std::size_t spatial_axes(const ConvolutionProblem& problem) {
    return problem.x.size() - 2;
}

Descriptor tensor_descriptor(const ConvolutionProblem& problem, ConvolutionTensor which,
                             const Dims& own) {
    const Dims dims = with_two_axes(own, spatial_axes(problem), 1);
    const cudnnDataType_t type = data_type(problem.format.type);
    Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, static_cast<std::int64_t>(which));
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
    tensor.set(CUDNN_ATTR_TENSOR_STRIDES, strides_of(dims, problem.format.order));
    tensor.finalize();
    return tensor;
}

Descriptor window_descriptor(const ConvolutionProblem& problem) {
    const std::size_t spatial = spatial_axes(problem);
    const Window& w = problem.window;
    const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    Descriptor window(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    window.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
    window.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    window.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
               static_cast<std::int64_t>(spatial == 1 ? 2 : spatial));
    window.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, with_two_axes(w.pad_begin, spatial, 0));
    window.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, with_two_axes(w.pad_end, spatial, 0));
    window.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, with_two_axes(w.stride, spatial, 1));
    window.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, with_two_axes(w.dilation, spatial, 1));
    window.finalize();
    return window;
}

// The names of one direction's attributes.
struct Attributes {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t x, w, y, window, alpha, beta;
};

Attributes attributes_of(Pass pass) {
    switch (pass) {
        case Pass::backward_data:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
        case Pass::backward_weights:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
        default:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    }
}

}  // namespace

Descriptor convolution_graph(const ConvolutionProblem& problem) {
    const Attributes names = attributes_of(problem.pass);
    const float one = 1;
    const float zero = 0;
    Descriptor operation(names.type);
    operation.set(names.x, tensor_descriptor(problem, ConvolutionTensor::x, problem.x));
    operation.set(names.w, tensor_descriptor(problem, ConvolutionTensor::w, problem.w));
    operation.set(names.y, tensor_descriptor(problem, ConvolutionTensor::y, problem.y));
    operation.set(names.window, window_descriptor(problem));
    operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1, &one);
    operation.set(names.beta, CUDNN_TYPE_FLOAT, 1, &zero);
    operation.finalize();
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    graph.finalize();
    return graph;
}

// Tensor cores take f32 operands as TF32.
bool is_precise_enough(const ConvolutionProblem& problem, const PlanTraits& traits) {
    const bool narrows = traits.notes.tensor_core || traits.notes.down_converts_inputs;
    return problem.format.type != ElementType::f32 || !narrows ||
           problem.single_precision == SinglePrecision::tf32;
}

bool is_asked_for(ConvolutionAlgorithm algorithm, const PlanTraits& traits) {
    switch (algorithm) {
        case ConvolutionAlgorithm::direct:
            return !traits.notes.winograd && !traits.notes.fft;
        case ConvolutionAlgorithm::winograd:
            return traits.notes.winograd;
        case ConvolutionAlgorithm::automatic:
            break;
    }
    return true;
}

std::string text_of(const ConvolutionProblem& problem) {
    return fmt::format("convolution {} {} * {}, {}", name_of(problem.pass), to_text(problem.x),
                       to_text(problem.w), text_of(problem.x, problem.format));
}

}  // namespace strata::cuda
