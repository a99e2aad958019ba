// SPDX-License-Identifier: MIT
#include "run/execute.h"

#include "analyze/above_roof.h"
#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "measure/activity.h"
#include "measure/clock.h"
#include "measure/diagnose.h"
#include "measure/environment.h"
#include "measure/memory_use.h"
#include "measure/sampler.h"
#include "measure/waits.h"
#include "record/engines.h"
#include "record/identity.h"
#include "record/step_times.h"
#include "record/traced_algorithm.h"
#include "run/device_sampler.h"
#include "run/files.h"
#include "run/infeed.h"
#include "run/memory.h"
#include "run/profile.h"
#include "run/refusal.h"
#include "run/steps.h"
#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// One run on the given inputs with every tensor kept, for its files.
void dump(const Job& job, Backend& backend) {
    const auto executable = prepare(job, backend, MemoryReuse::kept);
    executable->run();
    write_dump(job.plan->graph, *job.dump, *executable);
}

// The reference's verdict on every step, by layer and pass. A wrong sum of gradients is attributed
// to the pass that adds it up.
PassChecks checks_of(const Job& job, Backend& backend) {
    Execution execution = job.execution;
    execution.scheduling.memory = MemoryReuse::kept;
    const auto executable = prepare(job, backend, MemoryReuse::kept);
    PassChecks checks;
    for (StepCheck& checked : verify(job.plan->graph, execution, *executable)) {
        const Step& step = executable->steps()[checked.step];
        PassCheck& check = checks[{step.layer, step.pass}];
        if (check.reason.empty() && (checked.has_reference() || !checked.reason.empty())) {
            check = {{checked.error, checked.tolerance}, std::move(checked.reason)};
        }
    }
    return checks;
}

VerifiedSteps verified_steps(const PassChecks& checks) {
    const auto compared = std::ranges::count_if(
        checks, [](const auto& check) { return check.second.error.tolerance > 0; });
    return {.compared = static_cast<std::size_t>(compared),
            .without_reference = checks.size() - static_cast<std::size_t>(compared)};
}

// The sampler's view of a prepared network. If its steps run on this process's threads and the
// kernel counts their waits, each step is watched.
class NetworkIteration final : public Iteration {
public:
    NetworkIteration(Executable& executable, Clock& clock)
        : executable_(executable), waiting_(thread_waits()) {
        if (waiting_) {
            watch_.emplace(*waiting_, reading_interval(*waiting_, clock));
            is_watched_ = executable.report_to(&*watch_);
        }
    }
    NetworkIteration(const NetworkIteration&) = delete;
    NetworkIteration& operator=(const NetworkIteration&) = delete;
    ~NetworkIteration() override { executable_.report_to(nullptr); }

    Seconds run() override { return executable_.run(); }
    Seconds run_timed(std::span<Seconds> parts) override { return executable_.run_timed(parts); }
    std::size_t parts() const override { return executable_.steps().size(); }
    WaitWatch* watch() override { return is_watched_ ? &*watch_ : nullptr; }

private:
    Executable& executable_;
    std::unique_ptr<WaitingTime> waiting_;
    std::optional<WaitWatch> watch_;
    bool is_watched_ = false;
};

// The samples of an interrupted run. The sampler needs equally many values of every part; a refused
// or failed step has none and gets zero times, which take_samples leaves out again.
SampledIteration samples_in(const Run& run) {
    SampledIteration sampled;
    const Samples untimed{std::vector<Seconds>(run.whole.instrumented.values.size())};
    for (const StepResult& step : run.steps) {
        const auto* samples = std::get_if<Samples>(&step.time);
        sampled.parts.push_back(samples ? *samples : untimed);
    }
    sampled.end_to_end = run.whole.end_to_end;
    sampled.instrumented = run.whole.instrumented;
    sampled.calibration = run.whole.calibration;
    return sampled;
}

// Samples of the steps that ran; a refused or failed step keeps its reason instead of a time.
void take_samples(const SampledIteration& sampled, Run& run) {
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (auto* samples = std::get_if<Samples>(&run.steps[i].time)) {
            *samples = sampled.parts[i];
        }
    }
    run.whole = {sampled.end_to_end, sampled.instrumented, sampled.calibration};
}

// Kernels and counters of an interrupted run. Requires: the same steps.
void take_profile(const Run& earlier, Run& run) {
    run.trace = earlier.trace;
    add_traced_algorithms(run);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        run.steps[i].metrics = earlier.steps[i].metrics;
        run.steps[i].counted_at = earlier.steps[i].counted_at;
    }
}

