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

// The origin of a cell's value. Every printed number carries one; a missing value is never 0.
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

// A number printed digit for digit as SQL gave it, or a boolean.
struct Verbatim {
    std::string text{};
    double value = 0;  // the key for sorting
};

// Not measured, with the reason if there is one.
struct Missing {
    std::string reason{};
};

using Cell = std::variant<Missing, std::string, Number, Verbatim>;

// A table has a dozen cells for every layer, and a network may have 100,000 layers.
static_assert(sizeof(Cell) <= 88);

// The order in which a narrow terminal drops columns: details first.
enum class Importance { essential, normal, detail };

// How a page shows a column's numbers: alone; with a bar relative to the column's largest number;
// with a bar that is full at 100, for shares in "%"; or shaded relative to the largest number of
// all columns that are read together.
enum class CellForm { number, bar, gauge, shade };

// Who a column is for. People see columns for data only if they name them (--columns).
enum class Audience { all, people, data };

// Whether data has two more columns for the ends of the numbers' intervals: low_s and high_s beside
// median_s, NAME_low and NAME_high (before a unit: end_to_end_low_s) beside all other keys.
enum class Bounds { none, interval };

// The default order of a column: numbers largest first and names alphabetically, or dates newest
// first.
enum class Order { usual, newest_first };

// A column: key for JSON and CSV (a word of docs/schema/README.md), title for people. If all
// numbers of a column share a unit, people see them in one scale, with the scaled unit after the
// title; if the title is empty, the unit is the heading.
struct Column {
    std::string key{};    // "median_s"
    std::string title{};  // "time"
    Importance importance = Importance::normal;
    Audience audience = Audience::all;
    Bounds bounds = Bounds::none;
    Order order = Order::usual;
    std::string unit{};  // the heading if the title is empty: "FLOP/s"
    CellForm form = CellForm::number;
    std::string read_with{};  // columns with the same word share one scale
};

// For scripts only; people who ask for it see its key as words.
inline Column data_column(std::string key, Bounds bounds = Bounds::none) {
    std::string title = key;
    std::ranges::replace(title, '_', ' ');
    return {std::move(key), std::move(title), Importance::normal, Audience::data, bounds};
}

// For people only, if data has the same in another form.
inline Column people_column(std::string key, std::string title) {
    return {std::move(key), std::move(title), Importance::essential, Audience::people};
}

// A column whose heading is its unit.
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
    std::vector<std::string> notes{};         // below the table, one line each
    Folding folding = Folding::open;
    // The depth of each row in a tree; the deeper rows that follow it are its parts. Column n names
    // a row at level n, and the columns before it hold its ancestors' names, which machines get in
    // every row and people once. Empty: a flat table.
    std::vector<std::size_t> levels{};
    // The name of its rows in data: "steps". JSON has an array of that name; CSV has the rows of
    // the document's first such table; tables with the same name form one list. Empty: for people
    // only.
    std::string records{};
};

// A section is a heading; a part contains several sections, and a page can fold it.
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

// Numbered sentences, the first one first, each with the command to try next, if there is one.
struct Ranking {
    std::vector<std::string> items{};
    std::vector<std::string> commands{};  // by item, as a shell takes it; may be fewer, or empty

    std::string_view command(std::size_t item) const {
        return item < commands.size() ? std::string_view(commands[item]) : std::string_view();
    }
};

// Reasons to doubt the numbers, shown before them.
struct Doubts {
    struct Doubt {
        std::string kind{};  // "drift"
        std::string sentence{};
    };
    std::vector<Doubt> doubts{};
};

// The headline numbers, each under its label.
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

        // The drawn length of the bar's part: 0 if it has no value or none that can be drawn.
        double length(std::size_t bar) const {
            const auto value = bar < values.size() ? values[bar] : std::nullopt;
            return value && std::isfinite(*value) ? std::max(*value, 0.0) : 0;
        }
    };
    std::vector<Series> series{};

    // The sum of the parts of a bar that have a value; empty if none has one.
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
        std::optional<double> share{};  // its part of the whole time, which sets the point's size
    };
    std::vector<Point> points{};
};

// How an axis places its values.
enum class AxisScale { linear, logarithmic };
inline constexpr std::array<std::string_view, 2> names_of(AxisScale) {
    return {"linear", "logarithmic"};
}

// How a series is drawn: only its points, only a line through them, or both.
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
        std::vector<double> ticks{};  // positions of the labels, ascending; empty: round numbers
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
        std::vector<Point> points{};  // by ascending x if a line goes through them
    };
    std::vector<Series> series{};
};

using OneBlock = std::variant<Heading, Lead, Paragraph, Ranking, Doubts, Tiles, Table, StackedBars,
                              RooflineChart, XyChart>;

// One of them. Copying, moving and destroying it are compiled once, in document.cpp.
struct Block : OneBlock {
    using OneBlock::OneBlock;
    Block();
    Block(const Block& other);
    Block(Block&& other) noexcept;
    Block& operator=(const Block& other);
    Block& operator=(Block&& other) noexcept;
    ~Block();
};

// The output of a command, independent of its form; renderers turn it into text for a terminal,
// HTML, Markdown, CSV or JSON. Its names may come from foreign files: every renderer escapes them.
struct Document {
    std::string title{};
    std::vector<Block> blocks{};
    std::string kind{};  // names its schema: docs/schema/algorithms.json describes "algorithms"
};

}  // namespace strata
