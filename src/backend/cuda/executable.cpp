// SPDX-License-Identifier: MIT
#include "backend/cuda/executable.h"

#include "backend/cuda/device/values.h"
#include "backend/cuda/nvtx_range.h"
#include "backend/cuda/profiling.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "graph/memory.h"
#include "measure/statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata::cuda {

namespace {

// The alignment of cudaMalloc, and what a library's widest access may require.
constexpr std::size_t alignment = 256;

bool shares_memory(const Program& program) {
    return std::ranges::any_of(program.buffers, [](const PlannedBuffer& buffer) {
        return buffer.life == Life::transient;
    });
}

// "conv1 forward", "conv1 backward_data reorder".
std::string name_of_step(const Graph& graph, const Step& step) {
    std::string name = graph.layers[step.layer].name + " ";
    name += name_of(step.pass);
    return step.kind == StepKind::compute ? name : name + " " + std::string(name_of(step.kind));
}

}  // namespace

CudaExecutable::CudaExecutable(const Graph& graph, Program program,
                               std::shared_ptr<Machine> machine)
    : machine_(std::move(machine)), caches_(CacheState::as_left, *machine_) {
    machine_->release_workspace();  // that of a previous network, which may have been larger
    plan_memory(program);
    bound_.bind(
        graph, program,
        [this](std::vector<Call> calls, Step& step) { return bind_step(std::move(calls), step); },
        [this](Call call) { return bind(std::move(call)); });
    for (const Step& step : bound_.steps) {
        step_names_.push_back(name_of_step(graph, step));
    }
    for (std::size_t step = 0; step < bound_.steps.size(); ++step) {
        probe(step);
        if (!bound_.calls[step].empty()) {
            working_steps_.push_back(step);
        }
    }
    for (std::size_t buffer = 0; buffer < buffers_.size(); ++buffer) {
        machine_->clear(buffers_[buffer], program.buffers[buffer].bytes);
    }
    initialize(program,
               [this](const TensorView& view, const HostValues& values) { fill(view, values); });
    prepare_again();
}

// One allocation for all buffers if they share memory; otherwise one for each, so that a memory
// checker sees where each ends.
void CudaExecutable::plan_memory(const Program& program) {
    if (!shares_memory(program)) {
        for (const PlannedBuffer& buffer : program.buffers) {
            buffers_.push_back(take(buffer.bytes));
        }
        return;
    }
    const ArenaPlan plan =
        plan_arena(lifetimes_of(program.buffers, program.steps.size()), alignment);
    std::byte* begin = take(static_cast<std::size_t>(plan.size.value));
    for (const std::size_t offset : plan.offsets) {
        buffers_.push_back(begin + offset);
    }
}

std::byte* CudaExecutable::take(std::size_t bytes) {
    memory_.push_back(machine_->allocate(bytes));
    taken_ += bytes;
    return static_cast<std::byte*>(memory_.back().get());
}

std::optional<Bytes> CudaExecutable::device_memory() const {
    return Bytes{static_cast<double>(taken_ + caches_.bytes() + machine_->workspace())};
}

namespace {

std::size_t kept_memory_of(const Call& call) {
    const auto* library = std::get_if<std::shared_ptr<LibraryCall>>(&call.function);
    return library ? (*library)->kept_memory() : 0;
}

// A refusal on the device itself affects only this step.
template <class Doing>
void refuse_step_if_it_fails(Step& step, const Doing& doing) {
    try {
        doing();
    } catch (const DeviceError& error) {
        if (error.trouble() != DeviceTrouble::library_refused &&
            error.trouble() != DeviceTrouble::launch_refused) {
            throw;
        }
        step.state = Refused{error.what()};
    }
}

// A step's text may be longer than its call's.
void replace_beginning(std::string& text, const std::string& before, const std::string& now) {
    if (before.empty() && !text.empty()) {
        text = now.empty() ? text : now + ", " + text;
    } else if (text.starts_with(before)) {
        text.replace(0, before.size(), now);
    }
}

// The way of a library's call is known only after it was tried.
void tell_of_choice(const Call& call, Step& step) {
    const auto* library = std::get_if<std::shared_ptr<LibraryCall>>(&call.function);
    if (const auto chosen = library != nullptr ? (*library)->chosen() : std::nullopt) {
        replace_beginning(step.implementation, chosen->before.implementation,
                          chosen->now.implementation);
        replace_beginning(step.algorithm, chosen->before.algorithm, chosen->now.algorithm);
        step.workspace = Bytes{static_cast<double>(chosen->workspace)};
    }
}

// Whether the step caused it, so that the rest of the network may run in another process without
// it. No step is to blame for a lost device or for an unknown error.
bool is_fault_of_step(DeviceTrouble trouble) {
    return trouble == DeviceTrouble::kernel_failed || trouble == DeviceTrouble::timed_out;
}

}  // namespace

