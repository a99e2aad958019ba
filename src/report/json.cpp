// SPDX-License-Identifier: MIT
#include "report/json.h"

#include "base/enumeration.h"
#include "report/flat.h"
#include "report/format.h"

#include <nlohmann/json.hpp>

#include <cmath>

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

Json json_of(const FlatValue& value) {
    if (const auto* number = std::get_if<double>(&value)) {
        return json_of(*number);
    }
    const auto* text = std::get_if<std::string>(&value);
    return text ? Json(*text) : Json();
}

Json json_of(const Cell& cell) {
    return json_of(flat_value({cell}, {}));
}

std::string unit_of(const Table& table, std::size_t column) {
    for (const auto* rows : {&table.rows, &table.totals}) {
        for (const auto& row : *rows) {
            if (const auto* number = std::get_if<Number>(&row[column])) {
                return number->unit;
            }
        }
    }
    return "";
}

Json columns_of(const Table& table, const std::vector<FlatColumn>& flat) {
    Json columns = Json::array();
    for (const auto& column : flat) {
        columns.push_back({{"key", column.key},
                           {"title", table.columns[column.source].title},
                           {"unit", unit_of(table, column.source)}});
    }
    return columns;
}

Json rows_of(const std::vector<std::vector<Cell>>& rows, const std::vector<FlatColumn>& flat) {
    Json result = Json::array();
    for (const auto& row : rows) {
        Json object = Json::object();
        for (const auto& column : flat) {
            object[column.key] = json_of(flat_value(row, column));
        }
        result.push_back(std::move(object));
    }
    return result;
}

Json block_of(const Heading& block) {
    return {{"type", "heading"}, {"text", block.text}};
}

Json block_of(const Lead& block) {
    return {{"type", "lead"}, {"text", block.text}};
}

Json block_of(const Doubts& block) {
    Json doubts = Json::array();
    for (const auto& [kind, sentence] : block.doubts) {
        doubts.push_back({{"kind", kind}, {"sentence", sentence}});
    }
    return {{"type", "doubts"}, {"doubts", doubts}};
}

Json block_of(const Paragraph& block) {
    return {{"type", "paragraph"}, {"text", block.text}};
}

Json block_of(const Ranking& block) {
    return {{"type", "ranking"}, {"items", block.items}, {"commands", block.commands}};
}

Json block_of(const Tiles& block) {
    Json values = Json::object();
    for (const auto& tile : block.tiles) {
        values[tile.key] = json_of(tile.value);
    }
    return {{"type", "tiles"}, {"values", values}};
}

Json block_of(const Table& block) {
    const auto flat = flat_columns(block);
    return {{"type", "table"},
            {"title", block.title},
            {"columns", columns_of(block, flat)},
            {"rows", rows_of(block.rows, flat)},
            {"totals", rows_of(block.totals, flat)},
            {"notes", block.notes}};
}

Json block_of(const StackedBars& block) {
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
            {"share", json_of(std::optional(point.share))}};
}

Json block_of(const RooflineChart& block) {
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

Json block_of(const XyChart& block) {
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

}  // namespace

std::string render_json(const Document& document) {
    Json blocks = Json::array();
    for (const auto& block : document.blocks) {
        blocks.push_back(std::visit([](const auto& one) { return block_of(one); }, block));
    }
    const Json whole = {{"title", document.title}, {"blocks", blocks}};
    return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
