// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent_call.h"

#include "backend/reference/step.h"

namespace strata::cuda {

namespace {

using Slot = RecurrentSlots::Slot;
using Addresses = std::span<void* const>;

void* at(Addresses addresses, const Slot& slot) {
    return slot ? addresses[*slot] : nullptr;
}

void* at(Addresses addresses, const std::vector<Slot>& slots, std::size_t number) {
    return number < slots.size() ? at(addresses, slots[number]) : nullptr;
}

class RecurrentCall : public LibraryCall {
public:
    RecurrentCall(RecurrentStage stage, Recurrent op, std::shared_ptr<RecurrentLibrary> library,
                  RecurrentSlots slots, Signature signature)
        : stage_(stage),
          op_(op),
          library_(std::move(library)),
          slots_(std::move(slots)),
          signature_(std::move(signature)) {}

    // The copy does not finalize the library: if the passes are refused, it is not needed and must
    // not fail the program.
    void finalize(const Queue& queue) override {
        if (stage_ != RecurrentStage::parameters) {
            library_->finalize(queue);
        }
    }
    std::size_t workspace() const override { return library_->workspace(); }
    std::size_t kept_memory() const override {
        return stage_ == RecurrentStage::forward ? library_->kept_bytes() : 0;
    }
    void enqueue(const Queue& queue, Addresses addresses) const override;
    void compute_on_host(Addresses addresses) const override;

private:
    RecurrentAddresses::Sequence sequence_at(Addresses addresses, const std::vector<Slot>& slots,
                                             std::size_t end) const;
    std::vector<void*> parameters_at(Addresses addresses, const std::vector<Slot>& slots) const;
    template <class Value>
    std::vector<std::span<Value>> spans(Addresses addresses, const std::vector<Slot>& slots,
                                        const std::vector<Tensor>& tensors) const;
    std::vector<Tensor> input_tensors() const;

    RecurrentStage stage_;
    Recurrent op_;
    std::shared_ptr<RecurrentLibrary> library_;
    RecurrentSlots slots_;
    Signature signature_;
};

// The parameters follow the sequence and its states.
RecurrentAddresses::Sequence RecurrentCall::sequence_at(Addresses addresses,
                                                        const std::vector<Slot>& slots,
                                                        std::size_t end) const {
    return {at(addresses, slots, 0), end > 1 ? at(addresses, slots, 1) : nullptr,
            end > 2 ? at(addresses, slots, 2) : nullptr};
}

std::vector<void*> RecurrentCall::parameters_at(Addresses addresses,
                                                const std::vector<Slot>& slots) const {
    std::vector<void*> parameters;
    for (std::size_t i = slots_.first_parameter; i < slots.size(); ++i) {
        parameters.push_back(at(addresses, slots[i]));
    }
    return parameters;
}

void RecurrentCall::enqueue(const Queue& queue, Addresses addresses) const {
    const std::size_t activations = slots_.first_parameter;
    const RecurrentAddresses all = {
        .x = sequence_at(addresses, slots_.inputs, activations),
        .y = sequence_at(addresses, slots_.outputs, slots_.outputs.size()),
        .dy = sequence_at(addresses, slots_.output_gradients, slots_.output_gradients.size()),
        .dx = sequence_at(addresses, slots_.input_gradients, activations),
        .parameters = parameters_at(addresses, slots_.inputs),
        .gradients = parameters_at(addresses, slots_.input_gradients)};
    switch (stage_) {
        case RecurrentStage::parameters:
            return library_->copy_parameters(queue, all);
        case RecurrentStage::forward:
            return library_->forward(queue, all);
        case RecurrentStage::backward_data:
            return library_->backward_data(queue, all);
        case RecurrentStage::backward_weights:
            return library_->backward_weights(queue, all);
    }
}

std::vector<Tensor> RecurrentCall::input_tensors() const {
    std::vector<Tensor> tensors;
    for (const Operand& operand : signature_.inputs) {
        tensors.push_back(operand.tensor);
    }
    return tensors;
}

// Empty if the address is null.
template <class Value>
std::vector<std::span<Value>> RecurrentCall::spans(Addresses addresses,
                                                   const std::vector<Slot>& slots,
                                                   const std::vector<Tensor>& tensors) const {
    std::vector<std::span<Value>> values;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        auto* begin = static_cast<Value*>(at(addresses, slots[i]));
        const auto count = static_cast<std::size_t>(product(tensors[i].dims));
        values.push_back(begin == nullptr ? std::span<Value>() : std::span(begin, count));
    }
    return values;
}

// Uses the reference's loops, which read the parameters in the network's layout.
void RecurrentCall::compute_on_host(Addresses addresses) const {
    const Execution execution;
    const std::vector<Tensor> tensors = input_tensors();
    ReferenceOperands operands{signature_, execution, {}, {}, {}, {}, {}};
    operands.inputs = spans<const float>(addresses, slots_.inputs, tensors);
    operands.output_gradients =
        spans<const float>(addresses, slots_.output_gradients, signature_.outputs);
    operands.input_gradients = spans<float>(addresses, slots_.input_gradients, tensors);
    if (stage_ == RecurrentStage::forward) {
        operands.outputs = spans<float>(addresses, slots_.outputs, signature_.outputs);
        compute_forward(op_, operands);
    } else if (stage_ != RecurrentStage::parameters) {
        compute_backward(op_, operands);
    }
}

}  // namespace

Slot RecurrentPlaces::add(const std::optional<TensorView>& view) {
    if (!view) {
        return std::nullopt;
    }
    views_.push_back(*view);
    return views_.size() - 1;
}

std::vector<Slot> RecurrentPlaces::add(const std::vector<std::optional<TensorView>>& views) {
    std::vector<Slot> slots;
    for (const std::optional<TensorView>& view : views) {
        slots.push_back(add(view));
    }
    return slots;
}

std::shared_ptr<LibraryCall> recurrent_call(RecurrentStage stage, const RecurrentProblem& problem,
                                            std::shared_ptr<RecurrentLibrary> library,
                                            RecurrentSlots slots, Signature signature) {
    return std::make_shared<RecurrentCall>(stage, problem.op, std::move(library), std::move(slots),
                                           std::move(signature));
}

}  // namespace strata::cuda
