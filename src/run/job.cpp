// SPDX-License-Identifier: MIT
#include "run/job.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/processors.h"
#include "base/text.h"
#include "predict/quantized.h"
#include "record/arguments.h"

#include <fmt/format.h>

#include <utility>

namespace strata {

namespace {

// What a job asks for besides its settings.
std::vector<std::string> further_arguments(const Job& job) {
    std::vector<std::string> words;
    if (job.verification == Verification::done) {
        words.emplace_back("--verify");
    }
    if (job.tracing == Tracing::done) {
        words.emplace_back("--trace");
    }
    if (job.remainder == Remainder::measured) {
        words.emplace_back("--allow-incomplete");
    }
    for (const MetricSet& set : job.counters) {
        append(words, {"--counters", set.name});
    }
    for (const auto& [name, file] : job.inputs) {
        append(words, {"--input", name + "=" + file.string()});
    }
    if (job.dump) {
        append(words, {"--dump", job.dump->directory.string()});
        append(words, job.dump->layers.empty()
                          ? std::vector<std::string>()
                          : std::vector<std::string>{"--layer", job.dump->layers});
    }
    if (job.infeed) {
        const std::string folder = job.infeed->folder.string();
        append(words, {folder.empty() ? "--infeed" : "--infeed=" + folder, "--infeed-threads",
                       std::to_string(job.infeed->threads)});
    }
    if (job.memory) {
        append(words, {"--memory", fmt::format("{:.0f}B", job.memory->value)});
    }
    return words;
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

Job planned(Job job) {
    Graph graph = load_network(job.request, job.execution.numerics.mode);
    graph = as_multiplied(job.slice.empty() ? std::move(graph) : slice(graph, job.slice),
                          job.device_changes);
    job.plan = plan_of(std::move(graph), job.execution.numerics);
    return job;
}

Settings settings_of(const Job& job) {
    return settings_of(job, batch_of(job.plan->graph), thread_count(job.execution));
}

Settings settings_of(const Job& job, std::int64_t batch, int threads) {
    Settings settings{.backend = job.backend,
                      .network = canonical_network(job.request.network),
                      .batch = batch,
                      .slice = job.slice,
                      .execution = job.execution,
                      .policy = job.policy,
                      .dims = job.request.dims,
                      .variables = job.request.variables,
                      .device_changes = job.device_changes,
                      .content = job.content};
    settings.execution.scheduling.threads = threads;
    for (const auto& [name, path] : job.inputs) {
        settings.inputs[name] = path.filename().string();
    }
    return settings;
}

Job job_of(const Run& run) {
    const Settings& settings = run.settings;
    if (!settings.inputs.empty()) {
        throw Error(fmt::format(
            "run {} was given inputs, and the location of their files is not stored", run.id));
    }
    Job job;
    job.backend = settings.backend;
    job.request = {.network = settings.network,
                   .batch = settings.batch,
                   .dims = settings.dims,
                   .variables = settings.variables};
    job.slice = settings.slice;
    job.execution = settings.execution;
    job.policy = settings.policy;
    job.content = settings.content;
    job.device_changes = settings.device_changes;
    return job;
}

std::vector<std::string> to_arguments(const Job& job) {
    std::vector<std::string> words = {"--backend", job.backend};
    if (job.request.batch) {
        append(words, {"--batch", std::to_string(*job.request.batch)});
    }
    append(words, arguments_of(job.request.dims, job.request.variables));
    const Settings settings{.slice = job.slice, .execution = job.execution, .policy = job.policy};
    for (const Option& option : all_options()) {
        append(words, arguments_of(settings, option));
    }
    append(words, further_arguments(job));
    append(words, {"--", job.request.network});
    return words;
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
    if (job.content.contains("network")) {
        settings.network = "file";
    }
    for (auto& [name, file] : settings.inputs) {
        file = job.content.contains("input " + name) ? "file" : file;
    }
    std::string line =
        fmt::format("{} {} batch={}", settings.backend, settings.network, settings.batch);
    for (const Option& option : all_options()) {
        if (option.kept != Kept::further) {
            line += fmt::format(" {}={}", option.name, text_of(settings, option));
        }
    }
    line += fmt::format(" verify={}", job.verification == Verification::done);
    if (job.tracing == Tracing::done) {
        line += " traced";
    }
    for (const MetricSet& set : job.counters) {
        line += " counters=" + set.name;
    }
    if (job.infeed) {
        line += fmt::format(" infeed={} infeed_threads={}", job.infeed->folder.string(),
                            job.infeed->threads);
    }
    if (job.memory) {
        line += fmt::format(" memory={}", job.memory->value);
    }
    for (const auto& [name, value] : identifying_settings(settings)) {
        line += fmt::format(" {}={}", name, value);
    }
    return line;
}

}  // namespace strata
