// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/recurrent.h"

#include <optional>

namespace strata::cuda {

// The function of a recurrent layer that a call performs: the copy of its parameters to cuDNN's
// layout, or a pass.
enum class RecurrentStage { parameters, forward, backward_data, backward_weights };

// The positions of a call's addresses, by the layer's operands and results; empty if the stage has
// none.
struct RecurrentSlots {
    using Slot = std::optional<std::size_t>;
    std::vector<Slot> inputs = {};  // the sequence, first states, parameters
    std::vector<Slot> outputs = {};
    std::vector<Slot> output_gradients = {};
    std::vector<Slot> input_gradients = {};
    std::size_t first_parameter = 1;
};

// A stage of a layer, and the positions of its signature's operands in a call.
struct RecurrentWork {
    RecurrentStage stage = RecurrentStage::forward;
    Recurrent op = {};
    RecurrentSlots slots = {};
    Signature signature = {};
};

// The views of a call, and their positions.
class RecurrentPlaces {
public:
    RecurrentSlots::Slot add(const std::optional<TensorView>& view);
    std::vector<RecurrentSlots::Slot> add(const std::vector<std::optional<TensorView>>& views);
    std::vector<TensorView> views() const { return views_; }

private:
    std::vector<TensorView> views_;
};

// One stage of the layer; all its stages share `library`.
std::shared_ptr<LibraryCall> recurrent_call(RecurrentWork work,
                                            std::shared_ptr<RecurrentLibrary> library);

}  // namespace strata::cuda
