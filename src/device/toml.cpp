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

ComputeCeiling compute_ceiling(const TomlSection& section) {
    section.expect_only(std::array<std::string_view, 3>{"dtype", "flops_per_second", "source"});
    return {.dtype = text_in(section, "dtype"),
            .peak = {{positive_in(section, "flops_per_second")}, text_in(section, "source")}};
}

MemoryLevel memory_level(const TomlSection& section) {
    section.expect_only(
        std::array<std::string_view, 4>{"name", "capacity_bytes", "bytes_per_second", "source"});
    MemoryLevel level{
        .name = text_in(section, "name"),
        .capacity = {},
        .bandwidth = {{positive_in(section, "bytes_per_second")}, text_in(section, "source")}};
    if (section.number("capacity_bytes")) {
        level.capacity = Bytes{positive_in(section, "capacity_bytes")};
    }
    return level;
}

Fact<Seconds> launch_time(const TomlSection& section) {
    section.expect_only(std::array<std::string_view, 2>{"seconds", "source"});
    return {{positive_in(section, "seconds")}, text_in(section, "source")};
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
        out += fmt::format("\n[[compute]]\ndtype = {}\nflops_per_second = {}\nsource = {}\n",
                           toml_string(ceiling.dtype), ceiling.peak.value.value,
                           toml_string(ceiling.peak.source));
    }
    for (const MemoryLevel& level : device.memory) {
        out += fmt::format("\n[[memory]]\nname = {}\n", toml_string(level.name));
        if (level.capacity) {
            out += fmt::format("capacity_bytes = {}\n", level.capacity->value);
        }
        out += fmt::format("bytes_per_second = {}\nsource = {}\n", level.bandwidth.value.value,
                           toml_string(level.bandwidth.source));
    }
    if (device.launch) {
        out += fmt::format("\n[launch]\nseconds = {}\nsource = {}\n", device.launch->value.value,
                           toml_string(device.launch->source));
    }
    return out;
}

}  // namespace strata
