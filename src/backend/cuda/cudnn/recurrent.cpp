// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/recurrent.h"

#include "backend/cuda/device/trouble.h"
#include "backend/cuda/device/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace strata::cuda {

namespace {

constexpr cudnnForwardMode_t mode_of(const RecurrentProblem& problem) {
    return problem.trains ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
}

cudnnRNNMode_t cell_of(CellKind cell) {
    switch (cell) {
        case CellKind::rnn_tanh:
            return CUDNN_RNN_TANH;
        case CellKind::rnn_relu:
            return CUDNN_RNN_RELU;
        case CellKind::gru:
            return CUDNN_GRU;
        case CellKind::lstm:
            break;
    }
    return CUDNN_LSTM;
}

// A GRU's fourth block is a bias of the state's product.
cudnnRNNBiasMode_t bias_of(const Recurrent& op) {
    if (!op.bias) {
        return CUDNN_RNN_NO_BIAS;
    }
    return op.cell == CellKind::gru ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_SINGLE_INP_BIAS;
}

}  // namespace

bool may_be_cudnn(const RecurrentProblem& problem) {
    const Recurrent& op = problem.op;
    constexpr std::int64_t maximum = std::numeric_limits<std::int32_t>::max();
    const auto sizes = {problem.steps, problem.batch, problem.features, 4 * op.hidden};
    return op.direction != strata::Direction::reverse &&
           (op.cell != CellKind::gru || op.reset_after) && std::ranges::max(sizes) <= maximum;
}

std::string text_of(const RecurrentProblem& problem) {
    const Recurrent& op = problem.op;
    return fmt::format("recurrent {} {}, hidden {}, {} layers, {}",
                       names_of(op.cell)[static_cast<std::size_t>(op.cell)],
                       to_text(Dims{problem.steps, problem.batch, problem.features}), op.hidden,
                       op.layers, names_of(op.direction)[static_cast<std::size_t>(op.direction)]);
}

void RecurrentLibrary::require(cudnnStatus_t status) const {
    if (status != CUDNN_STATUS_SUCCESS) {
        require_cudnn(status, text_of(problem_));
    }
}

std::int64_t RecurrentLibrary::directions() const {
    return problem_.op.direction == strata::Direction::bidirectional ? 2 : 1;
}

void RecurrentLibrary::finalize(const Queue& queue) {
    if (is_finalized_) {
        return;
    }
    describe(queue);
    take_memory(queue);
    find_parameters(queue);
    is_finalized_ = true;
}

// All sequences have the same length, so packed and padded layouts are the same; packed needs no
// padding value.
RecurrentLibrary::Data RecurrentLibrary::sequence_of(std::int64_t features) const {
    cudnnRNNDataDescriptor_t made = nullptr;
    require(cudnnCreateRNNDataDescriptor(&made));
    Data data(made);
    const std::vector<int> lengths(static_cast<std::size_t>(problem_.batch),
                                   static_cast<int>(problem_.steps));
    require(cudnnSetRNNDataDescriptor(
        made, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
        static_cast<int>(problem_.steps), static_cast<int>(problem_.batch),
        static_cast<int>(features), lengths.data(), nullptr));
    return data;
}

RecurrentLibrary::Tensor RecurrentLibrary::states() const {
    cudnnTensorDescriptor_t made = nullptr;
    require(cudnnCreateTensorDescriptor(&made));
    Tensor tensor(made);
    const auto hidden = static_cast<int>(problem_.op.hidden);
    const auto batch = static_cast<int>(problem_.batch);
    const std::array dims = {static_cast<int>(problem_.op.layers * directions()), batch, hidden};
    const std::array strides = {batch * hidden, hidden, 1};
    require(cudnnSetTensorNdDescriptor(made, CUDNN_DATA_FLOAT, 3, dims.data(), strides.data()));
    return tensor;
}

