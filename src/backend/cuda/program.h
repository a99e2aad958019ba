// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/format.h"
#include "backend/cuda/kernels/kernel.h"

#include <functional>
#include <variant>

namespace strata::cuda {

// A piece of device memory that the program uses: index into Program::buffers.
using BufferId = std::size_t;

// Where values lie and how: dense elements of these extents from `offset` bytes on. Only a layer's
// own calls use parts of a buffer; the place of a tensor is a whole one.
struct Place {
    BufferId buffer = 0;
    Dims dims = {};
    Format format = {};
    std::size_t offset = 0;

    std::size_t bytes() const {
        return static_cast<std::size_t>(product(dims)) * size_in_bytes(format.type);
    }
};

// The part of a place from this element on, with extents of its own.
Place part_of(const Place& place, std::int64_t first_element, Dims dims);

struct Queue;

// A call into a vendor's library, with everything decided but the addresses.
class LibraryCall {
public:
    virtual ~LibraryCall() = default;

    // Chooses on the device what could not be chosen before; called once, before any enqueue.
    virtual void settle(const Queue&) {}
    // Puts the work on the queue's stream. Throws DeviceError where the library refuses.
    virtual void enqueue(const Queue& queue, std::span<void* const> addresses) const = 0;
    // What the call stands for, by plain loops on host memory: tests run whole programs with it.
    virtual void compute_on_host(std::span<void* const> addresses) const = 0;
    // Scratch memory beside its places.
    virtual std::size_t workspace() const { return 0; }
};

// Something that a step does, and the places whose addresses it gets, in order.
struct Call {
    std::variant<Kernel, std::shared_ptr<LibraryCall>> function;
    std::vector<Place> places;
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

// A step and what it executes: nothing where it is refused.
struct PlannedStep {
    Step step;
    std::vector<Call> calls;
};

// The values that a persistent place has before the first iteration.
struct Initialization {
    Place place;
    std::function<HostValues()> values;
};

// Where a tensor can be read and written between steps.
struct TensorPlaces {
    std::optional<Place> value;
    std::optional<Place> gradient;
};

// A graph lowered to calls over buffers that have no addresses yet. Nothing in it needs a GPU.
struct Program {
    std::vector<PlannedBuffer> buffers;
    std::vector<PlannedStep> steps;
    std::vector<Initialization> initializations;
    // Copies of what inference never changes, made once: after the initial values and each write.
    std::vector<Call> preparations;
    std::vector<TensorPlaces> tensors;
};

}  // namespace strata::cuda
