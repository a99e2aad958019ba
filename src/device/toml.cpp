// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "base/toml_section.h"
#include "device/device.h"

#include <fmt/format.h>

#include <array>

namespace strata {
namespace {

constexpr std::int64_t max_threads = 1 << 20;
constexpr std::size_t max_entries = 1000;

constexpr std::array<std::string_view, 6> known_keys = {"name",    "model",  "threads",
                                                        "compute", "memory", "launch"};

std::string text_in(const TomlSection& section, std::string_view key) {
    std::string text = section.required_text(key);
    if (text.empty()) {
        section.refuse(key, "give a text that is not empty");
    }
    return text;
}

double positive_in(const TomlSection& section, std::string_view key) {
    const double number = section.required_number(key);
    if (!(number > 0)) {
        section.refuse(key, "give a positive number");
    }
    return number;
}

int threads_in(const TomlSection& section) {
    const auto threads = section.count("threads");
    if (!threads || *threads > max_threads) {
        section.refuse("threads", "missing or not a count; give a positive whole number");
    }
    return static_cast<int>(*threads);
}

std::vector<TomlSection> sections_in(const TomlSection& file, std::string_view key) {
    std::vector<TomlSection> found;
    const auto tables = file.tables_if_any(key);
    if (tables.size() > max_entries) {
        file.refuse(key, fmt::format("give at most {}", max_entries));
    }
    for (const toml::table* table : tables) {
        found.emplace_back(*table, fmt::format("{}[{}]", file.place(key), found.size()));
    }
    return found;
}

template <class Q>
Fact<Q> fact_in(const TomlSection& section, std::string_view value) {
    return {.value = Q{positive_in(section, value)},
            .source = text_in(section, "source"),
            .is_doubtful = section.truth("doubtful").value_or(false)};
}

// The keys common to all ceilings.
template <class Q>
std::string origin_of(const Fact<Q>& fact) {
    return fmt::format("source = {}\n{}", toml_string(fact.source),
                       fact.is_doubtful ? "doubtful = true\n" : "");
}

ComputeCeiling compute_ceiling(const TomlSection& section) {
    section.expect_only(std::array<std::string_view, 6>{"dtype", "flops_per_second", "source",
                                                        "doubtful", "sustained_flops_per_second",
                                                        "sustained_source"});
    ComputeCeiling ceiling{.dtype = text_in(section, "dtype"),
                           .peak = fact_in<FlopRate>(section, "flops_per_second")};
    if (section.number("sustained_flops_per_second")) {
        ceiling.sustained = {.value = {positive_in(section, "sustained_flops_per_second")},
                             .source = text_in(section, "sustained_source")};
    }
    return ceiling;
}

MemoryLevel memory_level(const TomlSection& section) {
    section.expect_only(std::array<std::string_view, 5>{"name", "capacity_bytes",
                                                        "bytes_per_second", "source", "doubtful"});
    MemoryLevel level{.name = text_in(section, "name"),
                      .capacity = {},
                      .bandwidth = fact_in<Bandwidth>(section, "bytes_per_second")};
    if (section.number("capacity_bytes")) {
        level.capacity = Bytes{positive_in(section, "capacity_bytes")};
    }
    return level;
}

Fact<Seconds> launch_time(const TomlSection& section) {
    section.expect_only(std::array<std::string_view, 3>{"seconds", "source", "doubtful"});
    return fact_in<Seconds>(section, "seconds");
}

template <class Entry, class Name>
void refuse_twins(const std::vector<Entry>& entries, Name name, const TomlSection& file) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (name(entries[i]) == name(entries[j])) {
                file.refuse(name(entries[i]), "is defined twice; remove one");
            }
        }
    }
}

}  // namespace

Device parse_device(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, std::string(printable(origin)));
    file.expect_only(known_keys);
    Device device{.name = text_in(file, "name"),
                  .model = text_in(file, "model"),
                  .threads = threads_in(file),
                  .compute = {},
                  .memory = {}};
    if (const toml::table* launch = file.table("launch")) {
        device.launch = launch_time(TomlSection(*launch, file.place("launch")));
    }
    for (const TomlSection& section : sections_in(file, "compute")) {
        device.compute.push_back(compute_ceiling(section));
    }
    for (const TomlSection& section : sections_in(file, "memory")) {
        device.memory.push_back(memory_level(section));
    }
    refuse_twins(
        device.compute, [](const ComputeCeiling& c) { return c.dtype; }, file);
    refuse_twins(
        device.memory, [](const MemoryLevel& m) { return m.name; }, file);
    return device;
}

std::string to_toml(const Device& device) {
    std::string out = fmt::format("name = {}\nmodel = {}\nthreads = {}\n", toml_string(device.name),
                                  toml_string(device.model), device.threads);
    for (const ComputeCeiling& ceiling : device.compute) {
        out += fmt::format("\n[[compute]]\ndtype = {}\nflops_per_second = {}\n{}",
                           toml_string(ceiling.dtype), ceiling.peak.value.value,
                           origin_of(ceiling.peak));
        if (const auto& sustained = ceiling.sustained) {
            out += fmt::format("sustained_flops_per_second = {}\nsustained_source = {}\n",
                               sustained->value.value, toml_string(sustained->source));
        }
    }
    for (const MemoryLevel& level : device.memory) {
        out += fmt::format("\n[[memory]]\nname = {}\n", toml_string(level.name));
        if (level.capacity) {
            out += fmt::format("capacity_bytes = {}\n", level.capacity->value);
        }
        out += fmt::format("bytes_per_second = {}\n{}", level.bandwidth.value.value,
                           origin_of(level.bandwidth));
    }
    if (device.launch) {
        out += fmt::format("\n[launch]\nseconds = {}\n{}", device.launch->value.value,
                           origin_of(*device.launch));
    }
    return out;
}

}  // namespace strata
