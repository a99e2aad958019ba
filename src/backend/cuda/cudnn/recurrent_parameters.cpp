// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/recurrent.h"
#include "backend/cuda/device/trouble.h"

#include <fmt/format.h>

#include <array>

namespace strata::cuda {

namespace {

// cuDNN's index of each of our gates; its GRU has the reset gate before the update gate.
std::vector<int> gate_numbers(CellKind cell) {
    switch (cell) {
        case CellKind::lstm:
            return {0, 1, 2, 3};
        case CellKind::gru:
            return {1, 0, 2};
        case CellKind::rnn_tanh:
        case CellKind::rnn_relu:
            break;
    }
    return {0};
}

using Tensor = std::unique_ptr<cudnnTensorStruct, Destroyer<cudnnDestroyTensorDescriptor>>;

Tensor make_tensor() {
    cudnnTensorDescriptor_t made = nullptr;
    require_cudnn(cudnnCreateTensorDescriptor(&made), "making a tensor's descriptor");
    return Tensor(made);
}

// 0 for a descriptor that cuDNN has not filled in.
std::int64_t elements_of(const Tensor& tensor) {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    int rank = 0;
    std::array<int, 3> dims = {};
    std::array<int, 3> strides = {};
    const cudnnStatus_t status =
        cudnnGetTensorNdDescriptor(tensor.get(), 3, &type, &rank, dims.data(), strides.data());
    return status == CUDNN_STATUS_SUCCESS && rank == 3 ? std::int64_t{dims[0]} * dims[1] * dims[2]
                                                       : 0;
}

// The matrix and bias of one of a cell's products, within cuDNN's parameters.
struct Found {
    std::int64_t matrix_elements = 0;
    std::int64_t bias_elements = 0;
    const std::byte* matrix = nullptr;
    const std::byte* bias = nullptr;
};

Found find(const Queue& queue, cudnnRNNDescriptor_t rnn, std::size_t cell, const void* all,
           std::size_t bytes, int number) {
    const Tensor matrix = make_tensor();
    const Tensor bias = make_tensor();
    void* matrix_at = nullptr;
    void* bias_at = nullptr;
    require_cudnn(
        cudnnGetRNNWeightParams(queue.cudnn, rnn, static_cast<std::int32_t>(cell), bytes, all,
                                number, matrix.get(), &matrix_at, bias.get(), &bias_at),
        "looking for a recurrent layer's parameters");
    return {elements_of(matrix), bias_at == nullptr ? 0 : elements_of(bias),
            static_cast<const std::byte*>(matrix_at), static_cast<const std::byte*>(bias_at)};
}

// Refuses to compute with parameters that are not where we expect them.
std::size_t checked_offset(const void* all, const std::byte* part, std::int64_t found,
                           std::int64_t wanted) {
    if (part == nullptr || found != wanted) {
        throw DeviceError(
            DeviceTrouble::library_refused,
            fmt::format("cuDNN has {} numbers where a recurrent layer's gate has {}; please report "
                        "the layer and cuDNN's version",
                        found, wanted));
    }
    return static_cast<std::size_t>(part - static_cast<const std::byte*>(all));
}

}  // namespace

void RecurrentLibrary::find_parameters(const Queue& queue) {
    const auto cells = static_cast<std::size_t>(problem_.op.layers * directions());
    for (std::size_t cell = 0; cell < cells; ++cell) {
        find_parameters_of(queue, cell);
    }
}

void RecurrentLibrary::find_parameters_of(const Queue& queue, std::size_t cell) {
    const Recurrent& op = problem_.op;
    const std::int64_t hidden = op.hidden;
    const bool is_first = cell < static_cast<std::size_t>(directions());
    const std::int64_t width = is_first ? problem_.features : directions() * hidden;
    const std::vector<int> numbers = gate_numbers(op.cell);
    const std::size_t parameter = cell * (op.bias ? 3 : 2);
    const auto gates = static_cast<int>(numbers.size());
    for (std::int64_t gate = 0; gate < gates; ++gate) {
        const int number = numbers[static_cast<std::size_t>(gate)];
        add_matrix(queue, cell, number, {parameter, gate * hidden * width, hidden * width});
    }
    for (std::int64_t gate = 0; gate < gates; ++gate) {
        const int number = gates + numbers[static_cast<std::size_t>(gate)];
        add_matrix(queue, cell, number, {parameter + 1, gate * hidden * hidden, hidden * hidden});
    }
    for (std::int64_t gate = 0; op.bias && gate < gates; ++gate) {
        const int number = numbers[static_cast<std::size_t>(gate)];
        add_bias(queue, cell, number, {parameter + 2, gate * hidden, hidden});
    }
    if (op.bias && op.cell == CellKind::gru) {
        add_bias(queue, cell, 2 * gates - 1, {parameter + 2, gates * hidden, hidden});
    }
}

void RecurrentLibrary::add_matrix(const Queue& queue, std::size_t cell, int number, Block block) {
    const Found found = find(queue, rnn_.get(), cell, parameters_.get(), parameter_bytes_, number);
    block.offset =
        checked_offset(parameters_.get(), found.matrix, found.matrix_elements, block.count);
    add(block);
}

void RecurrentLibrary::add_bias(const Queue& queue, std::size_t cell, int number, Block block) {
    const Found found = find(queue, rnn_.get(), cell, parameters_.get(), parameter_bytes_, number);
    block.offset = checked_offset(parameters_.get(), found.bias, found.bias_elements, block.count);
    add(block);
}

// Gates that are adjacent on both sides are copied together.
void RecurrentLibrary::add(const Block& block) {
    if (!blocks_.empty()) {
        Block& last = blocks_.back();
        const bool follows = last.parameter == block.parameter &&
                             last.first + last.count == block.first &&
                             last.offset + 4 * static_cast<std::size_t>(last.count) == block.offset;
        if (follows) {
            last.count += block.count;
            return;
        }
    }
    blocks_.push_back(block);
}

void RecurrentLibrary::copy(const Queue& queue, std::byte* to, const std::byte* from,
                            std::int64_t elements) const {
    require_cuda(cudaMemcpyAsync(to, from, 4 * static_cast<std::size_t>(elements),
                                 cudaMemcpyDeviceToDevice, queue.stream),
                 "copying a recurrent layer's parameters");
}

void RecurrentLibrary::copy_parameters(const Queue& queue, const RecurrentAddresses& at) const {
    for (const Block& block : blocks_) {
        copy(queue, static_cast<std::byte*>(parameters_.get()) + block.offset,
             static_cast<const std::byte*>(at.parameters[block.parameter]) + 4 * block.first,
             block.count);
    }
}

}  // namespace strata::cuda
