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

// What the job would need at a batch; nothing where it cannot have it.
std::optional<Bytes> peak_at(Job job, std::int64_t batch) {
    job.request.batch = batch;
    try {
        return footprint_of(graph_for(job), job.execution).peak;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<Variation> variation_of(const NetworkOptions& options) {
    if (options.vary.empty()) {
        return std::ranges::any_of(options.batches, is_range)
                   ? std::optional(Variation{"batch", batches_of(options)})
                   : std::nullopt;
    }
    const auto [name, range] = name_and_value(options.vary, "--vary");
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

std::optional<Capacity> capacity_of(const Job& job) {
    const auto free = available_memory();
    if (!free) {
        return std::nullopt;
    }
    const auto batch =
        largest_batch([&](std::int64_t images) { return peak_at(job, images); }, *free);
    return batch ? std::optional(Capacity{*batch, *free}) : std::nullopt;
}

}  // namespace strata
