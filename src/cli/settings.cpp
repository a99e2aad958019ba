// SPDX-License-Identifier: MIT
#include "cli/settings.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <span>

namespace strata {

namespace {

using Names = std::set<std::string>;
using Values = std::vector<std::string>;

std::vector<CLI::App*> verbs_below(CLI::App& verb) {
    return verb.get_subcommands([](const CLI::App*) { return true; });
}

// The program and the verbs that were called, outermost first.
std::vector<CLI::App*> called_verbs(CLI::App& program, const CLI::App& given) {
    std::vector<CLI::App*> called = {&program};
    for (auto below = given.get_subcommands(); !below.empty();
         below = below.front()->get_subcommands()) {
        called.push_back(called.back()->get_subcommand(below.front()->get_name()));
    }
    return called;
}

// Without dashes.
Names names_of(const CLI::Option& option) {
    Names names(option.get_lnames().begin(), option.get_lnames().end());
    names.insert(option.get_snames().begin(), option.get_snames().end());
    if (option.get_positional()) {
        names.insert(option.get_name(true));
    }
    return names;
}

bool is_among(const CLI::Option& option, const Names& decided) {
    return std::ranges::any_of(names_of(option),
                               [&](const std::string& name) { return decided.contains(name); });
}

// A verb may share an option with a verb above it: setting one sets both.
bool is_open(const CLI::Option& option, const Names& decided) {
    const auto excluded = option.get_excludes();
    return !is_among(option, decided) &&
           std::ranges::none_of(
               excluded, [&](const CLI::Option* other) { return is_among(*other, decided); });
}

Names decided_by_words(CLI::App& given) {
    Names decided;
    for (CLI::App* verb : called_verbs(given, given)) {
        for (const CLI::Option* option : verb->get_options()) {
            decided.merge(option->count() > 0 ? names_of(*option) : Names{});
        }
    }
    return decided;
}

// A switch that is off counts as not given, and excludes nothing.
void give(CLI::Option& option, const Values& values) {
    constexpr std::array<std::string_view, 4> off = {"false", "0", "off", "no"};
    const bool is_switch = option.get_items_expected_min() == 0;
    if (!is_switch || std::ranges::find(off, values.front()) == off.end()) {
        option.add_result(values);
    }
}

std::string value_of_variable(const std::string& variable) {
    const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
    return value == nullptr ? "" : value;
}

// ---- the file of --config

struct SettingsFile {
    std::string name;
    toml::table values;
};

[[noreturn]] void refuse(const SettingsFile& file, const std::string& why) {
    throw Error(fmt::format("the settings in {}: {}", printable(file.name), why), ExitCode::usage);
}

std::string text_of(const SettingsFile& file, std::string_view key, const toml::node& value) {
    if (const auto text = value.value_exact<std::string>()) {
        return *text;
    }
    if (const auto truth = value.value_exact<bool>()) {
        return *truth ? "true" : "false";
    }
    if (const auto whole = value.value_exact<std::int64_t>()) {
        return std::to_string(*whole);
    }
    if (const auto number = value.value_exact<double>()) {
        return fmt::format("{}", *number);
    }
    refuse(file,
           fmt::format("{} needs a text, a number, true, false or a list of them", printable(key)));
}

Values texts_of(const SettingsFile& file, std::string_view key, const toml::node& value) {
    if (!value.is_array()) {
        return {text_of(file, key, value)};
    }
    Values texts;
    for (const toml::node& one : *value.as_array()) {
        texts.push_back(text_of(file, key, one));
    }
    return texts;
}

// The options of the verb and of all below it.
Names options_below(CLI::App& verb) {
    Names names;
    for (const CLI::Option* option : verb.get_options()) {
        names.merge(names_of(*option));
    }
    for (CLI::App* below : verbs_below(verb)) {
        names.merge(options_below(*below));
    }
    return names;
}

void require_known(const SettingsFile& file, CLI::App& verb, const toml::table& section) {
    const Names options = options_below(verb);
    for (const auto& [key, value] : section) {
        const std::string name(key.str());
        const auto below = verbs_below(verb);
        const auto found = std::ranges::find_if(
            below, [&](const CLI::App* one) { return one->get_name() == name; });
        if (value.is_table() && found != below.end()) {
            require_known(file, **found, *value.as_table());
        } else if (value.is_table()) {
            refuse(file, fmt::format("{} has no verb '{}'", verb.get_name(), printable(name)));
        } else if (!options.contains(name)) {
            const auto near = nearest(name, Values(options.begin(), options.end()));
            refuse(file, fmt::format("{} has no option '{}'{}", verb.get_name(), printable(name),
                                     near ? fmt::format("; did you mean {}?", *near) : ""));
        } else {
            texts_of(file, name, value);
        }
    }
}

SettingsFile read_settings(const std::string& name, CLI::App& program) {
    const auto text = read_small_file(name);
    if (!text) {
        throw Error(fmt::format("cannot read the settings in '{}': {}; give --config another file",
                                printable(name), why_not_read(name)),
                    ExitCode::usage);
    }
    SettingsFile file{name, parse_toml(*text, name)};
    require_known(file, program, file.values);
    return file;
}

// The value in the innermost section that has the option; empty if none does.
Values setting_of(const SettingsFile& file, const CLI::Option& option,
                  std::span<CLI::App* const> verbs) {
    const toml::table* section = &file.values;
    Values found;
    for (std::size_t level = 0; section != nullptr; ++level) {
        for (const std::string& name : names_of(option)) {
            const toml::node* value = section->get(name);
            found = value != nullptr && !value->is_table() ? texts_of(file, name, *value) : found;
        }
        const bool is_innermost = level + 1 >= verbs.size();
        const toml::node* below =
            is_innermost ? nullptr : section->get(verbs[level + 1]->get_name());
        section = below == nullptr ? nullptr : below->as_table();
    }
    return found;
}

void apply_file(const SettingsFile& file, const std::vector<CLI::App*>& verbs, const Names& decided,
                Sources& sources) {
    for (std::size_t level = 0; level < verbs.size(); ++level) {
        const std::span sections(verbs.data(), level + 1);
        for (CLI::Option* option : verbs[level]->get_options()) {
            const Values values = setting_of(file, *option, sections);
            if (!values.empty() && is_open(*option, decided)) {
                give(*option, values);
                sources[option] = printable(file.name);
            }
        }
    }
}

}  // namespace

std::map<const CLI::Option*, std::string> take_variables(CLI::App& program) {
    std::map<const CLI::Option*, std::string> variables;
    for (CLI::Option* option : program.get_options()) {
        variables[option] = option->get_envname();
        option->envname("");
    }
    for (CLI::App* verb : verbs_below(program)) {
        variables.merge(take_variables(*verb));
    }
    return variables;
}

Sources apply_settings(CLI::App& program, CLI::App& given) {
    const auto variables = take_variables(program);
    const auto verbs = called_verbs(program, given);
    const CLI::Option* config = program.get_option("--config");
    const Names by_words = decided_by_words(given);
    Names decided = by_words;
    Sources sources;
    const Values word = given.get_option("--config")->results();
    std::string file_name = word.empty() ? "" : word.front();
    for (CLI::App* verb : verbs) {
        for (CLI::Option* option : verb->get_options()) {
            const std::string value = value_of_variable(variables.at(option));
            if (!value.empty() && is_open(*option, by_words)) {
                give(*option, {value});
                decided.merge(names_of(*option));
                sources[option] = variables.at(option);
                file_name = option == config ? value : file_name;
            }
        }
    }
    if (!file_name.empty()) {
        apply_file(read_settings(file_name, program), verbs, decided, sources);
    }
    return sources;
}

std::string settings_text(CLI::App& program, const Sources& sources) {
    std::string text, called;
    for (CLI::App* verb : called_verbs(program, program)) {
        called += (called.empty() ? "" : " ") + verb->get_name();
        for (const CLI::Option* option : verb->get_options()) {
            if (option->count() > 0) {
                const auto source = sources.find(option);
                text += fmt::format("{} {} {} ({})\n", called, option->get_name(),
                                    printable(join(option->results(), ","), 1000),
                                    source == sources.end() ? "the command line" : source->second);
            }
        }
    }
    return text;
}

}  // namespace strata
