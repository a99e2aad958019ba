// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/format.h"

#include <optional>

namespace strata::cuda {

cudnnDataType_t data_type(ElementType type);

// Extents, strides and element type of a tensor in a graph.
struct TensorShape {
    Dims dims = {};
    Dims strides = {};
    cudnnDataType_t type = CUDNN_DATA_FLOAT;

    TensorShape as(cudnnDataType_t other) const { return {dims, strides, other}; }
};

// The numbers of tensors that hold, for each image of the batch, how many rows of a matrix are
// valid.
struct CountingRows {
    std::optional<std::int64_t> m = {};
    std::optional<std::int64_t> n = {};
    std::optional<std::int64_t> k = {};
};

// Builds one of cuDNN's graphs from several operations. A tensor is identified by its number,
// including when the plan runs. The caller chooses the numbers of tensors in memory and of scalars,
// below `first_passing`. Functions throw DeviceError if cuDNN refuses.
class OperationGraph {
public:
    static constexpr std::int64_t first_passing = 1000;

    void add_in_memory(std::int64_t number, const TensorShape& shape);
    // Read from the host's memory when the plan runs.
    void add_scalar(std::int64_t number, cudnnDataType_t type);
    // An intermediate tensor, passed from one operation to the next.
    std::int64_t add_passing(const TensorShape& shape);

    void matmul(std::int64_t a, std::int64_t b, std::int64_t y, const CountingRows& counts = {});
    // y = mode(x), or mode(x, b).
    void pointwise(cudnnPointwiseMode_t mode, std::int64_t x, std::optional<std::int64_t> b,
                   std::int64_t y, cudnnDataType_t computed = CUDNN_DATA_FLOAT);
    // y = condition ? x : other.
    void select(std::int64_t condition, std::int64_t x, std::int64_t other, std::int64_t y);
    // The index of each element of x along an axis.
    void index(std::int64_t x, std::int64_t axis, std::int64_t y);
    void reduce(cudnnReduceTensorOp_t operation, std::int64_t x, std::int64_t y);
    void reshape(std::int64_t x, std::int64_t y);

    // An operation of any other kind on the graph's tensors.
    void add(Descriptor operation) { operations_.push_back(std::move(operation)); }
    const Descriptor& tensor(std::int64_t number) const;

    Descriptor finish(const PlanTarget& target) const;

private:
    void add_tensor(std::int64_t number, const TensorShape& shape, bool passes, bool by_value);
    void add_pointwise(const Descriptor& how, std::int64_t x, std::optional<std::int64_t> b,
                       std::optional<std::int64_t> condition, std::int64_t y);

    std::vector<std::pair<std::int64_t, Descriptor>> tensors_;
    std::vector<Descriptor> operations_;
    std::int64_t next_passing_ = first_passing;
};

}  // namespace strata::cuda
