// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"
#include "backend/cuda/device/stream.h"

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>

// Replaces the part of CUDA's runtime that a GPU machine calls (gpu_machine.cpp): one stream, which
// works only while it is queried, captures, graphs and events. Each behaves as documented and, if
// the documentation leaves something open, in the worst way. Memory is the host's.
namespace strata::testing {

// Work that takes this long hangs: nothing after it begins.
inline constexpr double never_ends = std::numeric_limits<double>::infinity();

// How the process ends if CUDA is called after its device was given up (backend/device_watch.h), or
// if one of its own calls waits for work that never ends.
inline constexpr int called_too_late = 98;
inline constexpr int blocked_for_ever = 99;

// What the runtime does next, and what it has done. Each test starts with a new one.
struct ScriptedRuntime {
    std::size_t total_memory = std::size_t{1} << 30U;
    std::size_t taken_memory = 0;
    int live_graphs = 0;
    // The result of ending a capture; without cudaSuccess there is no graph.
    cudaError_t answer_to_capture = cudaSuccess;
    // The result of instantiating a graph.
    cudaError_t answer_to_instantiation = cudaSuccess;
    // cuDNN's answers to the next plans that are executed; after those it executes every plan.
    std::deque<cudnnStatus_t> answers_to_plans = {};
    // How long a plan takes, by its descriptor; otherwise a millisecond.
    std::map<const void*, double> milliseconds_of_plans = {};
    double milliseconds_of_copies = 0;
    double milliseconds_of_stamps = 0;
    // The launch of a kernel, by number from 0, that leaves this error behind, which every
    // later call returns; or, if it is cudaSuccess, hangs.
    std::optional<int> bad_launch = {};
    cudaError_t error_of_bad_launch = cudaSuccess;
    // The answer of every later call that may report it, as of a lost device.
    cudaError_t sticky = cudaSuccess;
};
ScriptedRuntime& scripted_runtime();

// Forgets everything done and planned.
void restart_scripted_runtime();

// A call that works for this long on the stream, by the device's clock.
class Work : public cuda::LibraryCall {
public:
    explicit Work(double milliseconds) : milliseconds_(milliseconds) {}

    // Takes effect the next time that it is put on the stream or repeated by a graph.
    void take(double milliseconds) { milliseconds_ = milliseconds; }
    double milliseconds() const { return milliseconds_; }

    void enqueue(const cuda::Queue& queue, std::span<void* const> addresses) const override;

private:
    double milliseconds_;
};

}  // namespace strata::testing
