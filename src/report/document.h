// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace strata {

// What a cell's value is. Every printed number carries one; a missing value is never 0.
enum class Provenance { measured, derived, modelled, imported };
inline constexpr std::array<std::string_view, 4> names_of(Provenance) {
    return {"measured", "derived", "modelled", "imported"};
}

// A number for people and machines: the text is formatted from it, JSON and CSV keep it whole.
// `unit` is SI without prefix ("s", "FLOP", "B", "FLOP/s", "B/s", "FLOP/B", "%", ""); renderers
// scale.
struct Number {
    double value = 0;
    std::string unit{};
    std::optional<double> low{};  // interval, same unit
    std::optional<double> high{};
    Provenance provenance = Provenance::derived;
};

// A number that stands digit for digit as it was given, by SQL; or true and false.
struct Verbatim {
    std::string text{};
    double value = 0;  // that it is sorted by
};

// Not measured, with the reason where there is one.
struct Missing {
    std::string reason{};
};

using Cell = std::variant<Missing, std::string, Number, Verbatim>;

// A table of a network has a dozen cells for every layer, and a layer is one of 100,000.
static_assert(sizeof(Cell) <= 88);

// What a narrow terminal leaves out first.
enum class Importance { essential, normal, detail };

// How a page shows a column's numbers: alone, with a bar as long as they are against the column's
// largest, of shares in "%" with a bar that is full at 100, or shaded by what they are against the
// largest of all columns that are read together.
enum class CellForm { number, bar, gauge, shade };

// Who a column is for. Columns for data are shown to people who name them (--columns).
enum class Audience { all, people, data };

// Whether data has the ends of the numbers' intervals as two more columns: low_s and high_s beside
// median_s, NAME_low and NAME_high (before a unit: end_to_end_low_s) beside all others.
enum class Bounds { none, interval };

// How rows are sorted by a column where nobody says: numbers largest first and names by the
// alphabet, or, of dates, the newest first.
enum class Order { usual, newest_first };

// A column: key for JSON and CSV (a word of docs/schema/README.md), title for people. Where all
// numbers of a column share a unit, people see them in one scale and the scaled unit behind the
// title; an empty title leaves the unit alone.
struct Column {
    std::string key{};    // "median_s"
    std::string title{};  // "time"
    Importance importance = Importance::normal;
    Audience audience = Audience::all;
    Bounds bounds = Bounds::none;
    Order order = Order::usual;
    std::string unit{};  // that stands for an empty title: "FLOP/s"
    CellForm form = CellForm::number;
    std::string read_with{};  // columns of one such word have one scale, to be read across
};

// For scripts alone; people who ask for it read its key as words.
inline Column data_column(std::string key, Bounds bounds = Bounds::none) {
    std::string title = key;
    std::ranges::replace(title, '_', ' ');
    return {std::move(key), std::move(title), Importance::normal, Audience::data, bounds};
}

// For people alone, where data says the same otherwise.
inline Column people_column(std::string key, std::string title) {
    return {std::move(key), std::move(title), Importance::essential, Audience::people};
}

// Headed by its unit.
inline Column unit_column(std::string key, std::string unit,
                          Importance importance = Importance::normal) {
    return {.key = std::move(key), .importance = importance, .unit = std::move(unit)};
}

// Whether an interactive page shows a table at once or behind its title.
enum class Folding { open, folded };

struct Table {
    std::string title{};
    std::vector<Column> columns{};
    std::vector<std::vector<Cell>> rows{};    // as many cells as columns
    std::vector<std::vector<Cell>> totals{};  // closing rows, set apart
    std::vector<std::string> notes{};         // below the table, a line each
    Folding folding = Folding::open;
    // Of a tree, how deep each row lies; the deeper ones that follow it are its parts. A row at
    // level n is named by its column n, and the columns before that by its ancestors' names, which
    // machines get in every row and people once. Empty: a flat table.
    std::vector<std::size_t> levels{};
    // What its rows are in data: "steps". JSON has them as an array of that name, CSV those of the
    // document's first such table; tables of one name are one list. Empty: for people alone.
    std::string records{};
};

// A section heads what follows it; a part holds several sections, and a page folds it.
enum class HeadingLevel { section, part };

