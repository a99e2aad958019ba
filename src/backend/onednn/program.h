// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/onednn/layout.h"

#include <functional>
#include <utility>
#include <variant>

namespace strata::onednn {

// A piece of memory that the program uses: index into Program::buffers.
using BufferId = std::size_t;

// Where values lie and how. A part of a buffer, such as one step of a sequence, begins `offset`
// bytes into it; only a layer's own calls use parts, the place of a tensor is a whole buffer.
struct Place {
    BufferId buffer = 0;
    Desc desc = {};
    std::size_t offset = 0;
};

// Whether a buffer is needed all the time or only between its first and its last step.
enum class Life { persistent, transient };

// What is known of a buffer before it has an address.
struct PlannedBuffer {
    std::size_t bytes = 0;
    Life life = Life::transient;
    std::size_t first_step = 0;
    std::size_t last_step = 0;
    bool used = false;
};

// A primitive of the library and where its arguments lie.
struct PrimitiveCall {
    dnnl::primitive primitive;
    std::vector<std::pair<int, Place>> arguments;
};

// A loop of our own; it gets the addresses of its places, in order.
using Kernel = std::function<void(std::span<void* const>)>;
struct KernelCall {
    Kernel kernel;
    std::vector<Place> places;
};

using Call = std::variant<PrimitiveCall, KernelCall>;

// A step and what it executes: nothing where it is refused.
struct PlannedStep {
    Step step;
    std::vector<Call> calls;
};

// The values that a persistent place has before the first iteration; made one after the other, so
// that no two exist beside the places themselves.
struct Initialization {
    Place place;
    std::function<HostValues()> values;
};

// Where a tensor can be read and written between steps.
struct TensorPlaces {
    std::optional<Place> value;
    std::optional<Place> gradient;
};

// A graph lowered to calls over buffers that have no addresses yet.
struct Program {
    std::vector<PlannedBuffer> buffers;
    std::vector<PlannedStep> steps;
    std::vector<Initialization> initializations;
    // Copies of what inference never changes, made once: after the initial values and each write.
    std::vector<Call> preparations;
    std::vector<TensorPlaces> tensors;
};

}  // namespace strata::onednn
