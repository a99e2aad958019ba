// SPDX-License-Identifier: MIT
#include "cli/sweep.h"

#include "base/range.h"
#include "base/text.h"
#include "graph/largest_batch.h"
#include "graph/memory.h"
#include "measure/memory_use.h"
#include "networks/parameter.h"
#include "run/execute.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

bool is_range(const std::string& text) {
    return text.find("..") != std::string::npos;
}

// The memory the job would need at a batch. Throws Error where the network cannot have that batch.
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

std::vector<Variation> variations_of(const NetworkOptions& options) {
    std::vector<Variation> variations;
    if (options.vary.empty() && std::ranges::any_of(options.batches, is_range)) {
        variations.push_back({"batch", batches_of(options)});
    }
    for (const auto& text : options.vary) {
        const auto [name, range] = name_and_value(text, "--vary");
        if (name == "batch" && !options.batches.empty()) {
            throw Error("--vary batch and --batch both give the batch: use one of them",
                        ExitCode::usage);
        }
        if (std::ranges::find(variations, name, &Variation::name) != variations.end()) {
            throw Error(fmt::format("--vary gives {} twice: use one range, or a list such as "
                                    "{}=1,2,8..64",
                                    printable(name), printable(name)),
                        ExitCode::usage);
        }
        variations.push_back({name, parse_range(range, fmt::format("--vary {}", name))});
    }
    return variations;
}

std::vector<std::vector<std::int64_t>> combinations_of(const std::vector<Variation>& variations) {
    std::vector<std::vector<std::int64_t>> all = {{}};
    for (const Variation& variation : variations) {
        std::vector<std::vector<std::int64_t>> longer;
        for (const auto& values : all) {
            for (const std::int64_t value : variation.values) {
                longer.push_back(values);
                longer.back().push_back(value);
            }
        }
        if (longer.size() > max_range_values) {
            throw Error(fmt::format("these --vary give more than {} combinations: use fewer values",
                                    max_range_values),
                        ExitCode::usage);
        }
        all = std::move(longer);
    }
    return all;
}

NetworkRequest with_values(NetworkRequest request, const std::vector<Variation>& variations,
                           const std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < variations.size(); ++i) {
        request = with_parameter(std::move(request), variations[i].name, values[i]);
    }
    return request;
}

std::vector<Job> varied(const Job& job, const std::vector<Variation>& variations) {
    std::vector<Job> jobs;
    for (const auto& values : combinations_of(variations)) {
        Job& one = jobs.emplace_back(job);
        one.request = with_values(job.request, variations, values);
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