std::vector<CudaExecutable::BoundCall> CudaExecutable::bind_step(std::vector<Call> calls,
                                                                 Step& step) {
    std::vector<BoundCall> bound;
    refuse_step_if_it_fails(step, [&] {
        for (Call& call : calls) {
            bound.push_back(bind(std::move(call)));
            const Bytes finalized{static_cast<double>(workspace_of(bound.back().call))};
            step.workspace = std::max(step.workspace, finalized);
            taken_ += kept_memory_of(bound.back().call);
        }
    });
    return step.runs() ? std::move(bound) : std::vector<BoundCall>();
}

// Requires: the device is idle before, and `doing` waits for what it enqueues.
template <class Doing>
void CudaExecutable::attribute(std::size_t index, const Doing& doing) const {
    try {
        doing();
    } catch (const DeviceError& error) {
        if (!is_fault_of_step(error.trouble())) {
            throw;
        }
        const Step& step = bound_.steps[index];
        throw StepFailure({step.layer, step.pass}, fmt::format("{} by {}: {}", step_names_[index],
                                                               step.implementation, error.what()));
    }
}

// Runs a step by itself, so that a failure is attributed to it and not to an iteration.
void CudaExecutable::probe(std::size_t step) {
    attribute(step, [&] {
        refuse_step_if_it_fails(bound_.steps[step], [&] {
            for (const BoundCall& bound : bound_.calls[step]) {
                machine_->probe(bound.call, bound.addresses);
                tell_of_choice(bound.call, bound_.steps[step]);
            }
        });
    });
    if (!bound_.steps[step].runs()) {
        bound_.calls[step].clear();
    }
}

CudaExecutable::BoundCall CudaExecutable::bind(Call call) {
    machine_->finalize(call);
    BoundCall bound = {std::move(call), {}};
    for (const TensorView& view : bound.call.views) {
        bound.addresses.push_back(address_of(view));
    }
    return bound;
}

void CudaExecutable::enqueue(const std::vector<BoundCall>& calls) const {
    for (const BoundCall& bound : calls) {
        machine_->enqueue(bound.call, bound.addresses);
    }
}

// Enqueues within a range that other tools display, and reports to the watch.
void CudaExecutable::enqueue_step(std::size_t step) const {
    const NvtxRange range(step_names_[step]);
    if (watch_ == nullptr) {
        enqueue(bound_.calls[step]);
        return;
    }
    const WatchedStep watched(*watch_, step, bound_.steps[step]);
    enqueue(bound_.calls[step]);
}

void CudaExecutable::enqueue_step(std::size_t step, Pace pace) const {
    if (pace == Pace::queued || bound_.calls[step].empty()) {
        enqueue_step(step);
        return;
    }
    machine_->wait();
    attribute(step, [&] {
        enqueue_step(step);
        machine_->wait();
    });
}

void CudaExecutable::watch(StepWatch* watch) {
    watch_ = watch;
    whole_.replay.reset();
    stamped_.replay.reset();
}

void CudaExecutable::run_watched(StepWatch& watch) {
    for (const std::size_t step : working_steps_) {
        caches_.enqueue([&] { enqueue(bound_.calls[step]); });
        machine_->wait();
        const WatchedStep watched(watch, step, bound_.steps[step]);
        attribute(step, [&] {
            enqueue(bound_.calls[step]);
            machine_->wait();
        });
    }
}

Profiling* CudaExecutable::profiling() {
    if (!profiling_) {
        profiling_ = make_profiling(*this);
    }
    return profiling_.get();
}

void CudaExecutable::enqueue_whole(Pace pace) const {
    machine_->stamp(0);
    for (std::size_t step = 0; step < bound_.steps.size(); ++step) {
        enqueue_step(step, pace);
    }
    machine_->stamp(1);
}

// If nothing runs between two steps, one stamp ends the first and begins the second.
std::size_t CudaExecutable::stamp_before(std::size_t working_step) const {
    return caches_.state() == CacheState::as_left ? working_step : 2 * working_step + 1;
}

