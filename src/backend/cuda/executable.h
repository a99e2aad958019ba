// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cache_preparation.h"
#include "backend/cuda/device/machine.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/bound_program.h"
#include "backend/profiling.h"

namespace strata::cuda {

// A program with its memory on a machine: every call has its addresses, and nothing is decided or
// allocated while it runs. An iteration, with or without time stamps, is recorded once and then
// repeated with one launch, if the machine can record it.
class CudaExecutable : public Executable {
public:
    // Probes each step; a refusal becomes that step's refusal. Throws StepFailure if a step leaves
    // the device unusable, DeviceError if the machine lacks the memory.
    CudaExecutable(const Graph& graph, Program program, std::shared_ptr<Machine> machine);

    std::span<const Step> steps() const override { return bound_.steps; }
    // Measured by the device's clock, from before the first step to after the last.
    Seconds run() override;
    // If caches are prepared, each step has a stamp before and after it, and the preparation is
    // between the steps. A step without calls (an alias) has no stamps and takes no time.
    Seconds run_timed(std::span<Seconds> times) override;
    void prepare_caches(CacheState state) override;
    void run_step(std::size_t step) override;
    HostValues read(TensorId tensor, Content content) const override;
    void write(TensorId tensor, Content content, std::span<const float> values) override;
    // Its own allocations and the machine's scratch memory.
    std::optional<Bytes> device_memory() const override;
    std::optional<Seconds> time_empty_step() override;
    bool fails_to_record() const override { return fails_to_record_; }
    Profiling* profiling() override;

    // Notifies the watch of each step from here on, before and after its calls are enqueued;
    // nullptr: nobody. Iterations are recorded again, so that the watch sees the recording.
    void watch(StepWatch* watch);
    // Runs an iteration without recording it, and notifies the watch of each step that has calls;
    // the device is idle when the step begins and when it ends. Caches are prepared before each
    // step, as in run_timed().
    void run_watched(StepWatch& watch);
    // The indices of the steps that have calls.
    std::span<const std::size_t> working_steps() const { return working_steps_; }
    // Waits until the device is idle.
    void wait() { machine_->wait(); }
    const DeviceProperties& device() const { return machine_->properties(); }

private:
    struct BoundCall {
        Call call;
        std::vector<void*> addresses;
    };

    // An iteration that is recorded after it has run once.
    struct RecordedIteration {
        bool has_run = false;
        std::unique_ptr<Replay> replay = {};
    };

    void plan_memory(const Program& program);
    std::byte* take(std::size_t bytes);
    std::vector<BoundCall> bind_step(std::vector<Call> calls, Step& step);
    // Whether steps are put on the stream one after another, or each is waited for.
    enum class Pace { queued, step_by_step };

    // Throws StepFailure instead if the step may be the cause of what `doing` throws.
    template <class Doing>
    void attribute(std::size_t index, const Doing& doing) const;
    void probe(std::size_t step);
    BoundCall bind(Call call);
    std::byte* address_of(const TensorView& view) const {
        return buffers_[view.buffer] + view.offset;
    }
    void enqueue(const std::vector<BoundCall>& calls) const;
    void enqueue_step(std::size_t step) const;
    void enqueue_step(std::size_t step, Pace pace) const;
    void enqueue_whole(Pace pace) const;
    void enqueue_stamped(Pace pace) const;
    std::size_t stamp_before(std::size_t working_step) const;  // its index in working_steps_
    std::size_t stamp_after(std::size_t working_step) const;
    void iterate(RecordedIteration& recording, const std::function<void(Pace)>& enqueue_all);
    void prepare_again();
    void fill(const TensorView& view, std::span<const float> values);

    std::shared_ptr<Machine> machine_;
    std::vector<Memory> memory_;
    std::size_t taken_ = 0;            // bytes allocated in it
    std::vector<std::byte*> buffers_;  // by buffer of the program
    BoundProgram<CudaViews, BoundCall> bound_;
    std::vector<std::size_t> working_steps_;
    std::vector<std::string> step_names_;  // "conv1 forward", as other tools display it
    RecordedIteration whole_;
    RecordedIteration stamped_;
    bool fails_to_record_ = false;
    CachePreparation caches_;
    StepWatch* watch_ = nullptr;
    std::unique_ptr<Profiling> profiling_;
};

}  // namespace strata::cuda