bool same_steps(const Run& a, const Run& b) {
    return std::ranges::equal(a.steps, b.steps, [](const StepResult& x, const StepResult& y) {
        return x.layer == y.layer && x.pass == y.pass && x.kind == y.kind &&
               x.implementation == y.implementation && x.problem == y.problem &&
               x.time.index() == y.time.index();
    });
}

// How the program was built, what it runs on, and the backend's library.
std::map<std::string, std::string> provenance_of(const BackendInfo& backend) {
    auto provenance = build_provenance();
    provenance.merge(describe_environment());
    for (const auto& [name, value] : library_variables()) {
        provenance["variable." + name] = value;
    }
    provenance["backend.name"] = backend.name;
    provenance["backend.version"] = backend.version;
    provenance["backend.details"] = backend.details;
    if (!backend.apart.empty()) {
        provenance["backend.apart"] = backend.apart;
    }
    if (!backend.device_model.empty()) {
        provenance["gpu.name"] = backend.device_model;
    }
    return provenance;
}

// The source of a step's individually chosen algorithm, and unfulfilled
// requests.
void tell_choices(const Graph& graph, std::span<const Step> steps, Run& run) {
    for (const Step& step : steps) {
        if (!step.choice.is_told() || step.kind != StepKind::compute) {
            continue;
        }
        const StepChoice& choice = step.choice;
        const std::string name =
            fmt::format("{}.{}", graph.layers[step.layer].name, name_of(step.pass));
        const std::string by = choice.source.empty() ? "" : fmt::format(" ({})", choice.source);
        if (choice.fell_back()) {
            run.provenance[fmt::format("{}{}", fallback_prefix, name)] =
                fmt::format("{}{}: {}", choice.asked, by, choice.reason);
        } else {
            run.provenance[fmt::format("{}{}", choice_prefix, name)] = step.algorithm + by;
        }
    }
}

// Ceilings of this machine's processors do not apply to a backend's own device, nor those of other
// thread counts to this one.
std::optional<Device> ceilings_for(const BackendInfo& backend, int threads) {
    return backend.device_memory ? device_of(backend.device_model) : own_device(threads);
}

// (Only after the first iterations it is known whether they can be recorded.)
TimedWork timed_work(const Run& run, const Executable& executable) {
    const bool is_framework = capabilities_of(run.settings.backend).has(Capability::peer_options);
    return !run.ran_on_gpu()                              ? TimedWork::processors
           : is_framework || executable.fails_to_record() ? TimedWork::launches
                                                          : TimedWork::device;
}

// Samples until precise, stopped or out of time, and judges the reliability of the samples.
void sample_into(Run& run, Executable& executable, DeviceWatch* watch, const Job& job,
                 const Observer& observer, SampledIteration earlier) {
    SteadyClock clock;
    DeviceSampler device(watch, clock);
    const SamplerHooks hooks{
        .stop_requested = [&] { return observer.is_stopped(); },
        .checkpoint =
            [&](const SampledIteration& sampled) {
                take_samples(sampled, run);
                if (observer.checkpoint) {
                    observer.checkpoint(run);
                }
            },
        .progress =
            [&](const Progress& p) {
                device.ask_if_due();
                observer.tell("measuring", p.fraction);
            },
    };
    observer.tell("warming up");
    const CalibrationLoop loop(run.ran_on_gpu() ? 1 : run.settings.threads());  // who launches
    NetworkIteration iteration(executable, clock);
    const Profiling* profiling = executable.profiling();
    const bool is_profiled = profiling != nullptr && profiling->is_attached();
    const Activity before = read_activity(clock);
    const SampledIteration sampled = sample(
        iteration, job.policy,
        [&] {
            executable.settle();
            return loop.run();
        },
        clock, hooks, std::move(earlier));
    take_samples(sampled, run);
    run.flags = diagnose(sampled, job.policy, change_between(before, read_activity(clock)),
                         timed_work(run, executable));
    for (const auto search : {disturbance_doubt, doubtful_ceilings_doubt, stale_ceilings_doubt}) {
        if (auto doubt = search(run)) {
            run.flags.push_back(*std::move(doubt));
        }
    }
    if (job.execution.numerics.mode == Mode::training) {
        for (const std::string& doubt : job.plan->graph.training_doubts) {
            run.flags.push_back({DoubtKind::folded, doubt});
        }
    }
    if (executable.fails_to_record()) {
        run.flags.push_back({DoubtKind::not_recorded,
                             "the iteration could not be recorded, so its steps are launched one "
                             "by one: the times include the host's part"});
    }
    if (is_profiled) {
        run.flags.push_back(
            {DoubtKind::profiler_attached,
             "a profiler was used earlier in this process and stays attached to it, which may slow "
             "down launches; a separate process has no profiler"});
    }
    device.add_to(run);
    run.state = sampled.reason == StopReason::interrupted ? RunState::partial : RunState::complete;
}

}  // namespace

