// SPDX-License-Identifier: MIT
#include "sweep/spec.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "base/unit_text.h"
#include "networks/generate/generator.h"
#include "record/options.h"
#include "sweep/grid.h"
#include "sweep/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace strata {

namespace {

// A text or a number, or a list of either, as on the command line.
std::vector<std::string> words_in(const toml::table& table, const TomlSection& section,
                                  std::string_view key) {
    const auto word_of = [&](const toml::node& node) {
        if (const auto text = node.value_exact<std::string>()) {
            return *text;
        }
        if (const auto whole = node.value_exact<std::int64_t>()) {
            return std::to_string(*whole);
        }
        if (const auto real = node.value_exact<double>()) {
            return fmt::format("{}", *real);
        }
        refuse_value(section, key, "give a text or a number, or a list of them");
    };
    const toml::node* node = table.get(key);
    std::vector<std::string> words;
    if (node != nullptr && node->is_array()) {
        for (const auto& element : *node->as_array()) {
            words.push_back(word_of(element));
        }
        if (words.empty()) {
            refuse_value(section, key, "the list is empty; give at least one value");
        }
    } else if (node != nullptr) {
        words.push_back(word_of(*node));
    }
    return words;
}

SweptFamily family_in(const toml::table& table, const std::string& place) {
    const TomlSection section(table, place);
    SweptFamily swept{.family = section.required_text("family"), .sizes = {}};
    const auto families = generator_families();
    const auto family = std::ranges::find(families, swept.family, &GeneratorFamily::name);
    if (family == families.end()) {
        std::vector<std::string> names;
        for (const GeneratorFamily& known : families) {
            names.emplace_back(known.name);
        }
        refuse_value(section, "family",
                     fmt::format("there is no family '{}'; choose one of {}",
                                 printable(swept.family), join(names, ", ")));
    }
    std::vector<std::string_view> known = {"family"};
    Generator probe = parse_generator(swept.family + ":");
    for (const GeneratorKey& key : family->keys) {
        known.push_back(key.name);
        auto values = table.contains(key.name) ? whole_numbers_in(table, section, key.name)
                                               : std::vector{key.standard};
        set_key(probe, key.name, values.back());  // the family refuses values beyond its limits
        swept.sizes.push_back({std::string(key.name), std::move(values)});
    }
    section.expect_only(known);
    return swept;
}

void read_settings(const toml::table& table, const TomlSection& section, SweepSpec& spec) {
    if (const toml::table* options = section.table("options")) {
        const TomlSection inner(*options, section.place("options"));
        for (const auto& [key, value] : *options) {
            const std::string name(key.str());
            const Option* option = find_option(name);
            const auto words = words_in(*options, inner, name);
            if (option == nullptr || words.size() != 1) {
                refuse_value(inner, name,
                             option == nullptr
                                 ? "strata run has no such option; remove or correct it"
                                 : "give one value; only dtype, mode and threads may have several");
            }
            set_option(spec.settings.front(), *option, words.front());
        }
    }
    for (const char* name : {"dtype", "mode", "threads"}) {
        if (const auto words = words_in(table, section, name); !words.empty()) {
            spec.settings = with_values(spec.settings, option_named(name), words);
        }
    }
}

void read_limits(const TomlSection& section, SweepSpec& spec) {
    if (const auto text = section.text("max_memory")) {
        const auto memory = parse_byte_size(*text);
        if (!memory || parse_number(*text)) {
            refuse_value(section, "max_memory", "give a size with its unit, such as \"8GB\"");
        }
        spec.limits.memory = memory;
    }
    if (const auto seconds = section.number("max_time")) {
        if (!(*seconds > 0)) {
            refuse_value(section, "max_time", "give a number of seconds above 0");
        }
        spec.limits.time = Seconds{*seconds};
    }
    if (const auto seed = section.count("seed")) {
        spec.seed = static_cast<std::uint64_t>(*seed);
    }
    if (const auto every = section.count("anchor_every", 0)) {
        spec.anchor_every = *every;
    }
}

std::string stem_of(std::string_view origin) {
    return std::filesystem::path(origin).stem().string();
}

SweepSpec read_sweep(const toml::table& table, std::string_view origin) {
    const TomlSection section(table, std::string(origin));
    section.expect_only(std::array<std::string_view, 14>{
        "title", "source", "batch", "dtype", "mode", "threads", "backend", "device", "options",
        "seed", "anchor_every", "max_memory", "max_time", "network"});
    SweepSpec spec{.name = stem_of(origin),
                   .title = section.text("title").value_or(""),
                   .source = section.text("source").value_or(""),
                   .families = {},
                   .batches = {1},
                   .settings = std::vector<Settings>(1),
                   .backends = words_in(table, section, "backend"),
                   .devices = words_in(table, section, "device")};
    if (table.contains("batch")) {
        spec.batches = whole_numbers_in(table, section, "batch");
    }
    if (!spec.backends.empty() && !spec.devices.empty()) {
        refuse_value(section, "device",
                     "points are measured on a backend or predicted for a "
                     "device; give one of the two");
    }
    read_settings(table, section, spec);
    read_limits(section, spec);
    const auto networks = section.tables_if_any("network");
    if (networks.empty()) {
        refuse_value(section, "network", "missing; give a [[network]] with its family");
    }
    for (const toml::table* network : networks) {
        spec.families.push_back(family_in(*network, section.place("network")));
    }
    count_points(spec);  // refuses too many
    return spec;
}

}  // namespace

SweepSpec parse_sweep(std::string_view text, std::string_view origin) {
    try {
        const toml::table table = parse_toml(text, origin);
        return read_sweep(table, origin);
    } catch (const Error& error) {
        const std::string sentence = error.what();
        const bool is_placed = sentence.starts_with(printable(origin));
        throw Error(is_placed ? sentence : fmt::format("{}: {}", printable(origin), sentence),
                    ExitCode::usage);
    }
}

SweepSpec find_sweep(const std::string& name) {
    const auto files = sweep_files();
    if (const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
        file != files.end()) {
        return parse_sweep(file->text, name);
    }
    std::error_code problem;
    if (!std::filesystem::exists(name, problem) && problem != std::errc::permission_denied) {
        std::vector<std::string> names;
        for (const EmbeddedFile& file : files) {
            names.emplace_back(file.name);
        }
        throw Error(fmt::format("there is no file or sweep named '{}'; give a path, or one of {}",
                                printable(name, 400), join(names, ", ")),
                    ExitCode::usage);
    }
    const auto text = read_small_file(name);
    if (!text) {
        throw Error(fmt::format("cannot read '{}': {}; give a text file of at most a megabyte",
                                printable(name, 400), why_not_read(name)),
                    ExitCode::usage);
    }
    return parse_sweep(*text, name);
}

std::string identity_of(const SweepSpec& spec) {
    std::string text = spec.name + "\n";
    for (const SweptFamily& family : spec.families) {
        text += family.family;
        for (const Variation& size : family.sizes) {
            text += fmt::format(" {}={}", size.name, fmt::join(size.values, ","));
        }
        text += "\n";
    }
    text += fmt::format("batch={}\n", fmt::join(spec.batches, ","));
    for (const Settings& settings : spec.settings) {
        for (const Option& option : all_options()) {
            text += option.role == OptionRole::experiment
                        ? fmt::format(" {}={}", option.name, text_of(settings, option))
                        : std::string();
        }
        text += "\n";
    }
    return text + fmt::format("backend={} device={} seed={}\n", fmt::join(spec.backends, ","),
                              fmt::join(spec.devices, ","), spec.seed);
}

}  // namespace strata
