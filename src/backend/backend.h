// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "graph/execution.h"
#include "graph/graph.h"
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

// The state of a step: it runs; or it is refused, with the reason; or the step of another task does
// its work in the same operation, and it has no calls of its own.
struct Running {};
struct Refused {
    std::string reason;
};
struct IncludedIn {
    Task task;
};
using StepState = std::variant<Running, Refused, IncludedIn>;

// Which algorithm a step was asked to run by, and by whom.
struct StepChoice {
    std::string asked = {};   // "fft", or the library's implementation
    std::string source = {};  // who chose it for this step alone: "user", "tuned"; or nothing
    std::string reason = {};  // why the step runs by another one; empty: it does not

    bool is_told() const { return !source.empty() || !reason.empty(); }
    bool fell_back() const { return !reason.empty(); }
};

// "tuned"; or "instead of fft (user): stride 4" of a step that fell back.
std::string text_of(const StepChoice& choice);

// One timed piece of an iteration. Reorders and accumulations belong to the layer and pass that
// need them.
struct Step {
    LayerId layer = 0;
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    std::string implementation = {};  // as the library names it: "jit:avx512_core"
    std::string algorithm = {};       // "direct", "winograd"; empty where there is no choice
    StepChoice choice = {};           // of that algorithm
    std::string layout = {};          // of its operands and results: "nchw -> nChw16c"
    std::optional<Operations> operations = {};  // that its algorithm does, where that is known
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
    // The task whose step does its work; nothing if it runs or is refused.
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

// An error of a backend's device. If the device is lost, whatever is asked of the backend next
// fails as well, so no later failure says anything about a layer.
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

// A step that has made its device unusable for this process. The layer's pass is what another
// process should omit (Scheduling::omissions).
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

    // The memory it holds elsewhere than in this process, on a device of its own or in another
    // process, scratch memory included; nothing if it computes in this process's memory.
    virtual std::optional<Bytes> device_memory() const { return {}; }

    // The time that run_timed gives for a step that does nothing: what its time stamps cost,
    // measured now. Nothing if the backend's stamps cost too little to matter.
    virtual std::optional<Seconds> time_empty_step() { return {}; }

    // From now on `run_timed` tells the watch of each step; null: it tells nobody. Whether it does,
    // which only a backend can whose steps run on this process's threads.
    virtual bool report_to(WaitWatch* watch) {
        (void)watch;
        return false;
    }

    // Returns when no thread that works for it runs any more, also none that waits for work and
    // spins: called before this process's own threads are timed (measure/clock.h).
    virtual void settle() {}

    // Whether iterations, which this backend records to launch them at once, could not be recorded:
    // what the host does between steps is then in the times.
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
    // What its timed steps do otherwise than an iteration without instruments, as sentences; empty
    // where they do the same, one after another.
    std::string apart = {};
};

class DeviceWatch;

// What a lost device (DeviceFate::lost) takes along: whatever this process would still do on it, or
// only the executable, because each has a device of its own, such as a process.
enum class LossScope { process, executable };

// Anything that can measure how long a network's steps take.
class Backend {
public:
    virtual ~Backend() = default;
    virtual BackendInfo info() const = 0;

    // Why no network can run with this execution here, as a sentence: "AVX2 has no bf16 products;
    // AVX-512 is needed"; empty if there is no known reason. Asked before anything is prepared.
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

    // Why hardware counters of its own device cannot be read, empty if they can; nothing if it has
    // no such device.
    virtual std::optional<std::string> counting_refusal() { return {}; }

    // What it cannot do here for want of a library, a sentence each, with the fix.
    virtual std::vector<std::string> shortcomings() { return {}; }

    // The ceilings of its own device, measured now; nothing if it has none, because
    // measure/ceilings.h then measures this machine. `progress` receives the name of what is
    // measured next.
    virtual std::optional<Device> measure_device(
        const std::function<void(const std::string&)>& progress) {
        (void)progress;
        return {};
    }
};

}  // namespace strata
