// SPDX-License-Identifier: MIT
#include "view/machine.h"

#include "analyze/compare.h"
#include "analyze/ran_algorithms.h"
#include "analyze/verification.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "record/completeness.h"
#include "record/options.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::string known(const Run& run, const std::string& key) {
    const auto found = run.provenance.find(key);
    return found == run.provenance.end() ? "" : found->second;
}

std::string joined(const std::vector<std::string>& parts) {
    std::vector<std::string> told;
    for (const auto& part : parts) {
        if (!part.empty()) {
            told.push_back(part);
        }
    }
    return join(told, ", ");
}

void add(Table& table, const std::string& what, const std::string& value) {
    if (!value.empty()) {
        table.rows.push_back({what, value});
    }
}

void add_settings(Table& table, const Run& run) {
    const Settings& settings = run.settings;
    add(table, "origin", std::string(name_of(run.origin)));
    add(table, "state", std::string(progress_of(run)));
    add(table, "created", run.created);
    add(table, "network", settings.network);
    add(table, "batch", std::to_string(settings.batch));
    add(table, "mode", text_of(settings, "mode"));
    add(table, "element type", text_of(settings, "dtype"));
    add(table, "backend", settings.backend);
    add(table, "convolution algorithm", text_of(settings, "algorithm"));
    add(table, "threads", run.threads() > 0 ? text_of(settings, "threads") : "");
    add(table, "policy", policy_text(settings));
    for (const auto& [key, value] : further_settings(settings)) {
        add(table, key, value);
    }
}

std::string in_words(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

// One rule for every option, present and future: it is listed under its own name unless it has its
// default. A file is listed by name; its hash is part of the run's provenance.
std::string further_line(const Settings& settings) {
    constexpr std::size_t longest_told = 80;
    std::vector<std::string> parts;
    for (const auto& [key, value] : further_settings(settings)) {
        if (key == "choices" && is_tuned(settings)) {
            parts.push_back(
                fmt::format("{} choices, tuned", settings.execution.engine.choices.size()));
        } else if (!key.ends_with(" content")) {
            parts.push_back(in_words(key) + " " + printable(value, longest_told));
        }
    }
    return joined(parts);
}

// Empty if an imported run's file does not say, or a GPU computed.
std::string threads_text(int threads) {
    return threads == 0 ? "" : fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

std::string counted(std::size_t steps) {
    return fmt::format("{} step{}", steps, steps == 1 ? "" : "s");
}

}  // namespace

std::string machine_line(const Run& run) {
    return machine_line(run, run.id > 0 ? fmt::format("run {}", run.id) : "");
}

std::string device_line(const Run& run) {
    if (run.origin == Origin::modelled) {
        const std::string basis = known(run, "model.basis");
        const std::string interval = known(run, "model.interval");
        const std::string framework = run.settings.device_changes.contains("framework")
                                          ? known(run, "model.framework") + ". "
                                          : "";
        return framework + basis + (basis.empty() || interval.empty() ? "" : " ") + interval;
    }
    const auto of_most = [&](const std::string& label, const std::string& sampled,
                             const std::string& maximum) {
        const std::string range = known(run, "gpu.sampled." + sampled);
        const std::string limit = known(run, maximum);
        return range.empty() ? "" : label + range + (limit.empty() ? "" : " of " + limit);
    };
    const std::string driver = known(run, "gpu.driver");
    return joined({of_most("core clock ", "core_clock", "gpu.core_clock.most"),
                   of_most("memory clock ", "memory_clock", "gpu.memory_clock.most"),
                   of_most("", "power", "gpu.power.limit"), of_most("", "temperature", ""),
                   driver.empty() ? "" : "driver " + driver});
}

std::string machine_line(const Run& run, const std::string& runs) {
    const std::string device = known(run, "gpu.name");
    const std::string model = device.empty() ? known(run, "cpu.model") : device;
    const std::string version = known(run, "backend.version");
    return joined(
        {fmt::format("{} on {}", name_of(run.origin), model.empty() ? "an unnamed machine" : model),
         threads_text(run.threads()), run.settings.backend + (version.empty() ? "" : " " + version),
         run.created, runs});
}

std::string settings_line(const Run& run) {
    return settings_line(run.settings, fmt::format("batch {}", run.settings.batch),
                         algorithm_text(run));
}

std::string settings_line(const Settings& settings, const std::string& batch,
                          const std::string& algorithm) {
    std::vector<std::string> parts = {
        settings.network,
        batch,
        text_of(settings, "mode"),
        text_of(settings, "dtype"),
        algorithm.empty() ? settings.backend : settings.backend + " " + algorithm,
        further_line(settings)};
    for (const Option& option : all_options()) {
        if (option.kept == Kept::in_policy && !is_default(settings, option)) {
            parts.push_back(in_words(option.name) + " " + text_of(settings, option));
        }
    }
    return joined(parts);
}

std::string other_settings_line(const Settings& settings) {
    const Option& algorithm = option_named("algorithm");
    const bool
        is_usual =  // a modelled device's library chooses unless the user requested an algorithm
        is_default(settings, algorithm) ||
        (is_modelled(settings) && text_of(settings, algorithm) == "auto");
    return joined({is_usual ? "" : in_words(algorithm.name) + " " + text_of(settings, algorithm),
                   further_line(settings)});
}

std::string verification_line(const Run& run) {
    const auto found = verification_of(run);
    if (!found) {
        return {};
    }
    std::string line = counted(found->compared) + " verified against the reference";
    if (found->worst != nullptr) {
        const ReferenceError& worst = *found->worst->verified;
        line += found->disagreeing == 0 ? ", all agree"
                                        : fmt::format(", {} of them wrong", found->disagreeing);
        line += fmt::format("; worst error {:.1e} ({} {}, tolerance {:.1e})", worst.error,
                            found->worst->layer, name_of(found->worst->pass), worst.tolerance);
    }
    if (found->without_reference > 0) {
        line += fmt::format("; {} had no reference", counted(found->without_reference));
    }
    return line;
}

std::string annotation_line(const Run& run) {
    std::string line = run.tags.empty() ? "" : fmt::format("tagged {}", fmt::join(run.tags, ", "));
    if (!run.note.empty()) {
        line += (line.empty() ? "note: " : "; note: ") + run.note;
    }
    return line;
}

Table provenance_table(const Run& run) {
    Table table;
    table.title = "How this run was made";
    table.columns = {{"what", "what", Importance::essential},
                     {"value", "value", Importance::essential}};
    table.folding = Folding::folded;
    add_settings(table, run);
    for (const auto& [key, value] : run.provenance) {
        add(table, key, value);
    }
    return table;
}

Table flags_table(const Run& run) {
    Table table;
    table.title = run.origin == Origin::modelled ? "Doubts about the prediction"
                                                 : "Doubts about the measurement";
    table.columns = {{"kind", "kind", Importance::essential},
                     {"sentence", "finding", Importance::essential}};
    for (const auto& flag : run.flags) {
        table.rows.push_back({kind_text(flag), flag.sentence});
    }
    return table;
}

}  // namespace strata
