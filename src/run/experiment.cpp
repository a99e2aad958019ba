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

// Separate batches; a batch that is varied belongs to the sweep.
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

namespace {

// The contradictions, variable by variable.
class Overrides {
public:
    Overrides(const std::map<std::string, std::string>& variables, const Execution& execution)
        : variables_(variables), numerics_(execution.numerics) {}

    std::vector<Doubt> on_device() {
        const std::string tf32 = value("NVIDIA_TF32_OVERRIDE");
        const bool asks_tf32 = numerics_.single_precision == SinglePrecision::tf32;
        if (tf32 == "0" && asks_tf32) {
            add("NVIDIA_TF32_OVERRIDE", "keeps libraries from TF32, which --tf32 asks for");
        }
        if (tf32 == "1" && numerics_.dtype == DataType::f32 && !asks_tf32) {
            add("NVIDIA_TF32_OVERRIDE",
                "may let libraries compute f32 in TF32, and f32 in full is asked for");
        }
        if (const std::string blocking = value("CUDA_LAUNCH_BLOCKING");
            !blocking.empty() && blocking != "0") {
            add("CUDA_LAUNCH_BLOCKING",
                "makes the host wait for each kernel, so the times include the host's part");
        }
        return std::move(doubts_);
    }

    std::vector<Doubt> on_processors() {
        for (const char* name : {"ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE"}) {
            const std::string mode = value(name);
            const bool is_strict = mode.empty() || mode == "strict" || mode == "STRICT";
            if (!is_strict && numerics_.dtype == DataType::f32) {
                add(name, "lets oneDNN compute f32 in fewer bits, and f32 in full is asked for");
            }
        }
        return std::move(doubts_);
    }

private:
    // Empty if it is not set.
    std::string value(const std::string& name) const {
        const auto found = variables_.find(name);
        return found == variables_.end() ? "" : found->second;
    }

    void add(const std::string& name, std::string_view what) {
        doubts_.push_back(
            {DoubtKind::overridden,
             fmt::format("{}={} {}; unset it and measure again", name, value(name), what)});
    }

    const std::map<std::string, std::string>& variables_;
    const Numerics& numerics_;
    std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> doubts_about_overrides(const std::map<std::string, std::string>& variables,
                                          const Execution& execution, bool is_on_device) {
    Overrides overrides(variables, execution);
    return is_on_device ? overrides.on_device() : overrides.on_processors();
}

}  // namespace strata
