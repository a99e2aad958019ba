// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/operation_graph.h"

#include "base/error.h"

#include <algorithm>

namespace strata::cuda {

namespace {

Descriptor pointwise_descriptor(cudnnPointwiseMode_t mode, cudnnDataType_t computed) {
    Descriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    how.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
    how.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &computed);
    return how;
}

}  // namespace

cudnnDataType_t data_type(ElementType type) {
    switch (type) {
        case ElementType::f16:
            return CUDNN_DATA_HALF;
        case ElementType::bf16:
            return CUDNN_DATA_BFLOAT16;
        case ElementType::f32:
            break;
    }
    return CUDNN_DATA_FLOAT;
}

void OperationGraph::add_tensor(std::int64_t number, const TensorShape& shape, bool passes,
                                bool by_value) {
    Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &shape.type);
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, shape.dims);
    tensor.set(CUDNN_ATTR_TENSOR_STRIDES, shape.strides);
    tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &passes);
    tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
    tensor.finalize();
    tensors_.emplace_back(number, std::move(tensor));
}

void OperationGraph::add_in_memory(std::int64_t number, const TensorShape& shape) {
    add_tensor(number, shape, false, false);
}

void OperationGraph::add_scalar(std::int64_t number, cudnnDataType_t type) {
    add_tensor(number, {{1, 1, 1, 1}, {1, 1, 1, 1}, type}, false, true);
}

std::int64_t OperationGraph::add_passing(const TensorShape& shape) {
    add_tensor(next_passing_, shape, true, false);
    return next_passing_++;
}

const Descriptor& OperationGraph::tensor(std::int64_t number) const {
    const auto found =
        std::ranges::find_if(tensors_, [&](const auto& known) { return known.first == number; });
    check(found != tensors_.end(), "an operation's tensor is not in its graph");
    return found->second;
}

void OperationGraph::matmul(std::int64_t a, std::int64_t b, std::int64_t y,
                            const CountingRows& counts) {
    const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
    how.finalize();
    Descriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, tensor(a));
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, tensor(b));
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, tensor(y));
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
    if (counts.m) {
        operation.set(CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, tensor(*counts.m));
    }
    if (counts.n) {
        operation.set(CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, tensor(*counts.n));
    }
    if (counts.k) {
        operation.set(CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, tensor(*counts.k));
    }
    operation.finalize();
    operations_.push_back(std::move(operation));
}

void OperationGraph::add_pointwise(const Descriptor& how, std::int64_t x,
                                   std::optional<std::int64_t> b,
                                   std::optional<std::int64_t> condition, std::int64_t y) {
    Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(x));
    if (b) {
        operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor(*b));
    }
    if (condition) {
        operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, tensor(*condition));
    }
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(y));
    operation.finalize();
    operations_.push_back(std::move(operation));
}

void OperationGraph::pointwise(cudnnPointwiseMode_t mode, std::int64_t x,
                               std::optional<std::int64_t> b, std::int64_t y,
                               cudnnDataType_t computed) {
    Descriptor how = pointwise_descriptor(mode, computed);
    how.finalize();
    add_pointwise(how, x, b, {}, y);
}

void OperationGraph::select(std::int64_t condition, std::int64_t x, std::int64_t other,
                            std::int64_t y) {
    Descriptor how = pointwise_descriptor(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT);
    how.finalize();
    add_pointwise(how, x, other, condition, y);
}

void OperationGraph::index(std::int64_t x, std::int64_t axis, std::int64_t y) {
    Descriptor how = pointwise_descriptor(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT);
    how.set(CUDNN_ATTR_POINTWISE_AXIS, axis);
    how.finalize();
    add_pointwise(how, x, {}, {}, y);
}

void OperationGraph::reduce(cudnnReduceTensorOp_t operation, std::int64_t x, std::int64_t y) {
    const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    Descriptor how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    how.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &operation);
    how.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
    how.finalize();
    Descriptor reduction(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    reduction.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, tensor(x));
    reduction.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, tensor(y));
    reduction.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
    reduction.finalize();
    operations_.push_back(std::move(reduction));
}

void OperationGraph::reshape(std::int64_t x, std::int64_t y) {
    Descriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, tensor(x));
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, tensor(y));
    operation.finalize();
    operations_.push_back(std::move(operation));
}

Descriptor OperationGraph::finish(const PlanTarget& target) const {
    std::vector<cudnnBackendDescriptor_t> operations;
    for (const Descriptor& operation : operations_) {
        operations.push_back(operation.get());
    }
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::ssize(operations),
              operations.data());
    target.set_on(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, {});
    graph.finalize();
    return graph;
}

}  // namespace strata::cuda
