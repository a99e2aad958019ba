// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/properties.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata::cuda {

// What cuDNN reports about a plan's numerics.
struct NumericalNotes {
    bool tensor_core = false;
    bool down_converts_inputs = false;
    bool reduced_precision_reduction = false;
    bool fft = false;
    bool nondeterministic = false;
    bool winograd = false;
};

// A plan, identified by its engine and the engine's knobs.
struct PlanTraits {
    std::int64_t engine = 0;
    std::vector<std::pair<int, std::int64_t>> knobs = {};  // type and value
    NumericalNotes notes = {};
    bool compiles_at_run_time = false;
};

// "eng34 k2=1 k6=0"; then "tensor cores, winograd, ...".
std::string name_of(const PlanTraits& traits);
std::string text_of(const NumericalNotes& notes);

// The heuristics of cuDNN: A, its best guess; B, an alternative; FALLBACK, which always works.
// `every`: all engines that support the graph, with their default knobs, in cuDNN's order.
enum class HeuristicMode { a, b, fallback, every };

// An engine's configuration as a heuristic offers it, not yet built.
struct OfferedPlan {
    Descriptor configuration;
    PlanTraits traits;
};

// The plans that cuDNN offers for an operation graph that was finished for the same target, best
// first. Empty if there are none; throws DeviceError if cuDNN cannot answer.
std::vector<OfferedPlan> offered_plans(const Descriptor& graph, const PlanTarget& target,
                                       HeuristicMode mode);

// A plan ready to execute.
struct BuiltPlan {
    Descriptor plan;
    PlanTraits traits;
    std::size_t workspace = 0;
};

// The plans for one problem, of which the first is in use: the library's favourite, until a device
// has tried the plans or refused it. Shared by all calls of the problem.
struct PlanChoice {
    std::vector<std::shared_ptr<const BuiltPlan>> plans = {};
    bool is_tried = false;
    // Builds further plans, which are tried as well if the fastest of the first takes long; empty
    // if there are none.
    std::function<std::vector<std::shared_ptr<const BuiltPlan>>()> further = {};
    int refused = 0;  // plans that the device refused before the one in use
    // Builds the next plan that the library offers; empty if there is none.
    std::function<std::shared_ptr<const BuiltPlan>()> next = {};
    // The names of plans that a device ran and that were slower, the fastest first, and the
    // function that rebuilds one of them. They come before those of `next`.
    std::deque<std::string> slower = {};
    std::function<std::shared_ptr<const BuiltPlan>(const std::string& name)> again = {};
};

// Throws DeviceError if cuDNN cannot build what it offered.
BuiltPlan build_plan(const OfferedPlan& offered, const PlanTarget& target);
// Empty if cuDNN cannot build it.
std::optional<BuiltPlan> plan_if_built(const OfferedPlan& offered, const PlanTarget& target);

}  // namespace strata::cuda
