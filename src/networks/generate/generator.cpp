// SPDX-License-Identifier: MIT
#include "networks/generate/generator.h"

#include "base/error.h"
#include "base/text.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace strata {

namespace {

[[noreturn]] void refuse(std::string_view family, const std::string& why) {
    throw Error(fmt::format("{}: {}", family, why), ExitCode::usage);
}

const GeneratorFamily* find_family(std::string_view name) {
    const auto families = generator_families();
    const auto found = std::ranges::find(families, name, &GeneratorFamily::name);
    return found == families.end() ? nullptr : &*found;
}

const GeneratorFamily& family_of(std::string_view name) {
    const GeneratorFamily* family = find_family(name);
    check(family != nullptr, "a generator's family is one of the list");
    return *family;
}

std::string_view head_of(std::string_view text) {
    return text.substr(0, text.find(':'));
}

const GeneratorKey& key_of(const GeneratorFamily& family, std::string_view name) {
    const auto is_called = [&](const GeneratorKey& key) {
        return key.name == name || (!key.alias.empty() && key.alias == name);
    };
    const auto found = std::ranges::find_if(family.keys, is_called);
    if (found != family.keys.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const GeneratorKey& key : family.keys) {
        names.emplace_back(key.name);
    }
    refuse(family.name, fmt::format("there is no key '{}'; choose one of {}", printable(name),
                                    join(names, ", ")));
}

[[noreturn]] void refuse_value(const GeneratorFamily& family, const GeneratorKey& key,
                               std::string_view value) {
    refuse(family.name, fmt::format("{} needs a whole number from 1 to {}, not '{}'", key.name,
                                    key.maximum, printable(value)));
}

Generator standard_member(const GeneratorFamily& family) {
    Generator generator{.family = std::string(family.name)};
    for (const GeneratorKey& key : family.keys) {
        generator.values.emplace(key.name, key.standard);
    }
    return generator;
}

// Reads "nodes=512" into the generator; `given` holds the keys read before.
void read_setting(Generator& generator, std::string_view text, std::set<std::string>& given) {
    const GeneratorFamily& family = family_of(generator.family);
    const std::string_view name = trim(text.substr(0, text.find('=')));
    const GeneratorKey& key = key_of(family, name);
    if (name.size() == text.size()) {
        refuse(family.name, fmt::format("{} has no value; write {}={}", name, name, key.standard));
    }
    const std::string_view written = trim(text.substr(text.find('=') + 1));
    const auto value = parse_integer(written);
    if (!value) {
        refuse_value(family, key, written);
    }
    if (!given.insert(std::string(key.name)).second) {
        refuse(family.name, fmt::format("{} is given twice; remove one", key.name));
    }
    set_key(generator, key.name, *value);
}

}  // namespace

bool is_generator(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || find_family(text.substr(0, colon)) == nullptr) {
        return false;
    }
    const std::string_view rest = text.substr(colon + 1);
    return rest.empty() || rest.find('=') != std::string_view::npos || !is_short_problem(text);
}

Generator parse_generator(std::string_view text) {
    check(is_generator(text), "the caller asks is_generator first");
    Generator generator = standard_member(family_of(head_of(text)));
    const std::string_view settings = text.substr(text.find(':') + 1);
    std::set<std::string> given;
    if (!trim(settings).empty()) {
        for (const std::string_view setting : split(settings, ',')) {
            read_setting(generator, setting, given);
        }
    }
    return generator;
}

void set_key(Generator& generator, std::string_view key, std::int64_t value) {
    const GeneratorFamily& family = family_of(generator.family);
    const GeneratorKey& known = key_of(family, key);
    if (value < 1 || value > known.maximum) {
        refuse_value(family, known, std::to_string(value));
    }
    generator.values[std::string(known.name)] = value;
}

std::int64_t value_of(const Generator& generator, std::string_view key) {
    const auto found = generator.values.find(key);
    check(found != generator.values.end(), "a generator holds every key of its family");
    return found->second;
}

std::string to_text(const Generator& generator) {
    std::vector<std::string> settings;
    for (const GeneratorKey& key : family_of(generator.family).keys) {
        settings.push_back(fmt::format("{}={}", key.name, value_of(generator, key.name)));
    }
    return generator.family + ":" + join(settings, ",");
}

Graph build(const Generator& generator, std::int64_t batch) {
    GraphBuilder builder(to_text(generator));
    build(generator, batch, builder);
    return builder.finish();
}

void build(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    family_of(generator.family).build(generator, batch, sink);
}

}  // namespace strata
