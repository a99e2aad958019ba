// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "graph/execution.h"
#include "graph/graph.h"
#include "graph/implementation.h"
#include "graph/schedule.h"
#include "measure/policy.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace strata {

// The state of a step: it runs; it is refused, with the reason; or the step of another task does
// its work in the same operation, and it has no calls itself.
struct Running {};
struct Refused {
    std::string reason;
};
struct IncludedIn {
    Task task;
};
using StepState = std::variant<Running, Refused, IncludedIn>;

// The algorithm that was requested for a step, and by whom.
struct StepChoice {
    std::string asked = {};   // "fft", or the library's implementation
    std::string source = {};  // who chose it for this step alone: "user", "tuned"; may be empty
    std::string reason = {};  // why the step uses another one; empty if it does not

    bool is_told() const { return !source.empty() || !reason.empty(); }
    bool fell_back() const { return !reason.empty(); }
};

// "tuned"; or "instead of fft (user): stride 4" for a step that fell back.
std::string text_of(const StepChoice& choice);

// One timed piece of an iteration. Reorders and accumulations belong to the layer and pass that
// need them.
struct Step {
    LayerId layer = 0;
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    std::string implementation = {};  // as the library names it: "jit:avx512_core"
    ImplementationKind implementation_kind = ImplementationKind::unknown;
    std::string algorithm = {};                 // "direct", "winograd"; empty if there is no choice
    StepChoice choice = {};                     // of that algorithm
    std::string layout = {};                    // of its operands and results: "nchw -> nChw16c"
    std::optional<Operations> operations = {};  // those of its algorithm, if known
    Bytes workspace = {};                       // scratch memory it uses while it runs
    Bytes moved = {};                           // reorder and accumulate: bytes read and written
    StepState state = Running{};

    bool runs() const { return std::holds_alternative<Running>(state); }
    bool is_refused() const { return std::holds_alternative<Refused>(state); }
    // Why it is refused; empty if it is not.
    std::string refusal() const {
        const auto* refused = std::get_if<Refused>(&state);
        return refused == nullptr ? std::string() : refused->reason;
    }
    // The task whose step does its work; empty if it runs or is refused.
    std::optional<Task> within() const {
        const auto* included = std::get_if<IncludedIn>(&state);
        return included == nullptr ? std::nullopt : std::optional(included->task);
    }
};

// A tensor of the running network: its value, or its gradient.
enum class Content { value, gradient };

class Profiling;
class WaitWatch;

// Dense row-major values, as f32 whatever the backend stores.
using HostValues = std::vector<float>;

// Whether this process can go on using a backend's device.
enum class DeviceFate { usable, lost };

// An error of a backend's device. If the device is lost, every later call of the backend fails as
// well, so later failures say nothing about a layer.
class DeviceFailure : public Error {
public:
    DeviceFailure(DeviceFate fate, std::string sentence, ExitCode code)
        : Error(std::move(sentence), code), fate_(fate) {}
    DeviceFate fate() const { return fate_; }

private:
    DeviceFate fate_;
};

// Whether the error was thrown because its device is lost.
inline bool loses_device(const Error& error) {
    const auto* failure = dynamic_cast<const DeviceFailure*>(&error);
    return failure != nullptr && failure->fate() == DeviceFate::lost;
}

// A step that has made its device unusable for this process. Another process should omit the
// layer's pass (Scheduling::omissions).
class StepFailure : public DeviceFailure {
public:
    StepFailure(const Task& task, std::string sentence)
        : DeviceFailure(DeviceFate::lost, std::move(sentence), ExitCode::failed), task_(task) {}
    const Task& task() const { return task_; }

private:
    Task task_;
};

// A graph prepared on a machine: memory allocated, implementations chosen, parameters drawn. Inputs
// and parameters hold the values of backend/inputs.h until `write` replaces them.
class Executable {
public:
    virtual ~Executable() = default;

    // In order of execution. Refused steps are included, with their reason.
    virtual std::span<const Step> steps() const = 0;

    // Runs one iteration without anything between the steps; returns its time by the backend's own
    // clock.
    virtual Seconds run() = 0;

    // Runs one iteration with a time stamp between steps; fills in one time per step, returns the
    // total.
    virtual Seconds run_timed(std::span<Seconds> times) = 0;

