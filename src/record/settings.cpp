// SPDX-License-Identifier: MIT
#include "record/settings.h"

#include "base/text.h"
#include "record/options.h"

#include <fmt/format.h>

namespace strata {

namespace {

// "dim tokens" -> "tokens".
std::optional<std::string> after(std::string_view prefix, const std::string& name) {
    return name.starts_with(prefix) ? std::optional(name.substr(prefix.size())) : std::nullopt;
}

constexpr std::string_view content_suffix = " content";

}  // namespace

std::string policy_text(const Settings& settings) {
    if (const auto unknown = settings.unknown.find("policy"); unknown != settings.unknown.end()) {
        return unknown->second;
    }
    std::vector<std::string> parts;
    for (const Option& option : all_options()) {
        if (option.kept == Kept::in_policy) {
            parts.push_back(fmt::format("{}={}", option.name, option.text(settings)));
        }
    }
    return join(parts, " ");
}

void set_policy(Settings& settings, const std::string& text) {
    for (const std::string_view part : split(text, ' ')) {
        const auto equals = part.find('=');
        const Option* option = find_option(part.substr(0, equals));
        if (option != nullptr && option->kept == Kept::in_policy &&
            equals != std::string_view::npos) {
            option->set(settings, part.substr(equals + 1));
        }
    }
    if (policy_text(settings) != text) {
        settings.unknown["policy"] = text;
    }
}

void set_stored(Settings& settings, std::string_view option, const std::string& text) {
    if (!option_named(option).set(settings, text)) {
        settings.unknown[std::string(option)] = text;
    }
}

std::map<std::string, std::string> further_settings(const Settings& settings) {
    std::map<std::string, std::string> further;
    for (const auto& [name, value] : settings.unknown) {
        const Option* option = find_option(name);
        const bool has_column = option != nullptr && option->kept == Kept::in_column;
        if (!has_column && name != "policy") {
            further[name] = value;
        }
    }
    for (const Option& option : all_options()) {
        if (option.kept == Kept::further && !is_default(settings, option)) {
            further[std::string(option.name)] = text_of(settings, option);
        }
    }
    for (const auto& [name, value] : settings.dims) {
        further["dim " + name] = std::to_string(value);
    }
    for (const auto& [name, value] : settings.variables) {
        further["variable " + name] = value;
    }
    for (const auto& [name, file] : settings.inputs) {
        further["input " + name] = file;
    }
    for (const auto& [name, value] : settings.device_changes) {
        further["device " + name] = value;
    }
    for (const auto& [name, hash] : settings.content) {
        further[name + std::string(content_suffix)] = hash;
    }
    return further;
}

std::map<std::string, std::string> identifying_settings(const Settings& settings) {
    std::map<std::string, std::string> identifying = further_settings(settings);
    for (const Option& option : all_options()) {
        if (option.role == OptionRole::safeguard) {
            identifying.erase(std::string(option.name));
        }
    }
    return identifying;
}

void set_further(Settings& settings, const std::string& name, const std::string& value) {
    const Option* option = find_option(name);
    if (option != nullptr && option->kept == Kept::further) {
        if (!option->set(settings, value)) {
            settings.unknown[name] = value;
        }
    } else if (name.ends_with(content_suffix)) {
        settings.content[name.substr(0, name.size() - content_suffix.size())] = value;
    } else if (const auto dim = after("dim ", name); dim && parse_integer(value)) {
        settings.dims[*dim] = *parse_integer(value);
    } else if (const auto variable = after("variable ", name)) {
        settings.variables[*variable] = value;
    } else if (const auto device = after("device ", name)) {
        settings.device_changes[*device] = value;
    } else if (const auto input = after("input ", name)) {
        settings.inputs[*input] = value;
    } else {
        settings.unknown[name] = value;
    }
}

}  // namespace strata
