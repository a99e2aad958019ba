// SPDX-License-Identifier: MIT
#include "run/modelled.h"

#include "base/error.h"
#include "base/unit_text.h"
#include "predict/device_change.h"
#include "predict/network_interval.h"
#include "predict/stated_error.h"
#include "record/identity.h"
#include "run/execute.h"
#include "run/steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr Seconds longest_iteration{1e9};  // thirty years
constexpr Bytes max_memory{1e18};

Step step_of(const PredictedStep& predicted) {
    Step step{.layer = predicted.layer, .pass = predicted.pass, .kind = predicted.kind};
    step.moved = predicted.moved;
    if (!predicted.refusal.empty()) {
        step.state = Refused{predicted.refusal};
    } else if (predicted.within) {
        step.state = IncludedIn{*predicted.within};
    } else if (predicted.kernels.empty()) {
        step.implementation = alias_implementation;
        step.implementation_kind = ImplementationKind::alias;
    } else {
        const auto longest =
            std::ranges::max_element(predicted.kernels, {}, &KernelPrediction::time);
        step.implementation = longest->name;
        step.algorithm = longest->algorithm;
        for (const KernelPrediction& kernel : predicted.kernels) {
            step.workspace = std::max(step.workspace, kernel.workspace);
        }
    }
    return step;
}

void name_device(const DeviceDescription& device, Run& run) {
    run.ran_on = device.kind;
    run.provenance[device.kind == DeviceKind::gpu ? "gpu.name" : "cpu.model"] = device.model;
    run.provenance["device.name"] = device.name;
}

// The threads that run a layer together; 0 on a device whose work is not divided into system
// threads.
int threads_of(const DeviceDescription& device) {
    return device.kind == DeviceKind::cpu && device.processors
               ? static_cast<int>(std::clamp(device.processors->value.value, 0.0, 1e6))
               : 0;
}

// The assumptions about the device, with their sources, and the origin of the rates.
void tell_device(const DeviceModel& model, const NetworkPrediction& prediction, Run& run) {
    const DeviceDescription& device = model.device();
    for (const DeviceField& field : device_fields()) {
        if (const auto number = number_of(device, field)) {
            run.provenance["device." + std::string(field.key)] =
                fmt::format("{} ({})", text_with_unit(number->value, number->unit), number->source);
        }
    }
    const auto shares = shares_by_rates(prediction, model);
    for (const RateShare& share : shares) {
        const RateSource& source = share.source;
        std::string text(name_of(source.origin));
        if (!source.device.empty()) {
            text += fmt::format(": '{}' of {}", source.name, source.device);
        }
        if (share.error) {
            text += fmt::format(", {:.1f} % off", 100 * *share.error);
        }
        run.provenance["rates." + std::string(name_of(share.rates))] = std::move(text);
    }
    run.provenance["model.basis"] = basis_sentence(shares);
}

PredictedInterval predicted(const FoundInterval& found) {
    return {.low = found.time.low, .high = found.time.high, .basis = found.basis};
}

// The intervals of the steps, and of the whole if each step has a time.
void tell_intervals(const DeviceModel& model, const NetworkPrediction& prediction, Run& run) {
    const NetworkIntervals found =
        intervals_of(prediction, model, is_changed(model.device(), run.settings.device_changes));
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto& step = found.steps[i]) {
            run.steps[i].interval = predicted(*step);
        }
    }
    if (prediction.refused() == 0) {
        run.interval = predicted(found.whole);
        run.provenance["model.interval"] = interval_sentence(found.whole);
    }
}

// The framework on a GPU's host, asked for or assumed. (Before Volta, none is known to be assumed.)
void tell_framework(const DeviceModel& model, Run& run) {
    const DeviceDescription& device = model.device();
    const Framework& assumed = frameworks().front();
    if (model.framework() != nullptr) {
        run.provenance["model.framework"] = framework_sentence(*model.framework(), device);
    } else if (device.kind == DeviceKind::gpu && Framework::on_host_of(device, assumed.pass)) {
        run.provenance["model.framework"] = "assumed " + framework_sentence(assumed, device);
    }
}

// How f32 is multiplied by a device that also has TF32: frameworks differ.
void tell_single_precision(const DeviceDescription& device, Run& run) {
    const Numerics& numerics = run.settings.execution.numerics;
    if (numerics.dtype != DataType::f32 || !device.tf32_peak) {
        return;
    }
    run.provenance["model.single_precision"] =
        numerics.single_precision == SinglePrecision::tf32 ? "products and convolutions in TF32"
        : run.settings.device_changes.contains("tf32")
            ? "convolutions in TF32 and products in f32, PyTorch's default"
            : "products and convolutions in f32; PyTorch's default is TF32 for convolutions, "
              "--set tf32=convolutions";
}

// By liveness: the parts at their own worst moments.
void tell_memory(const ModelledMemory& memory, Run& run) {
    const Footprint& parts = memory.footprint;
    const auto tell = [&](const char* what, Bytes bytes) {
        run.provenance[std::string("memory.") + what] = text_with_unit(bytes.value, "B");
    };
    tell("weights", parts.parameters);
    const Numerics& numerics = run.settings.execution.numerics;
    if (numerics.mode == Mode::training && size_in_bytes(numerics.dtype) < 4) {
        run.provenance["memory.weights"] += ", f32 masters";
    }
    tell("optimizer", parts.optimizer);
    tell("activations", parts.activations);
    tell("gradients", parts.gradients);
    tell("saved", parts.saved);
}