struct Heading {
    std::string text{};
    HeadingLevel level = HeadingLevel::section;
};

// The answer in a sentence or two, before everything else.
struct Lead {
    std::string text{};
};

struct Paragraph {
    std::string text{};
};

// Numbered sentences, the first one first, each with the command to try next where there is one.
struct Ranking {
    std::vector<std::string> items{};
    std::vector<std::string> commands{};  // by item, as a shell takes it; may be fewer, or empty

    std::string_view command(std::size_t item) const {
        return item < commands.size() ? std::string_view(commands[item]) : std::string_view();
    }
};

// What speaks against the numbers, before anyone trusts them.
struct Doubts {
    struct Doubt {
        std::string kind{};  // "drift"
        std::string sentence{};
    };
    std::vector<Doubt> doubts{};
};

// The few numbers to see first, each under its label.
struct Tiles {
    struct Tile {
        std::string key{};    // "end_to_end_s"
        std::string label{};  // "end to end"
        Cell value{};
        std::string detail{};  // what the number means, in a few words
    };
    std::vector<Tile> tiles{};
};

// One bar per label, stacked by series; values in the given unit.
struct StackedBars {
    std::string title{};
    std::string unit{};
    std::vector<std::string> labels{};
    struct Series {
        std::string name{};
        std::vector<std::optional<double>> values{};  // one per label

        // How long the bar's part is drawn: 0 where there is no value or none that can be drawn.
        double length(std::size_t bar) const {
            const auto value = bar < values.size() ? values[bar] : std::nullopt;
            return value && std::isfinite(*value) ? std::max(*value, 0.0) : 0;
        }
    };
    std::vector<Series> series{};

    // All parts of a bar that have a value; nothing where none has one.
    std::optional<double> total(std::size_t bar) const {
        std::optional<double> sum;
        for (const Series& one : series) {
            if (bar < one.values.size() && one.values[bar]) {
                sum = sum.value_or(0) + one.length(bar);
            }
        }
        return sum;
    }
};

// Points under roofs, on logarithmic axes: x in FLOP/byte, y in FLOP/s.
struct RooflineChart {
    std::string title{};
    struct Roof {
        std::string name{};
        std::optional<FlopRate> compute{};     // a flat roof
        std::optional<Bandwidth> bandwidth{};  // a slanted one
    };
    std::vector<Roof> roofs{};
    struct Point {
        std::string name{};
        std::string group{};  // pass
        Intensity intensity{};
        FlopRate rate{};
        std::optional<double> share{};  // of the whole time; sets the point's size
    };
    std::vector<Point> points{};
};

// How the values of an axis lie along it.
enum class AxisScale { linear, logarithmic };
inline constexpr std::array<std::string_view, 2> names_of(AxisScale) {
    return {"linear", "logarithmic"};
}

// How a series is drawn: by its points alone, by a line through them alone, or by both.
enum class Mark { points, line, joined };
inline constexpr std::array<std::string_view, 3> names_of(Mark) {
    return {"points", "line", "joined"};
}

// One number over another.
struct XyChart {
    std::string title{};
    struct Axis {
        std::string key{};    // "work_flop", for JSON
        std::string title{};  // "work"
        std::string unit{};   // as Number's
        AxisScale scale = AxisScale::linear;
        std::vector<double> ticks{};  // where the axis is labelled, ascending; empty: round numbers
    };
    Axis x{};
    Axis y{};
    struct Point {
        std::string name{};  // "hidden 256"
        double x = 0;
        double y = 0;
        std::optional<double> low{};  // interval of y
        std::optional<double> high{};
    };
    struct Series {
        std::string name{};
        Mark mark = Mark::points;
        std::vector<Point> points{};  // by ascending x where a line goes through them
    };
    std::vector<Series> series{};
};

using Block = std::variant<Heading, Lead, Paragraph, Ranking, Doubts, Tiles, Table, StackedBars,
                           RooflineChart, XyChart>;

// What a command has to say, once; renderers turn it into a terminal's text, HTML, Markdown, CSV or
// JSON. Names inside may come from foreign files: every renderer escapes them.
struct Document {
    std::string title{};
    std::vector<Block> blocks{};
    std::string kind{};  // of its data: "algorithms" is described by docs/schema/algorithms.json
};

}  // namespace strata