std::unique_ptr<Executable> prepare(const Job& job, Backend& backend, MemoryReuse memory) {
    const Graph& graph = job.plan->graph;
    Execution execution = job.execution;
    execution.scheduling.memory = memory;
    auto executable = backend.prepare(graph, execution);
    if (job.remainder == Remainder::refused && execution.scheduling.omissions.empty()) {
        require_max_layers(graph, executable->steps());
    }
    write_inputs(graph, job.inputs, *executable);
    return executable;
}

Run planned_run(const Job& job, const Backend& backend) {
    Run run;
    run.created = now_utc();
    run.state = RunState::partial;
    run.settings = settings_of(job);
    run.predicted_memory = job.plan->footprint.peak;
    const BackendInfo info = backend.info();
    run.ran_on = info.device_memory ? DeviceKind::gpu : DeviceKind::cpu;
    run.provenance = provenance_of(info);
    run.device = ceilings_for(info, run.settings.threads());
    return run;
}

namespace {

// Fills `run`, which keeps the results so far if this throws.
void execute_remaining(const Job& job, Backend& backend, const Observer& observer,
                       const std::optional<Run>& earlier, Run& run) {
    const Graph& graph = job.plan->graph;
    run = planned_run(job, backend);
    if (DeviceWatch* watch = backend.watch()) {
        run.provenance.merge(watch->describe());
    }
    const BackendInfo info = backend.info();
    require_memory(job, info);
    std::optional<ImageFeed> feed;
    if (job.infeed) {
        observer.tell("reading images");
        feed.emplace(image_feed(*job.infeed, graph, job.execution.numerics.seed));
    }
    if (job.dump) {
        observer.tell("running on the given input");
        dump(job, backend);
    }
    PassChecks checks;
    if (job.verification == Verification::done) {
        observer.tell("verifying against the reference");
        checks = checks_of(job, backend);
        run.verified = verified_steps(checks);
    }
    observer.tell("preparing");
    const bool peak_is_ours = !info.device_memory && reset_peak_memory();
    const MemoryUse before = read_memory_use();
    const auto executable = prepare(job, backend, MemoryReuse::shared);
    executable->prepare_caches(job.policy.caches);
    run.steps = step_results(*job.plan, executable->steps(), checks);
    tell_choices(graph, executable->steps(), run);
    mark_omitted(job.execution.scheduling.omissions, run);
    SampledIteration sampled;
    if (earlier && same_steps(*earlier, run)) {
        run.id = earlier->id;
        run.created = earlier->created;
        sampled = samples_in(*earlier);
        take_samples(sampled, run);  // so that a store that renews the run's rows loses none
        take_profile(*earlier, run);
    }
    if (observer.begun) {
        observer.begun(run);
    }
    sample_into(run, *executable, backend.watch(), job, observer, std::move(sampled));
    if (run.state == RunState::complete) {
        run.empty_step = executable->time_empty_step();
    }
    if (peak_is_ours) {
        run.measured_memory = memory_taken(before, read_memory_use());
    }
    if (const auto held = executable->device_memory()) {
        run.measured_memory = held;
    }
    if (feed && run.state == RunState::complete) {
        feed_into(run, *feed, *executable, job, observer);
    }
    profile_into(run, executable->profiling(), job, observer);
}

}  // namespace

Run execute(const Job& asked, Backend& backend, const Observer& observer,
            const std::optional<Run>& earlier) {
    Job job = asked;
    job.execution.scheduling.omissions = omissions_of(earlier);
    Run run;
    try {
        execute_remaining(job, backend, observer, earlier, run);
        return run;
    } catch (const StepFailure& failure) {
        end_by_failure(run, job, failure);
    } catch (const DeviceFailure& failure) {
        if (failure.fate() == DeviceFate::usable) {
            throw;
        }
        if (!run.steps.empty()) {  // already begun
            end_by_loss(run, failure.what());
            return run;
        }
        run.steps = step_results(*job.plan, scheduled_steps(*job.plan, "the device was lost"), {});
        end_by_loss(run, failure.what());
    }
    if (observer.begun) {
        observer.begun(run);
    }
    return run;
}

}  // namespace strata
