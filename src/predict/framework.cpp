// SPDX-License-Identifier: MIT
#include "predict/framework.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "predict/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace strata {

namespace {

constexpr double generation_of_volta = 2;

std::optional<HostTimes> times_in(const TomlSection& section, std::string_view key) {
    const toml::table* const table = section.table(key);
    if (table == nullptr) {
        return {};
    }
    const TomlSection times(*table, section.place(key));
    return HostTimes{Seconds{times.required_number("volta")},
                     Seconds{times.required_number("ampere")}};
}

Framework framework_in(const toml::table& table, const std::string& origin) {
    constexpr std::array<std::string_view, 8> keys = {"name",   "meaning", "fuses",  "pass_s",
                                                      "cast_s", "infers",  "source", "unknown"};
    const TomlSection section(table, origin);
    section.expect_only(keys);
    section.required_text("source");
    const auto fusion = value_named<LayerFusion>(section.required_text("fuses"));
    if (!fusion) {
        section.refuse("fuses", "give nothing, elementwise or products");
    }
    return {.name = section.required_text("name"),
            .meaning = section.required_text("meaning"),
            .fusion = *fusion,
            .pass = times_in(section, "pass_s"),
            .cast = times_in(section, "cast_s"),
            .infers_only = section.truth("infers").value_or(false),
            .unknown = section.required_text("unknown")};
}

std::vector<Framework> read_frameworks() {
    const EmbeddedFile& file = framework_files().front();
    const std::string origin = fmt::format("{}.toml", file.name);
    const toml::table table = parse_toml(file.text, origin);
    const TomlSection whole(table, origin);
    std::vector<Framework> found;
    for (const toml::table* const one : whole.tables("framework")) {
        found.push_back(framework_in(*one, origin));
    }
    return found;
}

}  // namespace

std::optional<Seconds> Framework::on_host_of(const DeviceDescription& device,
                                             const std::optional<HostTimes>& times) {
    const double generation = generation_of(device);
    if (!times || generation < generation_of_volta) {
        return {};
    }
    return generation > generation_of_volta ? times->ampere : times->volta;
}

std::span<const Framework> frameworks() {
    static const std::vector<Framework> all = read_frameworks();
    return all;
}

std::span<const std::string_view> framework_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> found;
        for (const Framework& one : frameworks()) {
            found.push_back(one.name);
        }
        return found;
    }();
    return names;
}

const Framework& framework_called(std::string_view name) {
    const auto found = std::ranges::find(frameworks(), name, &Framework::name);
    if (found == frameworks().end()) {
        throw Error(fmt::format("framework: '{}' is not known; known are {}", printable(name),
                                fmt::join(framework_names(), ", ")),
                    ExitCode::usage);
    }
    return *found;
}

std::string framework_sentence(const Framework& framework, const DeviceDescription& device) {
    constexpr double microseconds = 1e6;
    std::string text = fmt::format("{}: {}", framework.name, framework.meaning);
    if (const auto pass = Framework::on_host_of(device, framework.pass)) {
        text += fmt::format("; its host needs {:.3g} µs for a pass of a layer",
                            microseconds * pass->value);
    }
    if (const auto cast = Framework::on_host_of(device, framework.cast)) {
        text += fmt::format(" and {:.3g} µs to narrow weights", microseconds * cast->value);
    }
    return fmt::format("{} ({})", text, framework.unknown);
}

}  // namespace strata
