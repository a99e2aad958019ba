// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/lower/program.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace strata::cuda {

// Where values lie and how: dense elements of these extents from `offset` bytes on. Only a layer's
// own calls use parts of a buffer; the view of a tensor is a whole one.
struct TensorView {
    BufferId buffer = 0;
    Dims dims = {};
    Format format = {};
    std::size_t offset = 0;

    std::size_t bytes() const {
        return static_cast<std::size_t>(product(dims)) * size_in_bytes(format.type);
    }
};

// The part of a view from this element on, with extents of its own.
TensorView part_of(const TensorView& view, std::int64_t first_element, Dims dims);

struct Queue;

// What a step says of one of several ways to do its call.
struct WayText {
    std::string implementation = {};
    std::string algorithm = {};
};

// The way that was chosen, and the one whose text the step was given before.
struct ChosenWay {
    WayText before = {};
    WayText now = {};
    std::size_t workspace = 0;
};

// A call into a vendor's library, with everything decided but the addresses.
class LibraryCall {
public:
    virtual ~LibraryCall() = default;

    // Chooses on the device what could not be chosen before; called once, before any enqueue.
    virtual void finalize(const Queue&) {}
    // Of several ways chooses the fastest, by trying them at these addresses; called once, when all
    // calls are finalized and nothing else runs.
    virtual void choose(const Queue&, std::span<void* const>) {}
    // The way that was chosen; nothing where there was no choice.
    virtual std::optional<ChosenWay> chosen() const { return {}; }
    // Puts the work on the queue's stream. Throws DeviceError where the library refuses.
    virtual void enqueue(const Queue& queue, std::span<void* const> addresses) const = 0;
    // What the call stands for, by plain loops on host memory: tests run whole programs with it.
    virtual void compute_on_host(std::span<void* const> addresses) const = 0;
    // Scratch memory beside its views.
    virtual std::size_t workspace() const { return 0; }
    // Memory that it has taken for itself while settling, of what several share by one of them.
    virtual std::size_t kept_memory() const { return 0; }
};

// Something that a step does, and the views whose addresses it gets, in order.
struct Call {
    std::variant<Kernel, std::shared_ptr<LibraryCall>> function;
    std::vector<TensorView> views;
};

// Of a kernel 0; of what is finalized on the device known only then.
std::size_t workspace_of(const Call& call);

// Nothing in it needs a GPU.
using Program = LoweredProgram<TensorView, Call>;

}  // namespace strata::cuda
