// SPDX-License-Identifier: MIT
#include "run/experiment.h"

#include "base/error.h"
#include "base/range.h"
#include "networks/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace strata {

namespace {

std::vector<Settings> settings_in(const ExperimentRequest& request) {
    const Job& common = request.common;
    return request.settings.empty() ? std::vector<Settings>{{.slice = common.slice,
                                                             .execution = common.execution,
                                                             .policy = common.policy}}
                                    : request.settings;
}

std::vector<Variation> variations_of(const ExperimentRequest& request) {
    const bool is_sweep = request.variations.empty() && request.batches.size() > 1 &&
                          settings_in(request).front().execution.numerics.mode == Mode::inference;
    return is_sweep ? std::vector<Variation>{{"batch", request.batches}} : request.variations;
}

// Separate batches; a varied batch belongs to the sweep.
std::vector<std::optional<std::int64_t>> batches_beside(const std::vector<Variation>& variations,
                                                        const std::vector<std::int64_t>& batches) {
    if (batches.empty() || varies_batch(variations)) {
        return {std::nullopt};
    }
    return {batches.begin(), batches.end()};
}

Group varied(const Job& job, const std::vector<Variation>& variations) {
    Group group;
    for (const auto& values : combinations_of(variations)) {
        Job& one = group.emplace_back(job);
        one.request = with_values(job.request, variations, values);
        one = planned(std::move(one));
    }
    return group;
}

}  // namespace

bool varies_batch(const std::vector<Variation>& variations) {
    return std::ranges::find(variations, "batch", &Variation::name) != variations.end();
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

Experiment experiment_of(const ExperimentRequest& request) {
    Experiment experiment{
        .groups = {}, .settings = settings_in(request), .variations = variations_of(request)};
    const auto batches = batches_beside(experiment.variations, request.batches);
    for (const std::string& network : request.networks) {
        Job job = request.common;
        job.request.network = network;
        job.content = content_of(job);  // hashed once for each network
        for (const auto& batch : batches) {
            for (const Settings& settings : experiment.settings) {
                job.request.batch = batch;
                job.slice = settings.slice;
                job.execution = settings.execution;
                job.policy = settings.policy;
                job.device_changes = request.common.device_changes;
                job.device_changes.insert(settings.device_changes.begin(),
                                          settings.device_changes.end());
                experiment.groups.push_back(varied(job, experiment.variations));
            }
        }
    }
    return experiment;
}

std::size_t count_jobs(const Experiment& experiment) {
    std::size_t count = 0;
    for (const Group& group : experiment.groups) {
        count += group.size();
    }
    return count;
}

std::string identity_of(const Experiment& experiment) {
    std::string text;
    for (const Group& group : experiment.groups) {
        for (const Job& job : group) {
            text += identity_of(job) + "\n";
        }
    }
    return text;
}

}  // namespace strata
