// SPDX-License-Identifier: MIT
#include "report/json.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "report/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr double exact_integers = 9007199254740992.0;  // 2^53

// Whole numbers are written as such: 1350000000, not 1350000000.0.
Json json_of(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) <= exact_integers;
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json json_of(std::optional<double> value) {
    return value && std::isfinite(*value) ? json_of(*value) : Json();
}

// The number or boolean that the text represents; infinities of SQL, which JSON cannot represent,
// stay text.
Json json_of(const Verbatim& verbatim) {
    const Json parsed = Json::parse(verbatim.text, nullptr, false);
    return parsed.is_number() || parsed.is_boolean() ? parsed : Json(verbatim.text);
}

Json json_of(const Cell& cell) {
    if (is_missing(cell)) {
        return nullptr;
    }
    if (const auto* verbatim = std::get_if<Verbatim>(&cell)) {
        return json_of(*verbatim);
    }
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr ? Json(*text) : json_of(std::get<Number>(cell).value);
}

template <class Block>
Json json_of(const Block&) {
    return nullptr;  // the page itself writes everything but charts
}

Json json_of(const StackedBars& block) {
    Json series = Json::array();
    for (const auto& one : block.series) {
        Json values = Json::array();
        for (const auto& value : one.values) {
            values.push_back(json_of(value));
        }
        series.push_back({{"name", one.name}, {"values", values}});
    }
    return {{"type", "stacked_bars"},
            {"title", block.title},
            {"unit", block.unit},
            {"labels", block.labels},
            {"series", series}};
}

Json roof_of(const RooflineChart::Roof& roof) {
    const auto value = [](const auto& ceiling) {
        return ceiling ? json_of(std::optional(ceiling->value)) : Json();
    };
    return {{"name", roof.name},
            {"compute_flop_per_s", value(roof.compute)},
            {"bandwidth_b_per_s", value(roof.bandwidth)}};
}

Json point_of(const RooflineChart::Point& point) {
    return {{"name", point.name},
            {"group", point.group},
            {"intensity_flop_per_b", json_of(std::optional(point.intensity.value))},
            {"rate_flop_per_s", json_of(std::optional(point.rate.value))},
            {"share", json_of(point.share)}};
}

Json json_of(const RooflineChart& block) {
    Json roofs = Json::array(), points = Json::array();
    for (const auto& roof : block.roofs) {
        roofs.push_back(roof_of(roof));
    }
    for (const auto& point : block.points) {
        points.push_back(point_of(point));
    }
    return {{"type", "roofline"}, {"title", block.title}, {"roofs", roofs}, {"points", points}};
}

Json axis_of(const XyChart::Axis& axis) {
    return {{"key", axis.key},
            {"title", axis.title},
            {"unit", axis.unit},
            {"scale", name_of(axis.scale)},
            {"ticks", axis.ticks}};
}

Json point_of(const XyChart::Point& point) {
    return {{"name", point.name},
            {"x", json_of(std::optional(point.x))},
            {"y", json_of(std::optional(point.y))},
            {"low", json_of(point.low)},
            {"high", json_of(point.high)}};
}

Json json_of(const XyChart& block) {
    Json series = Json::array();
    for (const auto& one : block.series) {
        Json points = Json::array();
        for (const auto& point : one.points) {
            points.push_back(point_of(point));
        }
        series.push_back({{"name", one.name}, {"mark", name_of(one.mark)}, {"points", points}});
    }
    return {{"type", "xy"},
            {"title", block.title},
            {"x", axis_of(block.x)},
            {"y", axis_of(block.y)},
            {"series", series}};
}

// The escape in UTF-16, as JSON requires.
std::string escape_of(char32_t character) {
    const auto value = static_cast<std::uint32_t>(character);
    return value < 0x10000 ? fmt::format("\\u{:04x}", value)
                           : fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((value - 0x10000) >> 10),
                                         0xdc00 + ((value - 0x10000) & 0x3ff));
}

}  // namespace

std::string dump_json(const Json& json, int indent) {
    std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
    if (std::ranges::all_of(text, [](char c) { return c > 0 && c < 0x7f; })) {
        return text;  // the usual case; decoding every character would be slow
    }
    std::string escaped;
    for (std::string_view rest = text; !rest.empty();) {
        const CodePoint point = decode_utf8(rest);
        const bool shows = point.value < 0x7f || !is_invisible_control(point.value);
        escaped += shows ? rest.substr(0, point.length) : escape_of(point.value);
        rest.remove_prefix(point.length);
    }
    return escaped;
}

std::string json_text(std::string_view kind, std::string_view version, Json members) {
    Json whole = {{"schema", fmt::format("strata/{}/1", kind)}, {"strata", version}};
    for (auto& [key, value] : members.items()) {
        whole[key] = std::move(value);
    }
    return dump_json(whole, 2) + "\n";
}

Json records_of(const Table& data) {
    Json records = Json::array();
    for (const auto& row : data.rows) {
        Json record = Json::object();
        for (std::size_t i = 0; i < row.size(); ++i) {
            record[data.columns[i].key] = json_of(row[i]);
        }
        records.push_back(std::move(record));
    }
    return records;
}

std::string render_json(const Document& data, std::string_view version) {
    Json members = Json::object();
    for (const Block& block : data.blocks) {
        const auto& table = std::get<Table>(block);
        members[table.records] = records_of(table);
    }
    return json_text(data.kind, version, std::move(members));
}

std::string charts_json(const Document& charts) {
    Json blocks = Json::array();
    for (const auto& block : charts.blocks) {
        blocks.push_back(std::visit([](const auto& one) { return json_of(one); }, block));
    }
    return dump_json({{"blocks", blocks}}, 2) + "\n";
}

}  // namespace strata
