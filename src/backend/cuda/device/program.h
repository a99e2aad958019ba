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

// The place and layout of values: dense elements with these extents, beginning at `offset` bytes.
// Only a layer's own calls use parts of a buffer; a tensor's view covers a whole buffer.
struct TensorView {
    BufferId buffer = 0;
    Dims dims = {};
    Format format = {};
    std::size_t offset = 0;

    std::size_t bytes() const {
        return static_cast<std::size_t>(product(dims)) * size_in_bytes(format.type);
    }
};

// The part of a view that begins at this element, with its own extents.
TensorView part_of(const TensorView& view, std::int64_t first_element, Dims dims);

struct Queue;

// A step's description of one of several ways to do its call.
struct WayText {
    std::string implementation = {};
    std::string algorithm = {};
};

// The chosen way, and the one whose text the step had before.
struct ChosenWay {
    WayText before = {};
    WayText now = {};
    std::size_t workspace = 0;
};

struct AttentionProblem;
struct ConvolutionProblem;
struct Matmul;
struct RecurrentWork;

// What a library call computes, however it does so: an implementation of another kind can compute
// the same at the call's addresses.
using LibraryWork = std::variant<std::monostate, const AttentionProblem*, const ConvolutionProblem*,
                                 const Matmul*, const RecurrentWork*>;

// A call into a vendor's library, with everything decided except the addresses.
class LibraryCall {
public:
    virtual ~LibraryCall() = default;

    // Makes the choices that need the device; called once, before any enqueue.
    virtual void finalize(const Queue&) {}
    // Chooses the fastest of several ways by trying them at these addresses, each with its own
    // scratch memory; called once, when all calls are finalized and nothing else runs.
    virtual void choose(const Queue&, std::span<void* const>) {}
    // Moves on to the next way, after the device has refused the current one; false if none is
    // left.
    virtual bool take_next() { return false; }
    // The chosen way; empty if there was no choice.
    virtual std::optional<ChosenWay> chosen() const { return {}; }
    // Puts the work on the queue's stream. Throws DeviceError if the library refuses.
    virtual void enqueue(const Queue& queue, std::span<void* const> addresses) const = 0;
    // Valid as long as the call.
    virtual LibraryWork work() const { return {}; }
    // Scratch memory in addition to its views.
    virtual std::size_t workspace() const { return 0; }
    // Memory that it allocated for itself in `finalize`; if several calls share it, only one
    // reports it.
    virtual std::size_t kept_memory() const { return 0; }
};

// An operation of a step, and the views whose addresses it receives, in order.
struct Call {
    std::variant<Kernel, std::shared_ptr<LibraryCall>> function;
    std::vector<TensorView> views;
};

// 0 for a kernel; for calls that are finalized on the device it is known only afterwards.
std::size_t workspace_of(const Call& call);

// Nothing in it needs a GPU.
using Program = LoweredProgram<TensorView, Call>;

}  // namespace strata::cuda
