// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory.h"
#include "predict/ceilings.h"
#include "predict/network.h"
#include "record/run.h"
#include "run/job.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// What Settings::backend and Job::backend say of a predicted run: "modelled:v100", and the device
// that it names; nothing for another backend.
std::string modelled_backend(std::string_view device);
std::optional<std::string> modelled_device(std::string_view backend);

// Names the device, and the algorithm of convolutions where none was asked for: on CPUs the one
// that `strata run` takes, elsewhere what the device's library chooses.
void set_device(Job& job, const DeviceDescription& device);

// What a prediction needs of a device's memory.
struct ModelledMemory {
    Footprint footprint;  // by liveness
    Bytes workspace;      // the largest of a step
    std::optional<Bytes> of_device = {};

    Bytes needed() const { return footprint.peak + workspace; }
    bool fits() const { return !of_device || needed() <= *of_device; }
};
ModelledMemory memory_of(const Graph& graph, const Execution& execution,
                         const NetworkPrediction& prediction, const DeviceDescription& device);

// What a predicted run states: every number of its device with its source and where the rates come
// from; or, as one of thousands, its steps and only which device it is for, whose ceilings are
// there in any case; or of these its work instead of the steps.
enum class ModelledDetail { whole, steps, time };

// Whether a device can have such a time and memory, and a database can hold them.
bool is_believable(Seconds time, Bytes memory);

// What all runs of a sweep with one device and these settings have in common: everything but
// network, batch, time, work and memory.
Run modelled_prototype(const Job& job, const DeviceDescription& device);

// The prediction as a run: a time for every step, their sum as the whole, what was assumed of the
// device, where its rates come from and how far predictions by them are off. Requires: the job's
// graph, and the device with job.changes applied.
Run modelled_run(const Job& job, const Graph& graph, const DeviceModel& device,
                 const NetworkPrediction& prediction);

// The same where the memory is known already.
Run modelled_run(const Job& job, const Graph& graph, const DeviceModel& device,
                 const NetworkPrediction& prediction, const ModelledMemory& memory,
                 ModelledDetail detail);

}  // namespace strata
