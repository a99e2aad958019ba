// SPDX-License-Identifier: MIT
#pragma once

#include "backend/peer/libtorch/network.h"
#include "backend/peer/libtorch/operators.h"

#include <torch/csrc/autograd/variable.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata::libtorch {

using Edges = std::vector<torch::autograd::Edge>;

// Runs a network task by task, or as a whole as a user's libtorch program would: the same calls of
// the same library as adapters/protocol.py and pytorch_adapter.py, without Python.
class Steps {
public:
    explicit Steps(const Json& request);

    // Runs every task once: a failing one is refused, with the reason. Returns the steps' states.
    Json prepare();

    double run();                                        // seconds
    std::pair<double, std::vector<double>> run_timed();  // and of each step
    void run_step(std::size_t step);
    double empty_step();  // the time of a step that only copies one number

    // Row-major values, as in strata.
    std::vector<float> read(std::size_t tensor, const std::string& content) const;
    void write(std::size_t tensor, const std::string& content, std::vector<float> values);

private:
    // The tensors that a layer's forward pass saves for its backward passes.
    struct Saved {
        Edges operands;
        Edges results;
    };

    void make_operators();
    void make_optimizer();
    void load();
    at::Tensor tensor_of(std::vector<float>& values, std::size_t tensor) const;
    std::vector<float> values_of(const at::Tensor& value, std::size_t tensor) const;
    void refuse(std::size_t task, const std::string& reason, bool of_layer);
    void stand_in(Tensors& stand_ins, Tensors& store, std::size_t tensor) const;
    void put_stand_ins();
    Tensors apply(std::size_t layer, const Tensors& operands) const;
    void execute(std::size_t task);
    void forward(std::size_t layer);
    void backward(std::size_t task);
    void update(const std::vector<std::size_t>& parameters);
    at::Tensor cut(std::size_t tensor);
    Tensors forward_all() const;
    void iterate();
    std::string layout_of(const ToldTask& task) const;

    Network network_;
    Plan plan_;
    std::vector<Json> states_;
    std::vector<Operator> operators_;    // by layer; empty if refused
    std::vector<std::string> refusals_;  // by layer; empty if it runs
    std::vector<std::int64_t> gru_;  // by tensor: the hidden size of the GRU that it parametrises
    Tensors scales_;                 // by layer
    Tensors values_;                 // by tensor; undefined if there is none
    Tensors gradients_;
    Tensors stubs_;
    Tensors value_stand_ins_;  // for the results of refused layers
    Tensors gradient_stand_ins_;
    std::vector<std::size_t> given_;  // tensors that an iteration begins with
    std::vector<Saved> saved_;        // by layer
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace strata::libtorch