void doubt_memory(const ModelledMemory& memory, Run& run) {
    if (!memory.fits()) {
        run.flags.push_back(doubt_named(
            "does-not-fit",
            fmt::format("it needs {}, which will not fit in the {} of {}; the times are those of a "
                        "device with enough memory",
                        text_with_unit(memory.needed().value, "B"),
                        text_with_unit(memory.of_device->value, "B"),
                        run.provenance["device.name"])));
    }
}

std::vector<Step> planned_steps(const NetworkPrediction& prediction) {
    std::vector<Step> steps;
    steps.reserve(prediction.steps.size());
    for (const PredictedStep& step : prediction.steps) {
        steps.push_back(step_of(step));
    }
    return steps;
}

Seconds launch_of(const PredictedStep& predicted) {
    Seconds sum;
    for (const KernelPrediction& kernel : predicted.kernels) {
        sum += kernel.terms[Term::launch];
    }
    return sum;
}

std::vector<StepResult> modelled_steps(const Plan& plan, const NetworkPrediction& prediction,
                                       DeviceKind device) {
    std::vector<StepResult> results = step_results(plan, planned_steps(prediction), {});
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (auto* samples = std::get_if<Samples>(&results[i].time)) {
            samples->values = {prediction.steps[i].time()};
            if (device == DeviceKind::gpu) {
                results[i].launch = launch_of(prediction.steps[i]);
            }
        }
    }
    return results;
}

// Throws Error for impossible results, as from numbers far from any real device's.
void require_believable(const NetworkPrediction& prediction, const ModelledMemory& memory,
                        const std::string& device) {
    if (!(prediction.time() < longest_iteration)) {
        throw Error(fmt::format("an iteration on {} would not end in thirty years: correct the "
                                "device's numbers, or give a smaller batch",
                                device),
                    ExitCode::usage);
    }
    if (!(memory.needed() < max_memory)) {
        throw Error(fmt::format("an iteration would need {} of memory, more than any device has: "
                                "give a smaller batch",
                                text_with_unit(memory.needed().value, "B")),
                    ExitCode::usage);
    }
}

// The same for ceilings that a database could not store.
void require_believable(const Device& ceilings) {
    constexpr double highest = 1e24;  // operations or bytes per second
    for (const ComputeCeiling& one : ceilings.compute) {
        if (!(one.peak.value.value < highest)) {
            throw Error(fmt::format("{} would have more than 1e24 {} operations per second: "
                                    "correct its processors, lanes and clock",
                                    ceilings.name, one.dtype),
                        ExitCode::usage);
        }
    }
    for (const MemoryLevel& level : ceilings.memory) {
        if (!(level.bandwidth.value.value < highest)) {
            throw Error(fmt::format("{} would move more than 1e24 bytes per second from its {}: "
                                    "correct the bandwidth",
                                    ceilings.name, level.name),
                        ExitCode::usage);
        }
    }
}

}  // namespace

std::string modelled_backend(std::string_view device) {
    return std::string(modelled_prefix) + std::string(device);
}

std::optional<std::string> modelled_device(std::string_view backend) {
    return backend.starts_with(modelled_prefix)
               ? std::optional(std::string(backend.substr(modelled_prefix.size())))
               : std::nullopt;
}

ModelledMemory memory_of(const Plan& plan, const NetworkPrediction& prediction,
                         const DeviceDescription& device) {
    ModelledMemory memory{.footprint = plan.footprint, .workspace = {}};
    for (const PredictedStep& step : prediction.steps) {
        for (const KernelPrediction& kernel : step.kernels) {
            memory.workspace = std::max(memory.workspace, kernel.workspace);
        }
    }
    if (device.memory) {
        memory.of_device = device.memory->value;
    }
    return memory;
}

void set_device(Job& job, const DeviceDescription& device) {
    job.backend = modelled_backend(device.name);
}

bool is_believable(Seconds time, Bytes memory) {
    return time < longest_iteration && memory < max_memory;
}

Run modelled_prototype(const Job& job, const DeviceDescription& device) {
    Run run;
    run.created = now_utc();
    run.origin = Origin::modelled;
    run.settings = settings_of(job, job.request.batch.value_or(1), threads_of(device));
    run.provenance["strata.commit"] = strata_commit();
    run.device = ceilings_of(device);
    require_believable(*run.device);
    name_device(device, run);
    return run;
}

Run modelled_run(const Job& job, const DeviceModel& device, const NetworkPrediction& prediction) {
    return modelled_run(job, device, prediction, memory_of(*job.plan, prediction, device.device()),
                        ModelledDetail::whole);
}

Run modelled_run(const Job& job, const DeviceModel& device, const NetworkPrediction& prediction,
                 const ModelledMemory& memory, ModelledDetail detail) {
    require_believable(prediction, memory, device.device().name);
    Run run = modelled_prototype(job, device.device());
    run.settings.batch = batch_of(job.plan->graph);
    if (detail == ModelledDetail::whole) {
        run.provenance.merge(build_provenance());
    }
    if (detail == ModelledDetail::time) {
        run.work = work_of_steps(*job.plan, planned_steps(prediction));
    } else {
        run.steps = modelled_steps(*job.plan, prediction, device.device().kind);
    }
    run.whole.end_to_end.values = {prediction.time()};
    run.predicted_memory = memory.footprint.peak;
    if (detail == ModelledDetail::whole) {
        tell_device(device, prediction, run);
        tell_framework(device, run);
        tell_intervals(device, prediction, run);
        tell_single_precision(device.device(), run);
        tell_memory(memory, run);
    }
    doubt_memory(memory, run);
    return run;
}

}  // namespace strata
