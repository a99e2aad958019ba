// SPDX-License-Identifier: MIT
#include "backend/peer/libtorch/steps.h"

#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <chrono>

namespace strata::libtorch {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

at::ScalarType type_of(const ToldTensor& told) {
    return told.dtype == "s64" ? at::kLong : told.dtype == "s32" ? at::kInt : at::kFloat;
}

std::string sentence_of(const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    std::string words = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
    std::ranges::replace(words, '\n', ' ');
    return words.substr(0, 300);
}

}  // namespace

Steps::Steps(const Json& request)
    : network_(request),
      plan_(plan_of(network_)),
      states_(network_.tasks.size(), {{"state", "runs"}, {"implementation", "eager"}}),
      operators_(network_.layers.size()),
      refusals_(network_.layers.size()),
      gru_(network_.tensors.size()),
      scales_(network_.layers.size()),
      values_(network_.tensors.size()),
      gradients_(network_.tensors.size()),
      stubs_(network_.tensors.size()),
      value_stand_ins_(network_.tensors.size()),
      gradient_stand_ins_(network_.tensors.size()),
      saved_(network_.layers.size()) {
    at::manual_seed(network_.seed);
    for (const ToldLayer& layer : network_.layers) {
        if (layer.attributes.value("cell", "") == "gru") {
            for (const std::size_t tensor : layer.inputs) {
                gru_[tensor] = network_.tensors[tensor].role == "parameter"
                                   ? layer.attributes.value("hidden", std::int64_t{0})
                                   : 0;
            }
        }
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
        if (plan_.included_in[i]) {
            states_[i] = {{"state", "included"}, {"in", *plan_.included_in[i]}};
        }
    }
    load();
    make_operators();
    make_optimizer();
}

void Steps::make_operators() {
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
        try {
            operators_[i] =
                operator_of(network_.layers[i], {network_.training, network_.kept, scales_[i]});
        } catch (const std::exception& error) {
            refusals_[i] = sentence_of(error);
        }
    }
}

void Steps::make_optimizer() {
    Tensors trained;
    for (const ToldTask& task : network_.tasks) {
        for (const std::size_t tensor : task.parameters) {
            trained.push_back(values_[tensor]);
        }
    }
    if (trained.empty()) {
        return;
    }
    const Json& told = network_.optimizer;
    const double rate = told.at("learning_rate");
    if (told.at("name") == "adam") {
        optimizer_ = std::make_unique<torch::optim::Adam>(
            trained, torch::optim::AdamOptions(rate)
                         .betas({told.at("beta1"), told.at("beta2")})
                         .eps(told.at("epsilon")));
    } else {
        optimizer_ = std::make_unique<torch::optim::SGD>(
            trained, torch::optim::SGDOptions(rate).momentum(told.value("momentum", 0.0)));
    }
}

at::Tensor Steps::tensor_of(std::vector<float>& values, std::size_t tensor) const {
    const ToldTensor& told = network_.tensors[tensor];
    at::Tensor value = at::from_blob(values.data(), told.dims).to(type_of(told), false, true);
    if (gru_[tensor] > 0) {
        value = rows_of_gru(value, gru_[tensor]);
    }
    if (network_.images_last && value.dim() == 4) {
        value = value.contiguous(at::MemoryFormat::ChannelsLast);
    }
    return value.requires_grad_(network_.needs_gradient[tensor] && told.role != "activation");
}

std::vector<float> Steps::values_of(const at::Tensor& value, std::size_t tensor) const {
    at::Tensor dense = value.detach().to(at::kFloat);
    dense = (gru_[tensor] > 0 ? rows_of_gru(dense, gru_[tensor]) : dense).contiguous();
    const float* first = dense.const_data_ptr<float>();
    return {first, first + dense.numel()};
}

// Restores everything to the state at the beginning of an iteration.
void Steps::load() {
    const at::NoGradGuard guard;
    const Tensors before = values_;
    gradients_ = gradient_stand_ins_;
    values_ = value_stand_ins_;
    std::ranges::fill(saved_, Saved());
    network_.for_each_value([&](const Json& place, std::vector<float>& values) {
        if (place.at("content") == "scale") {
            const std::size_t layer = place.at("layer");
            scales_[layer] = tensor_of(values, network_.layers[layer].inputs[0]).detach();
            return;
        }
        const std::size_t tensor = place.at("tensor");
        const at::Tensor value = tensor_of(values, tensor);
        if (place.at("content") == "gradient") {
            gradients_[tensor] = value.detach();
        } else if (before[tensor].defined() && value.requires_grad()) {
            values_[tensor] = before[tensor];  // the optimizer knows it
            values_[tensor].copy_(value);
        } else {
            values_[tensor] = value;
        }
    });
    if (optimizer_) {
        optimizer_->state().clear();
        optimizer_->zero_grad();
    }
}

void Steps::stand_in(Tensors& stand_ins, Tensors& store, std::size_t tensor) const {
    if (!stand_ins[tensor].defined()) {
        stand_ins[tensor] = at::zeros(network_.tensors[tensor].dims);
    }
    if (!store[tensor].defined()) {
        store[tensor] = stand_ins[tensor];
    }
}

