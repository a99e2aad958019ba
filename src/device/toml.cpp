// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "device/device.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace strata {
namespace {

constexpr std::int64_t max_threads = 1 << 20;
constexpr std::size_t max_entries = 1000;

[[noreturn]] void refuse(std::string_view origin, std::string_view key, std::string_view fix) {
    throw Error(fmt::format("{}: {}: {}", printable(origin), printable(key), fix));
}

// A table of the file, with its name for messages.
class Section {
public:
    Section(const toml::table& table, std::string_view origin, std::string name)
        : table_(table), origin_(origin), name_(std::move(name)) {}

    void expect_only(std::initializer_list<std::string_view> known) const {
        for (const auto& [key, value] : table_) {
            if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
                refuse(origin_, name_of(key.str()), "unknown key; remove or correct it");
            }
        }
    }

    std::string text(std::string_view key) const {
        const auto value = table_[key].value_exact<std::string>();
        if (!value || value->empty()) {
            refuse(origin_, name_of(key), "missing; give a text that is not empty");
        }
        return *value;
    }

    double positive(std::string_view key) const {
        const auto value = table_[key].value<double>();
        if (!value || !std::isfinite(*value) || *value <= 0) {
            refuse(origin_, name_of(key), "missing or not a number; give a positive number");
        }
        return *value;
    }

    std::optional<Bytes> capacity(std::string_view key) const {
        return table_.contains(key) ? std::optional(Bytes{positive(key)}) : std::nullopt;
    }

    int threads(std::string_view key) const {
        const auto value = table_[key].value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > max_threads) {
            refuse(origin_, name_of(key), "missing or not a count; give a positive whole number");
        }
        return static_cast<int>(*value);
    }

    // The table [key] of the file; nothing where it is absent.
    std::optional<Section> section(std::string_view key) const {
        const auto node = table_[key];
        if (!node) {
            return {};
        }
        if (!node.is_table()) {
            refuse(origin_, name_of(key), fmt::format("write it as a [{}] table", key));
        }
        return Section(*node.as_table(), origin_, name_of(key));
    }

    // The tables of an array, [[key]] in the file; none where it is absent.
    std::vector<Section> sections(std::string_view key) const {
        std::vector<Section> found;
        const auto node = table_[key];
        if (!node) {
            return found;
        }
        const toml::array* array = node.as_array();
        if (array == nullptr || array->size() > max_entries) {
            refuse(origin_, name_of(key), fmt::format("write it as [[{}]] tables", key));
        }
        for (const auto& element : *array) {
            const std::string name = fmt::format("{}[{}]", key, found.size());
            if (!element.is_table()) {
                refuse(origin_, name, fmt::format("write it as a [[{}]] table", key));
            }
            found.emplace_back(*element.as_table(), origin_, name);
        }
        return found;
    }

private:
    std::string name_of(std::string_view key) const {
        return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
    }

    const toml::table& table_;
    std::string_view origin_;
    std::string name_;
};

ComputeCeiling compute_ceiling(const Section& section) {
    section.expect_only({"dtype", "flops_per_second", "source"});
    return {.dtype = section.text("dtype"),
            .peak = {{section.positive("flops_per_second")}, section.text("source")}};
}

MemoryLevel memory_level(const Section& section) {
    section.expect_only({"name", "capacity_bytes", "bytes_per_second", "source"});
    return {.name = section.text("name"),
            .capacity = section.capacity("capacity_bytes"),
            .bandwidth = {{section.positive("bytes_per_second")}, section.text("source")}};
}

Fact<Seconds> launch_time(const Section& section) {
    section.expect_only({"seconds", "source"});
    return {{section.positive("seconds")}, section.text("source")};
}

toml::table parsed(std::string_view text, std::string_view origin) {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        refuse(fmt::format("{}:{}:{}", origin, begin.line, begin.column), "no valid TOML",
               printable(error.description()) + "; correct it");
    }
}

template <class Entry, class Name>
void refuse_twins(const std::vector<Entry>& entries, Name name, std::string_view origin) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (name(entries[i]) == name(entries[j])) {
                refuse(origin, name(entries[i]), "is defined twice; remove one");
            }
        }
    }
}

}  // namespace

Device parse_device(std::string_view toml, std::string_view origin) {
    const toml::table table = parsed(toml, origin);
    const Section whole(table, origin, "");
    whole.expect_only({"name", "model", "threads", "compute", "memory", "launch"});
    Device device{.name = whole.text("name"),
                  .model = whole.text("model"),
                  .threads = whole.threads("threads"),
                  .compute = {},
                  .memory = {}};
    if (const auto launch = whole.section("launch")) {
        device.launch = launch_time(*launch);
    }
    for (const Section& section : whole.sections("compute")) {
        device.compute.push_back(compute_ceiling(section));
    }
    for (const Section& section : whole.sections("memory")) {
        device.memory.push_back(memory_level(section));
    }
    refuse_twins(
        device.compute, [](const ComputeCeiling& c) { return c.dtype; }, origin);
    refuse_twins(
        device.memory, [](const MemoryLevel& m) { return m.name; }, origin);
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
