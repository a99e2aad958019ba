// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "backend/cuda/device/stream.h"
#include "backend/device_watch.h"
#include "op/recurrent.h"

#include <cudnn.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace strata::cuda {

// Stacked recurrent cells in f32.
struct RecurrentProblem {
    Recurrent op = {};
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t features = 0;
    bool trains = false;
    SinglePrecision products = SinglePrecision::full;
};

// Whether cuDNN computes exactly the same function: its cells read forward or in both directions,
// and its GRU applies the reset gate after the product.
bool may_be_cudnn(const RecurrentProblem& problem);

// "recurrent lstm 5x4x24, hidden 32, 2 layers, bidirectional"
std::string text_of(const RecurrentProblem& problem);

// Device memory of each tensor; null if absent. States are ordered by layer and direction.
struct RecurrentAddresses {
    struct Sequence {
        void* whole = nullptr;  // [steps, batch, features]
        void* h = nullptr;
        void* c = nullptr;
    };
    Sequence x = {};
    Sequence y = {};
    Sequence dy = {};
    Sequence dx = {};
    std::vector<void*> parameters = {};
    std::vector<void*> gradients = {};  // of the parameters
};

template <auto destroy>
struct Destroyer {
    void operator()(auto* descriptor) const {
        if (!device_hangs()) {
            destroy(descriptor);
        }
    }
};

// The passes of one layer by cuDNN's functions, with the memory that is kept between passes. Its
// size and the layout of the parameters in it are known only on the device. Parameters are copied
// there before the forward pass, and their gradients from there after the last pass. Functions
// throw DeviceError.
class RecurrentLibrary {
public:
    explicit RecurrentLibrary(RecurrentProblem problem) : problem_(std::move(problem)) {}

    // Called once, before anything else.
    void finalize(const Queue& queue);
    std::size_t workspace() const { return workspace_; }
    // Memory that it keeps between passes.
    std::size_t kept_bytes() const { return kept_bytes_; }

    void copy_parameters(const Queue& queue, const RecurrentAddresses& at) const;
    void forward(const Queue& queue, const RecurrentAddresses& at) const;
    void backward_data(const Queue& queue, const RecurrentAddresses& at) const;
    void backward_weights(const Queue& queue, const RecurrentAddresses& at) const;

private:
    using Rnn = std::unique_ptr<cudnnRNNStruct, Destroyer<cudnnDestroyRNNDescriptor>>;
    using Data = std::unique_ptr<cudnnRNNDataStruct, Destroyer<cudnnDestroyRNNDataDescriptor>>;
    using Dropout = std::unique_ptr<cudnnDropoutStruct, Destroyer<cudnnDestroyDropoutDescriptor>>;
    using Tensor = std::unique_ptr<cudnnTensorStruct, Destroyer<cudnnDestroyTensorDescriptor>>;

    // A part of a parameter and its place among cuDNN's parameters.
    struct Block {
        std::size_t parameter = 0;
        std::int64_t first = 0;  // first element
        std::int64_t count = 0;
        std::size_t offset = 0;  // in bytes
    };

    void require(cudnnStatus_t status) const;
    std::int64_t directions() const;
    void describe(const Queue& queue);
    Data sequence_of(std::int64_t features) const;
    Tensor states() const;
    Memory take(const Queue& queue, std::size_t bytes);
    void take_memory(const Queue& queue);
    const std::int32_t* lengths() const { return static_cast<const std::int32_t*>(lengths_.get()); }
    void find_parameters(const Queue& queue);
    void find_parameters_of(const Queue& queue, std::size_t cell);
    void add_matrix(const Queue& queue, std::size_t cell, int number, Block block);
    void add_bias(const Queue& queue, std::size_t cell, int number, Block block);
    void add(const Block& block);
    void copy(const Queue& queue, std::byte* to, const std::byte* from,
              std::int64_t elements) const;

    RecurrentProblem problem_;
    bool is_finalized_ = false;
    Dropout dropout_;
    Rnn rnn_;
    Data x_, y_;
    Tensor states_;
    std::size_t parameter_bytes_ = 0;
    std::size_t reserve_bytes_ = 0;
    std::size_t workspace_ = 0;
    std::size_t kept_bytes_ = 0;
    Memory lengths_;  // int32, by image
    Memory parameters_;
    Memory gradients_;
    Memory reserve_;  // saved by the forward pass for the others
    std::vector<Block> blocks_;
};

}  // namespace strata::cuda