// Before each iteration, because it releases what it has read.
void Steps::put_stand_ins() {
    for (std::size_t t = 0; t < values_.size(); ++t) {
        values_[t] = value_stand_ins_[t].defined() ? value_stand_ins_[t] : values_[t];
        gradients_[t] = gradient_stand_ins_[t].defined() ? gradient_stand_ins_[t] : gradients_[t];
    }
}

void Steps::refuse(std::size_t task, const std::string& reason, bool of_layer) {
    const ToldLayer& layer = network_.layers[network_.tasks[task].layer];
    states_[task] = {{"state", "refused"}, {"reason", reason}};
    if (of_layer) {
        refusals_[network_.tasks[task].layer] = reason;
        for (const std::size_t tensor : layer.outputs) {
            stand_in(value_stand_ins_, values_, tensor);
        }
    }
    for (const Contribution& one : plan_.operands[task]) {
        stand_in(gradient_stand_ins_, gradients_, layer.inputs[one.operand]);
    }
}

Json Steps::prepare() {
    for (std::size_t i = 0; i < network_.tasks.size(); ++i) {
        const ToldTask& task = network_.tasks[i];
        const std::string& refusal = refusals_[task.layer];
        if (states_[i].at("state") != "runs" && refusal.empty()) {
            continue;
        }
        try {
            if (!refusal.empty() || !task.omitted.empty()) {
                throw Refusal(refusal.empty() ? task.omitted : refusal);
            }
            execute(i);
            states_[i]["layout"] = layout_of(task);
        } catch (const std::exception& error) {
            refuse(i, sentence_of(error), task.pass == "forward");
        }
    }
    load();
    std::vector<bool> is_computed(network_.tensors.size());
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
        for (const std::size_t tensor : network_.layers[i].outputs) {
            is_computed[tensor] = refusals_[i].empty();
        }
    }
    for (std::size_t tensor = 0; tensor < values_.size(); ++tensor) {
        if (values_[tensor].defined() && !is_computed[tensor]) {
            given_.push_back(tensor);
        }
    }
    return states_;
}

std::string Steps::layout_of(const ToldTask& task) const {
    const at::Tensor& y = values_[network_.layers[task.layer].outputs[0]];
    return !y.defined() || y.dim() != 4 ? "row-major" : y.is_contiguous() ? "nchw" : "nhwc";
}

double Steps::run() {
    put_stand_ins();
    const auto begin = Clock::now();
    iterate();
    return seconds_between(begin, Clock::now());
}

std::pair<double, std::vector<double>> Steps::run_timed() {
    std::vector<double> times(states_.size());
    put_stand_ins();
    const auto begin = Clock::now();
    auto before = begin;
    for (std::size_t i = 0; i < states_.size(); ++i) {
        if (states_[i].at("state") == "runs") {
            execute(i);
            const auto now = Clock::now();
            times[i] = seconds_between(before, now);
            before = now;
        }
    }
    return {seconds_between(begin, Clock::now()), times};
}

void Steps::run_step(std::size_t step) {
    execute(step);
}

double Steps::empty_step() {
    constexpr int times = 300;
    const std::size_t first = values_.size();
    ToldLayer layer = {.type = "identity", .kind = "identity", .attributes = Json::object()};
    layer.inputs = {first};
    layer.outputs = {first + 1};
    layer.result_dims = {{1}};
    operators_.push_back(operator_of(layer, {}));
    network_.tasks.push_back({.layer = network_.layers.size(), .pass = "forward"});
    network_.layers.push_back(std::move(layer));
    network_.needs_gradient.insert(network_.needs_gradient.end(), {true, true});
    saved_.emplace_back();
    plan_.releases.emplace_back();
    for (Tensors* tensors : {&values_, &gradients_, &stubs_}) {
        tensors->resize(first + 2);
    }
    values_[first] = at::zeros({1});
    execute(network_.tasks.size() - 1);
    const auto begin = Clock::now();
    for (int i = 0; i < times; ++i) {
        execute(network_.tasks.size() - 1);
    }
    return seconds_between(begin, Clock::now()) / times;
}

std::vector<float> Steps::read(std::size_t tensor, const std::string& content) const {
    const at::Tensor& value = (content == "value" ? values_ : gradients_).at(tensor);
    if (!value.defined()) {
        throw Refusal("tensor " + std::to_string(tensor) + " has no " + content + " now");
    }
    return values_of(value, tensor);
}

void Steps::write(std::size_t tensor, const std::string& content, std::vector<float> values) {
    at::Tensor& value = (content == "value" ? values_ : gradients_).at(tensor);
    const at::Tensor written = tensor_of(values, tensor);
    const at::NoGradGuard guard;
    if (content == "value" && value.defined() && value.requires_grad()) {
        value.copy_(written);  // the optimizer knows it
    } else {
        value = content == "value" ? written : written.detach();
    }
}

}  // namespace strata::libtorch
