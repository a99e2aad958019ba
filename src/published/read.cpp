// SPDX-License-Identifier: MIT
#include "published/read.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/toml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace strata {

namespace {

using namespace std::string_view_literals;

// The keys of a counted quantity, and the other keys of a number.
constexpr std::array counted_keys = {"network"sv, "batch"sv,  "layers"sv,
                                     "except"sv,  "count"sv,  "convention"sv,
                                     "kernel"sv,  "passes"sv, "first_layer_gradient"sv};
constexpr std::array speedup_keys = {"device"sv,  "links"sv,         "devices"sv,    "single_ms"sv,
                                     "overlap"sv, "gradient_bits"sv, "overhead_ms"sv};
constexpr std::array number_keys = {"network"sv,   "batch"sv,         "layers"sv,
                                    "except"sv,    "count"sv,         "convention"sv,
                                    "kernel"sv,    "passes"sv,        "first_layer_gradient"sv,
                                    "name"sv,      "basis"sv,         "where"sv,
                                    "published"sv, "tolerance"sv,     "modelled"sv,
                                    "differs"sv,   "times"sv,         "minus"sv,
                                    "over"sv,      "release"sv,       "device"sv,
                                    "links"sv,     "devices"sv,       "single_ms"sv,
                                    "overlap"sv,   "gradient_bits"sv, "overhead_ms"sv,
                                    "above"sv};
constexpr std::array release_keys = {"data"sv,   "over"sv, "quantity"sv, "metric"sv,
                                     "column"sv, "kind"sv, "below"sv};
constexpr std::array file_keys = {"title"sv,   "source"sv, "model"sv,
                                  "remarks"sv, "every"sv,  "numbers"sv};

template <class Value>
Value required(const TomlSection& section, std::string_view key, std::optional<Value> value) {
    if (!value) {
        section.refuse(key, "missing; give it");
    }
    return *value;
}

Counted counted_of(const TomlSection& section) {
    Counted counted;
    counted.network = required(section, "network", section.text("network"));
    counted.batch = section.count("batch");
    counted.layers = section.text("layers").value_or(counted.layers);
    counted.except = section.text("except").value_or(counted.except);
    counted.what = section.text("count").value_or(counted.what);
    counted.convention = section.text("convention").value_or(counted.convention);
    counted.kernel = section.text("kernel").value_or(counted.kernel);
    counted.passes = section.text("passes").value_or(counted.passes);
    if (section.truth("first_layer_gradient").value_or(false)) {
        counted.first_layer_gradient = FirstLayerGradient::computed;
    }
    return counted;
}

std::optional<Counted> other_counted(const TomlSection& number, std::string_view key) {
    const toml::table* table = number.table(key);
    if (table == nullptr) {
        return {};
    }
    const TomlSection section(*table, number.place(key), number);
    section.expect_only(counted_keys);
    return counted_of(section);
}

std::optional<FromRelease> release_of(const TomlSection& number) {
    const toml::table* table = number.table("release");
    if (table == nullptr) {
        return {};
    }
    const TomlSection section(*table, number.place("release"));
    section.expect_only(release_keys);
    return FromRelease{.data = section.required_text("data"),
                       .over = section.text("over").value_or(""),
                       .quantity = section.required_text("quantity"),
                       .metric = section.text("metric").value_or("rate"),
                       .column = section.text("column").value_or(""),
                       .kind = section.text("kind").value_or(""),
                       .below = section.number("below")};
}

FromSpeedup speedup_of(const TomlSection& section) {
    FromSpeedup asked{.device = section.required_text("device"),
                      .links = section.required_text("links"),
                      .single_ms = section.required_number("single_ms"),
                      .overlap = section.text("overlap").value_or("off"),
                      .overhead_ms = section.number("overhead_ms").value_or(0)};
    if (!(asked.single_ms > 0)) {
        section.refuse("single_ms", "give a positive number of milliseconds");
    }
    constexpr std::int64_t most_devices = 1 << 20;
    asked.devices = static_cast<int>(std::min(section.count("devices").value_or(1), most_devices));
    asked.gradient_bits =
        static_cast<int>(std::min<std::int64_t>(section.count("gradient_bits").value_or(32), 32));
    return asked;
}

Basis basis_of(const TomlSection& section) {
    const auto text = section.text("basis");
    if (!text) {
        section.refuse("basis", "missing; give printed, digitised, artifact or derived");
    }
    const auto basis = value_named<Basis>(*text);
    if (!basis) {
        section.refuse("basis",
                       fmt::format("\"{}\" is not a basis; give printed, digitised, artifact or "
                                   "derived",
                                   printable(*text)));
    }
    return *basis;
}

PublishedNumber number_of(const TomlSection& section) {
    section.expect_only(number_keys);
    PublishedNumber number;
    number.name = required(section, "name", section.text("name"));
    number.basis = basis_of(section);
    number.where = section.text("where").value_or("");
    if (number.where.empty()) {
        section.refuse("where", "missing; give the page, table, figure, slide or file");
    }
    number.published = required(section, "published", section.number("published"));
    number.tolerance = section.number("tolerance").value_or(0);
    number.differs = section.text("differs").value_or("");
    number.times = section.number("times").value_or(1);
    number.method = section.truth("modelled").value_or(false) ? Method::modelled : Method::counted;
    number.release = release_of(section);
    if (number.release) {
        number.method = Method::computed;
        return number;
    }
    number.counted = counted_of(section);
    if (section.count("devices")) {
        number.method = Method::modelled;
        number.speedup = speedup_of(section);
        if (const toml::table* above = section.table("above")) {
            const TomlSection other(*above, section.place("above"), section);
            other.expect_only(speedup_keys);
            number.above = speedup_of(other);
        }
        return number;
    }
    number.minus = other_counted(section, "minus");
    number.over = other_counted(section, "over");
    return number;
}

}  // namespace

Reproduction parse_reproduction(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(file_keys);
    Reproduction reproduction;
    reproduction.name = std::filesystem::path(origin).stem().string();
    reproduction.title = required(whole, "title", whole.text("title"));
    reproduction.source = required(whole, "source", whole.text("source"));
    reproduction.model = whole.text("model").value_or("");
    reproduction.remarks = whole.texts("remarks");
    const toml::table none;
    const toml::table* every = whole.table("every");
    const TomlSection common(every == nullptr ? none : *every, whole.place("every"));
    common.expect_only(number_keys);
    for (const toml::table* number : whole.tables("numbers")) {
        const auto index = reproduction.numbers.size() + 1;
        const TomlSection section(*number, fmt::format("{}: number {}", origin, index), common);
        reproduction.numbers.push_back(number_of(section));
        if (reproduction.numbers.back().method == Method::modelled && reproduction.model.empty()) {
            whole.refuse("model", "missing; say what the modelled numbers were fitted to");
        }
    }
    return reproduction;
}

}  // namespace strata