void RecurrentLibrary::describe(const Queue& queue) {
    cudnnDropoutDescriptor_t dropout = nullptr;
    require(cudnnCreateDropoutDescriptor(&dropout));
    dropout_.reset(dropout);
    require(cudnnSetDropoutDescriptor(dropout, queue.cudnn, 0, nullptr, 0, 0));
    cudnnRNNDescriptor_t rnn = nullptr;
    require(cudnnCreateRNNDescriptor(&rnn));
    rnn_.reset(rnn);
    const Recurrent& op = problem_.op;
    const auto hidden = static_cast<std::int32_t>(op.hidden);
    require(cudnnSetRNNDescriptor_v8(
        rnn, CUDNN_RNN_ALGO_STANDARD, cell_of(op.cell), bias_of(op),
        directions() == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
        CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
        problem_.products == SinglePrecision::full ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH,
        static_cast<std::int32_t>(problem_.features), hidden, hidden,
        static_cast<std::int32_t>(op.layers), dropout, CUDNN_RNN_PADDED_IO_DISABLED));
    x_ = sequence_of(problem_.features);
    y_ = sequence_of(directions() * op.hidden);
    states_ = states();
}

void RecurrentLibrary::take_memory(const Queue& queue) {
    require(cudnnGetRNNWeightSpaceSize(queue.cudnn, rnn_.get(), &parameter_bytes_));
    require(cudnnGetRNNTempSpaceSizes(queue.cudnn, rnn_.get(), mode_of(problem_), x_.get(),
                                      &workspace_, &reserve_bytes_));
    kept_bytes_ = 0;
    parameters_ = take(queue, parameter_bytes_);
    if (problem_.trains) {
        gradients_ = take(queue, parameter_bytes_);
        reserve_ = take(queue, reserve_bytes_);
    }
    lengths_ = repeated_integer(queue, problem_.steps, problem_.batch);
}

Memory RecurrentLibrary::take(const Queue& queue, std::size_t bytes) {
    kept_bytes_ += bytes;
    return queue.allocate(bytes);
}

void RecurrentLibrary::forward(const Queue& queue, const RecurrentAddresses& at) const {
    require(cudnnRNNForward(queue.cudnn, rnn_.get(), mode_of(problem_), lengths(), x_.get(),
                            at.x.whole, y_.get(), at.y.whole, states_.get(), at.x.h, at.y.h,
                            states_.get(), at.x.c, at.y.c, parameter_bytes_, parameters_.get(),
                            workspace_, queue.workspace, reserve_bytes_, reserve_.get()));
}

void RecurrentLibrary::backward_data(const Queue& queue, const RecurrentAddresses& at) const {
    require(cudnnRNNBackwardData_v8(queue.cudnn, rnn_.get(), lengths(), y_.get(), at.y.whole,
                                    at.dy.whole, x_.get(), at.dx.whole, states_.get(), at.x.h,
                                    at.dy.h, at.dx.h, states_.get(), at.x.c, at.dy.c, at.dx.c,
                                    parameter_bytes_, parameters_.get(), workspace_,
                                    queue.workspace, reserve_bytes_, reserve_.get()));
}

// cuDNN adds to the existing values.
void RecurrentLibrary::backward_weights(const Queue& queue, const RecurrentAddresses& at) const {
    require_cuda(cudaMemsetAsync(gradients_.get(), 0, parameter_bytes_, queue.stream),
                 "clearing the gradients of a recurrent layer");
    require(cudnnRNNBackwardWeights_v8(queue.cudnn, rnn_.get(), CUDNN_WGRAD_MODE_ADD, lengths(),
                                       x_.get(), at.x.whole, states_.get(), at.x.h, y_.get(),
                                       at.y.whole, parameter_bytes_, gradients_.get(), workspace_,
                                       queue.workspace, reserve_bytes_, reserve_.get()));
    for (const Block& block : blocks_) {
        copy(queue, static_cast<std::byte*>(at.gradients[block.parameter]) + 4 * block.first,
             static_cast<const std::byte*>(gradients_.get()) + block.offset, block.count);
    }
}

}  // namespace strata::cuda
