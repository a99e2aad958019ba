// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent_call.h"

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
    RecurrentCall(RecurrentWork work, std::shared_ptr<RecurrentLibrary> library)
        : work_(std::move(work)), library_(std::move(library)) {}

    // The copy does not finalize the library: if the passes are refused, it is not needed and must
    // not fail the program.
    void finalize(const Queue& queue) override {
        if (work_.stage != RecurrentStage::parameters) {
            library_->finalize(queue);
        }
    }
    std::size_t workspace() const override { return library_->workspace(); }
    std::size_t kept_memory() const override {
        return work_.stage == RecurrentStage::forward ? library_->kept_bytes() : 0;
    }
    void enqueue(const Queue& queue, Addresses addresses) const override;
    LibraryWork work() const override { return &work_; }

private:
    RecurrentAddresses::Sequence sequence_at(Addresses addresses, const std::vector<Slot>& slots,
                                             std::size_t end) const;
    std::vector<void*> parameters_at(Addresses addresses, const std::vector<Slot>& slots) const;

    RecurrentWork work_;
    std::shared_ptr<RecurrentLibrary> library_;
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
    for (std::size_t i = work_.slots.first_parameter; i < slots.size(); ++i) {
        parameters.push_back(at(addresses, slots[i]));
    }
    return parameters;
}

void RecurrentCall::enqueue(const Queue& queue, Addresses addresses) const {
    const std::size_t activations = work_.slots.first_parameter;
    const RecurrentAddresses all = {
        .x = sequence_at(addresses, work_.slots.inputs, activations),
        .y = sequence_at(addresses, work_.slots.outputs, work_.slots.outputs.size()),
        .dy = sequence_at(addresses, work_.slots.output_gradients,
                          work_.slots.output_gradients.size()),
        .dx = sequence_at(addresses, work_.slots.input_gradients, activations),
        .parameters = parameters_at(addresses, work_.slots.inputs),
        .gradients = parameters_at(addresses, work_.slots.input_gradients)};
    switch (work_.stage) {
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

std::shared_ptr<LibraryCall> recurrent_call(RecurrentWork work,
                                            std::shared_ptr<RecurrentLibrary> library) {
    return std::make_shared<RecurrentCall>(std::move(work), std::move(library));
}

}  // namespace strata::cuda