    // Brings the caches into this state before each step of `run_timed`, outside its time. The
    // default is as_left. Requires: the backend prepares caches, or the state is as_left.
    virtual void prepare_caches(CacheState state) {
        check(state == CacheState::as_left, "the backend prepares caches");
    }

    // Runs one step alone, blocking. Running all steps in order gives the result of `run`.
    virtual void run_step(std::size_t step) = 0;

    // Current values. Requires: memory is kept (Scheduling::memory) unless the tensor is an input,
    // parameter or output; a gradient only if the schedule has one.
    virtual HostValues read(TensorId tensor, Content content) const = 0;
    virtual void write(TensorId tensor, Content content, std::span<const float> values) = 0;

    // Kernels and counters of its steps (backend/profiling.h); null if the backend has none. Lives
    // as long as the executable.
    virtual Profiling* profiling() { return nullptr; }

    // The memory that it holds outside this process, on its own device or in another process,
    // including scratch memory; empty if it computes in this process's memory.
    virtual std::optional<Bytes> device_memory() const { return {}; }

    // The time that run_timed gives for a step that does nothing: the cost of its time stamps,
    // measured now. Empty if the stamps cost too little to matter.
    virtual std::optional<Seconds> time_empty_step() { return {}; }

    // From now on `run_timed` notifies the watch of each step; null: none. Returns whether it does,
    // which is only possible if steps run on this process's threads.
    virtual bool report_to(WaitWatch* watch) {
        (void)watch;
        return false;
    }

    // Returns when none of its threads runs any more, not even spinning for work: called before
    // this process's own threads are timed (measure/clock.h).
    virtual void settle() {}

    // Whether recording iterations to launch them at once failed: the times then include the host's
    // work between steps.
    virtual bool fails_to_record() const { return false; }
};

// The library behind a backend, for provenance.
struct BackendInfo {
    std::string name;     // "onednn"
    std::string version;  // of the library: "2.6.3"
    std::string details;  // instruction set, threading runtime; or the device
    // Memory of the device that it computes on; absent if it uses this machine's memory and
    // processors.
    std::optional<Bytes> device_memory = {};
    std::string device_model = {};  // "NVIDIA H200"; empty without such a device
    // How much of that memory is free now; absent if unknown.
    std::optional<Bytes> free_device_memory = {};
    // How its timed steps differ from an iteration without instruments, as sentences; empty if they
    // do the same, one after another.
    std::string apart = {};
    int vector_bits = 0;  // of the widest instructions that it uses on a processor; 0: unknown
};

class DeviceWatch;

// What is lost with a device (DeviceFate::lost): everything that this process would still do on it,
// or only the executable, because each has its own device, such as a process.
enum class LossScope { process, executable };

// Anything that can measure how long a network's steps take.
class Backend {
public:
    virtual ~Backend() = default;
    virtual BackendInfo info() const = 0;

    // Why no network can run with this execution here, as a sentence: "AVX2 has no bf16 products;
    // AVX-512 is needed"; empty if there is no known reason. Called before anything is prepared.
    virtual std::string refusal_of(const Execution& execution) const {
        (void)execution;
        return {};
    }

    // Throws Error only if the whole network cannot be prepared (memory, or `refusal_of`); an
    // unsupported layer becomes a refused step.
    virtual std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) = 0;

    virtual LossScope loss_scope() const { return LossScope::process; }

    // Reports the state of its own device (backend/device_watch.h); null if it has none. Lives as
    // long as the backend.
    virtual DeviceWatch* watch() { return nullptr; }

    // Why hardware counters of its own device cannot be read (empty if they can); none if it has no
    // such device.
    virtual std::optional<std::string> counting_refusal() { return {}; }

    // What it cannot do here because a library is missing, one sentence each, with the fix.
    virtual std::vector<std::string> shortcomings() { return {}; }

    // The ceilings of its own device, measured now; empty if it has none, because
    // measure/ceilings.h then measures this machine. `progress` receives the name of what is
    // measured next.
    virtual std::optional<Device> measure_device(
        const std::function<void(const std::string&)>& progress) {
        (void)progress;
        return {};
    }
};

}  // namespace strata
