// SPDX-License-Identifier: MIT
#include "run/job.h"

#include "base/hash.h"
#include "base/mapped_file.h"
#include "base/processors.h"

#include <fmt/format.h>

namespace strata {

namespace {

template <class E>
std::string name_in(E value) {
    return std::string(names_of(value)[static_cast<std::size_t>(value)]);
}

std::string policy_text(const Policy& policy) {
    return fmt::format("warmup={} min_time={} max_time={} min_samples={} precision={}",
                       policy.warmup, policy.min_time.value, policy.max_time.value,
                       policy.min_samples, policy.precision);
}

// Every setting beside those that each run has, where it is not the default. The bindings name all
// of an execution: whoever adds to it is stopped here by the compiler, and decides.
std::map<std::string, std::string> further_settings(const Job& job) {
    [[maybe_unused]] const auto& [mode, dtype, single_precision, first_layer_gradient, optimizer,
                                  seed] = job.execution.numerics;
    [[maybe_unused]] const auto& [threads, pinned, memory, omissions] = job.execution.scheduling;
    [[maybe_unused]] const auto& [algorithm, image_layout, fusion, l1] = job.execution.engine;
    const CacheState caches = job.policy.caches;
    std::map<std::string, std::string> further;
    if (!job.slice.empty()) {
        further["slice"] = job.slice;
    }
    if (first_layer_gradient == FirstLayerGradient::computed) {
        further["first_layer_gradient"] = "computed";
    }
    const bool trains = mode == Mode::training;
    if (trains && !std::holds_alternative<SgdMomentum>(optimizer)) {
        further["optimizer"] = name_of(optimizer);
    }
    if (image_layout != ImageLayout::automatic) {
        further["layout"] = name_in(image_layout);
    }
    if (single_precision != SinglePrecision::full) {
        further["single_precision"] = name_in(single_precision);
    }
    if (caches != CacheState::as_left) {
        further["caches"] = name_in(caches);
    }
    if (fusion != Fusion::none) {
        further["fuse"] = name_in(fusion);
    }
    if (l1 != L1Caching::used) {
        further["l1"] = name_in(l1);
    }
    if (seed != Numerics{}.seed) {
        further["seed"] = std::to_string(seed);
    }
    if (!pinned) {
        further["pinned"] = "no";
    }
    for (const auto& [name, value] : job.request.dims) {
        further["dim " + name] = std::to_string(value);
    }
    for (const auto& [name, value] : job.request.variables) {
        further["variable " + name] = value;
    }
    for (const auto& [name, path] : job.inputs) {
        further["input " + name] = path.filename().string();
    }
    for (const auto& [name, hash] : job.content) {
        further[name + " content"] = hash;
    }
    return further;
}

std::string hash_text(const std::vector<std::filesystem::path>& files) {
    std::uint64_t hash = empty_hash;
    for (const auto& file : files) {
        hash = hash_of(MappedFile::open(file)->bytes(), hash);
    }
    return fmt::format("{:016x}", hash);
}

}  // namespace

int thread_count(const Execution& execution) {
    return execution.scheduling.threads > 0 ? execution.scheduling.threads
                                            : static_cast<int>(allowed_processors().size());
}

Settings settings_of(const Job& job, std::int64_t batch, int threads) {
    return {
        .backend = job.backend,
        .network = canonical_network(job.request.network),
        .batch = batch,
        .mode = name_in(job.execution.numerics.mode),
        .dtype = std::string(name_of(job.execution.numerics.dtype)),
        .threads = threads,
        .algorithm = name_in(job.execution.engine.algorithm),
        .policy = policy_text(job.policy),
        .further = further_settings(job),
    };
}

std::map<std::string, std::string> content_of(const Job& job) {
    std::map<std::string, std::string> content;
    if (const auto files = files_of(job.request.network); !files.empty()) {
        content["network"] = hash_text(files);
    }
    for (const auto& [name, path] : job.inputs) {
        content["input " + name] = hash_text({path});
    }
    return content;
}

std::string identity_of(const Job& job) {
    Settings settings =
        settings_of(job, job.request.batch.value_or(0), job.execution.scheduling.threads);
    for (const auto& [name, hash] : job.content) {
        (name == "network" ? settings.network : settings.further[name]) = "file";
    }
    std::string line = fmt::format(
        "{} {} batch={} {} {} threads={} {} {} verify={}", settings.backend, settings.network,
        settings.batch, settings.mode, settings.dtype, settings.threads, settings.algorithm,
        settings.policy, job.verification == Verification::done);
    if (job.tracing == Tracing::done) {
        line += " traced";
    }
    for (const MetricSet& set : job.counters) {
        line += " counters=" + set.name;
    }
    if (job.memory) {
        line += fmt::format(" memory={}", job.memory->value);
    }
    for (const auto& [name, value] : settings.further) {
        line += fmt::format(" {}={}", name, value);
    }
    return line;
}

}  // namespace strata