std::size_t CudaExecutable::stamp_after(std::size_t working_step) const {
    return stamp_before(working_step) + 1;
}

void CudaExecutable::enqueue_stamped(Pace pace) const {
    machine_->stamp(0);
    for (std::size_t i = 0; i < working_steps_.size(); ++i) {
        const std::size_t step = working_steps_[i];
        if (caches_.state() != CacheState::as_left) {
            caches_.enqueue([&] { enqueue(bound_.calls[step]); });
            machine_->stamp(stamp_before(i));
        }
        enqueue_step(step, pace);
        machine_->stamp(stamp_after(i));
    }
}

void CudaExecutable::prepare_again() {
    enqueue(bound_.preparations);
    machine_->wait();
}

// The first iteration runs unrecorded: libraries load and compile what they need, which cannot be
// recorded. It waits after each step, so that a step that fails or hangs on the real values is
// known. From the second on it is one launch, so that step times exclude host overhead, unless it
// cannot be recorded.
void CudaExecutable::iterate(RecordedIteration& recording,
                             const std::function<void(Pace)>& enqueue_all) {
    if (!recording.has_run) {
        enqueue_all(Pace::step_by_step);
        recording.has_run = true;
        return;
    }
    if (!recording.replay && !fails_to_record_) {
        // (By value: a machine without graphs of its own runs what was recorded again, later.)
        recording.replay = machine_->record([enqueue_all] { enqueue_all(Pace::queued); });
        fails_to_record_ = !recording.replay;
    }
    recording.replay ? recording.replay->enqueue() : enqueue_all(Pace::queued);
}

// An iteration of either kind has loaded what the other needs, except what prepares caches.
Seconds CudaExecutable::run() {
    whole_.has_run = whole_.has_run || stamped_.has_run;
    iterate(whole_, [this](Pace pace) { enqueue_whole(pace); });
    return machine_->between(0, 1);
}

Seconds CudaExecutable::run_timed(std::span<Seconds> times) {
    check(times.size() == bound_.steps.size(), "one time for each step");
    stamped_.has_run =
        stamped_.has_run || (whole_.has_run && caches_.state() == CacheState::as_left);
    iterate(stamped_, [this](Pace pace) { enqueue_stamped(pace); });
    const std::size_t last = working_steps_.empty() ? 0 : stamp_after(working_steps_.size() - 1);
    const Seconds whole = machine_->between(0, last);
    std::ranges::fill(times, Seconds{});
    for (std::size_t i = 0; i < working_steps_.size(); ++i) {
        times[working_steps_[i]] = machine_->between(stamp_before(i), stamp_after(i));
    }
    return whole;
}

// Takes stamps one after another, recorded like those of an iteration. Several intervals are timed
// as one, because a stamp's resolution is about as long as one of them.
std::optional<Seconds> CudaExecutable::time_empty_step() {
    constexpr std::size_t steps = 16;
    constexpr int repetitions = 11;
    const auto stamp_all = [this] {
        for (std::size_t stamp = 0; stamp <= steps; ++stamp) {
            machine_->stamp(stamp);
        }
    };
    const auto replay = fails_to_record_ ? nullptr : machine_->record(stamp_all);
    std::vector<Seconds> times;
    for (int i = 0; i < repetitions; ++i) {
        replay ? replay->enqueue() : stamp_all();
        times.push_back(machine_->between(0, steps) / static_cast<double>(steps));
    }
    return median_of(times);
}

void CudaExecutable::prepare_caches(CacheState state) {
    caches_ = CachePreparation(state, *machine_);
    stamped_ = {};
}

void CudaExecutable::run_step(std::size_t step) {
    enqueue_step(step, Pace::step_by_step);
    machine_->wait();
}

HostValues CudaExecutable::read(TensorId tensor, Content content) const {
    const TensorView& view = bound_.view_of(tensor, content);
    std::vector<std::byte> bytes(view.bytes());
    machine_->copy(Transfer::from_machine, address_of(view), bytes.data(), bytes.size());
    return decode(bytes, view.dims, view.format);
}

void CudaExecutable::write(TensorId tensor, Content content, std::span<const float> values) {
    fill(bound_.view_of(tensor, content), values);
    prepare_again();
}

void CudaExecutable::fill(const TensorView& view, std::span<const float> values) {
    std::vector<std::byte> bytes = encode(values, view.dims, view.format);
    machine_->copy(Transfer::to_machine, address_of(view), bytes.data(), bytes.size());
}

}  // namespace strata::cuda
