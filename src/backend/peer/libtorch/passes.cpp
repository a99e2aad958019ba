// SPDX-License-Identifier: MIT An iteration of Steps, task by task or as a whole.
#include "backend/peer/libtorch/steps.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>

namespace strata::libtorch {

Tensors Steps::apply(std::size_t layer, const Tensors& operands) const {
    Tensors results = operators_[layer](operands);
    const auto& dims = network_.layers[layer].result_dims;
    if (!std::ranges::equal(results, dims, [](const at::Tensor& y, const Dims& told) {
            return y.sizes() == at::IntArrayRef(told);
        })) {
        throw Refusal("libtorch's results differ in shape from strata's");
    }
    return results;
}

void Steps::execute(std::size_t task) {
    const ToldTask& told = network_.tasks[task];
    if (told.pass == "forward") {
        forward(told.layer);
    } else if (told.pass == "update") {
        update(told.parameters);
    } else {
        backward(task);
    }
    for (const std::size_t tensor : plan_.releases[task].values) {
        values_[tensor] = at::Tensor();
    }
    for (const std::size_t tensor : plan_.releases[task].gradients) {
        gradients_[tensor] = at::Tensor();
    }
    for (const std::size_t layer : plan_.releases[task].saved) {
        saved_[layer] = Saved();
    }
}

// The value with a new autograd history. A leaf would do, but would keep the value alive until the
// layer's backward pass, when libtorch has long released what no gradient needs.
at::Tensor Steps::cut(std::size_t tensor) {
    const at::Tensor& value = values_[tensor];
    if (!network_.needs_gradient[tensor] || value.requires_grad()) {
        return value;  // a parameter is a leaf already
    }
    if (!stubs_[tensor].defined()) {
        stubs_[tensor] = at::zeros({}).expand(value.sizes()).requires_grad_();
    }
    at::Tensor begun = stubs_[tensor].view_as(value);
    begun.set_data(value);
    return begun;
}

void Steps::forward(std::size_t layer) {
    const ToldLayer& told = network_.layers[layer];
    const at::AutoGradMode mode(network_.training);
    Tensors operands;
    for (const std::size_t tensor : told.inputs) {
        operands.push_back(network_.training ? cut(tensor) : values_[tensor]);
    }
    const Tensors results = apply(layer, operands);
    const auto edges_of = [](const Tensors& tensors) {
        Edges edges;
        for (const at::Tensor& one : tensors) {
            edges.push_back(one.requires_grad() ? torch::autograd::impl::gradient_edge(one)
                                                : torch::autograd::Edge());
        }
        return edges;
    };
    if (network_.training) {
        saved_[layer] = {edges_of(operands), edges_of(results)};
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        values_[told.outputs[i]] = results[i].detach();
    }
}

void Steps::backward(std::size_t task) {
    const std::size_t layer = network_.tasks[task].layer;
    const ToldLayer& told = network_.layers[layer];
    Edges roots, leaves;
    Tensors given;
    for (std::size_t i = 0; i < told.outputs.size(); ++i) {
        const at::Tensor& gradient = gradients_[told.outputs[i]];
        if (gradient.defined() || network_.is_loss(layer)) {
            roots.push_back(saved_[layer].results.at(i));
            given.push_back(gradient.defined() ? gradient : at::ones(told.result_dims[i]));
        }
    }
    for (const Contribution& one : plan_.operands[task]) {
        leaves.push_back(saved_[layer].operands.at(one.operand));
    }
    const Tensors found = torch::autograd::Engine::get_default_engine().execute(
        roots, given, true, false, false, leaves);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i].defined()) {
            throw Refusal("libtorch gives no gradient of operand " +
                          std::to_string(plan_.operands[task][i].operand));
        }
        at::Tensor& gradient = gradients_[told.inputs[plan_.operands[task][i].operand]];
        const bool is_later = !plan_.operands[task][i].is_first && gradient.defined();
        gradient = is_later ? gradient + found[i] : found[i];
    }
}

// The optimizer passes over parameters that have no gradient now.
void Steps::update(const std::vector<std::size_t>& parameters) {
    for (const std::size_t tensor : parameters) {
        values_[tensor].mutable_grad() = gradients_[tensor];
    }
    optimizer_->step();
    for (const std::size_t tensor : parameters) {
        values_[tensor].mutable_grad() = at::Tensor();
    }
}

// Calls the layers as a user's module does; a result is released after its last reader.
Tensors Steps::forward_all() const {
    Tensors live(values_.size());
    for (const std::size_t tensor : given_) {
        live[tensor] = values_[tensor];
    }
    Tensors operands;
    for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
        const ToldLayer& told = network_.layers[layer];
        if (refusals_[layer].empty()) {
            operands.clear();
            for (const std::size_t tensor : told.inputs) {
                operands.push_back(live[tensor]);
            }
            Tensors results = apply(layer, operands);
            operands.clear();
            for (std::size_t i = 0; i < results.size(); ++i) {
                live[told.outputs[i]] = std::move(results[i]);
            }
        }
        for (const std::size_t tensor : network_.forget_after[layer]) {
            live[tensor] = at::Tensor();
        }
    }
    return live;
}

void Steps::iterate() {
    const at::AutoGradMode mode(network_.training);
    const Tensors results = forward_all();
    if (!network_.training) {
        return;
    }
    Tensors ends, given;
    for (const std::size_t tensor : network_.starts) {
        if (results[tensor].defined() && results[tensor].requires_grad()) {
            ends.push_back(results[tensor]);
            given.push_back(gradients_[tensor]);
        }
    }
    if (!ends.empty()) {
        torch::autograd::backward(ends, given);
    }
    if (optimizer_) {
        optimizer_->step();
    }
    // At the end, so that this iteration and not the next one pays for releasing their memory.
    for (const std::size_t tensor : given_) {
        if (values_[tensor].requires_grad()) {
            values_[tensor].mutable_grad() = at::Tensor();
        }
    }
}

}  // namespace strata::libtorch
