// SPDX-License-Identifier: MIT
#include "cli/sweep.h"

#include "base/range.h"
#include "graph/largest_batch.h"
#include "graph/memory.h"
#include "graph/parameter.h"
#include "measure/memory_use.h"
#include "run/execute.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

bool is_range(const std::string& text) {
    return text.find("..") != std::string::npos;
}

// What the job would need at a batch. Throws Error where it cannot have it.
Bytes peak_at(Job job, std::int64_t batch) {
    job.request.batch = batch;
    return footprint_of(graph_for(job), job.execution).peak;
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
        return {backend.device_memory, MemorySource::device};
    }
    return {available_memory(), MemorySource::free};
}

// Why there is no such batch.
std::string refusal_of(const Job& job, std::int64_t batch) {
    try {
        peak_at(job, batch);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

std::optional<Variation> variation_of(const NetworkOptions& options) {
    if (options.vary.size() > 1) {
        throw Error(
            "--vary takes one number at a time: give the other a fixed value and repeat the "
            "command "
            "for each, as a line has one slope",
            ExitCode::usage);
    }
    if (options.vary.empty()) {
        return std::ranges::any_of(options.batches, is_range)
                   ? std::optional(Variation{"batch", batches_of(options)})
                   : std::nullopt;
    }
    const auto [name, range] = name_and_value(options.vary.front(), "--vary");
    if (name == "batch" && !options.batches.empty()) {
        throw Error("--vary batch and --batch both give the batch: use one of them",
                    ExitCode::usage);
    }
    return Variation{name, parse_range(range, fmt::format("--vary {}", name))};
}

std::vector<Job> varied(const Job& job, const Variation& variation) {
    std::vector<Job> jobs;
    for (const std::int64_t value : variation.values) {
        Job& one = jobs.emplace_back(job);
        one.request = with_parameter(job.request, variation.name, value);
    }
    return jobs;
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
                                   ? refusal_of(job, largest->batch + 1)
                                   : ""};
}

}  // namespace strata
