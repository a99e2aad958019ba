// SPDX-License-Identifier: MIT
#include "run/memory.h"

#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "measure/memory_use.h"

#include <fmt/format.h>

#include <utility>

namespace strata {

namespace {

// The memory that the job would need at a batch. Throws Error if the network cannot have that
// batch.
Bytes peak_at(Job job, std::int64_t batch) {
    job.request.batch = batch;
    return planned(std::move(job)).plan->footprint.peak;
}

std::optional<Bytes> peak_if_any(const Job& job, std::int64_t batch) {
    try {
        return peak_at(job, batch);
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::pair<std::optional<Bytes>, MemorySource> memory_for(const Job& job,
                                                         const BackendInfo& backend) {
    if (job.memory) {
        return {job.memory, MemorySource::given};
    }
    if (backend.device_memory) {
        return {backend.free_device_memory ? backend.free_device_memory : backend.device_memory,
                MemorySource::device};
    }
    return {available_memory(), MemorySource::free};
}

// Why the network cannot have that batch.
std::string batch_refusal(const Job& job, std::int64_t batch) {
    try {
        peak_at(job, batch);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

void require_memory(const Job& job, const BackendInfo& backend) {
    const Graph& graph = job.plan->graph;
    const Bytes needed = job.plan->footprint.peak;
    const auto refuse_beyond = [&](const std::optional<Bytes>& limit, std::string_view whose,
                                   const std::string& of_all = {}) {
        if (limit && needed > *limit) {
            throw NeedsMemory(fmt::format(
                "{} at batch {} needs {} and {} {}{}; try a smaller --batch", printable(graph.name),
                batch_of(graph), byte_size_text(needed), whose, byte_size_text(*limit), of_all));
        }
    };
    refuse_beyond(job.memory, "--memory gives");
    if (backend.device_memory) {
        refuse_beyond(backend.device_memory, "the device has");
        refuse_beyond(backend.free_device_memory, "the device has free",
                      " of " + byte_size_text(*backend.device_memory));
    } else {
        refuse_beyond(available_memory(), "this machine has free");
    }
}

std::optional<Capacity> capacity_of(const Job& job, const BackendInfo& backend) {
    const auto [memory, source] = memory_for(job, backend);
    if (!memory) {
        return std::nullopt;
    }
    const auto peak = [&](std::int64_t batch) { return peak_if_any(job, batch); };
    const auto largest = largest_batch(peak, *memory);
    if (!largest) {
        return std::nullopt;
    }
    return Capacity{.largest = *largest,
                    .memory = *memory,
                    .source = source,
                    .refusal = largest->limit == BatchLimit::network
                                   ? batch_refusal(job, largest->batch + 1)
                                   : ""};
}

}  // namespace strata
