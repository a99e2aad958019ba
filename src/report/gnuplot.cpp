// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "report/axis.h"
#include "report/format.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// A text that gnuplot reads literally: single quotes are doubled; backquotes would run a command.
std::string quoted(std::string_view text) {
    std::string literal = "'";
    for (const char letter : clean_text(text)) {
        literal += letter == '`' ? "" : letter == '\'' ? "''" : std::string(1, letter);
    }
    return literal + "'";
}

// A text within a line of figures: its own quotes would end it.
std::string named(std::string_view text) {
    std::string name = clean_text(text);
    std::erase_if(name,
                  [](char letter) { return letter == '"' || letter == '\\' || letter == '`'; });
    return "\"" + name + "\"";
}

std::string figure(double value, double factor) {
    return std::isfinite(value) ? fmt::format("{}", value / factor) : "NaN";
}

std::string figure(const std::optional<double>& value, double factor) {
    return value ? figure(*value, factor) : "NaN";
}

std::string label(const std::string& title, const Scale& scale) {
    return quoted(scale.unit.empty() ? title : fmt::format("{} [{}]", title, scale.unit));
}

std::string head(const std::string& title, const std::string& x, const std::string& y) {
    return fmt::format("set autoscale\nset title {}\nset xlabel {}\nset ylabel {}\n", quoted(title),
                       x, y);
}

Scale scale_of(const XyChart::Axis& axis, const std::vector<double>& values) {
    return scale_for(axis.unit, span_of(values, axis.scale).high / 2);
}

std::string logarithms(const XyChart& chart) {
    std::string axes;
    axes += chart.x.scale == AxisScale::logarithmic ? "x" : "";
    axes += chart.y.scale == AxisScale::logarithmic ? "y" : "";
    return axes.empty() ? "unset logscale\n" : "unset logscale\nset logscale " + axes + "\n";
}

// As elsewhere, a linear axis of non-negative values begins at 0.
std::string ranges(const XyChart& chart) {
    const auto range = [](char axis, AxisScale scale, const std::vector<double>& values) {
        const bool from_zero = scale == AxisScale::linear && span_of(values, scale).low >= 0;
        return from_zero ? fmt::format("set {}range [0:*]\n", axis) : std::string();
    };
    return range('x', chart.x.scale, x_values(chart)) + range('y', chart.y.scale, y_values(chart));
}

// The tick marks, if the axis specifies them.
std::string tick_marks(char axis, const std::vector<double>& ticks, double factor) {
    std::vector<std::string> places;
    for (const double tick : ticks) {
        places.push_back(figure(tick, factor));
    }
    return places.empty() ? "" : fmt::format("set {}tics ({})\n", axis, fmt::join(places, ", "));
}

bool has_intervals(const XyChart::Series& series) {
    return std::ranges::any_of(series.points,
                               [](const auto& point) { return point.low && point.high; });
}

std::string style_of(Mark mark) {
    return mark == Mark::points ? "points pt 7" : mark == Mark::line ? "lines" : "linespoints pt 7";
}

// Writes the script. Data blocks are numbered throughout, so that no chart reads another's figures.
class ScriptWriter {
public:
    std::string operator()(const StackedBars& chart) {
        double largest = 0;
        for (const auto& series : chart.series) {
            for (const auto& value : series.values) {
                largest = std::max(largest, value.value_or(0));
            }
        }
        const Scale scale = scale_for(chart.unit, largest / 4);
        const std::string data = next();
        std::string text = data + " << EOD\n";
        for (std::size_t i = 0; i < chart.labels.size(); ++i) {
            text += named(chart.labels[i]);
            for (const auto& series : chart.series) {
                text += " " + (i < series.values.size() ? figure(series.values[i], scale.factor)
                                                        : std::string("NaN"));
            }
            text += "\n";
        }
        text += "EOD\n" + head(chart.title, "''", quoted(scale.unit)) +
                "unset logscale\nset style fill solid\nset style histogram rowstacked\n"
                "set xtics rotate by -60\n";
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < chart.series.size(); ++i) {
            parts.push_back(fmt::format("{} using {}:xtic(1) with histograms title {}", data, i + 2,
                                        quoted(chart.series[i].name)));
        }
        return text + plot(parts);
    }

    std::string operator()(const RooflineChart& chart) {
        std::string text;
        std::vector<std::string> parts;
        const std::string data = next();
        text += data + " << EOD\n";
        for (const auto& point : chart.points) {
            text += fmt::format("{} {} {}\n", named(point.name + ", " + point.group),
                                figure(point.intensity.value, 1), figure(point.rate.value, 1e9));
        }
        text += "EOD\n" +
                head(chart.title, quoted("arithmetic intensity [FLOP/B]"),
                     quoted("attained rate [GFLOP/s]")) +
                "set logscale xy\nunset xtics\nset xtics\n";
        for (const auto& roof : chart.roofs) {
            const std::string height = roof.compute ? figure(roof.compute->value, 1e9)
                                       : roof.bandwidth
                                           ? figure(roof.bandwidth->value, 1e9) + " * x"
                                           : "NaN";
            parts.push_back(fmt::format("{} with lines title {}", height, quoted(roof.name)));
        }
        parts.push_back(data + " using 2:3 with points pt 7 title 'steps'");
        return text + plot(parts);
    }

    std::string operator()(const XyChart& chart) {
        const Scale x = scale_of(chart.x, x_values(chart)), y = scale_of(chart.y, y_values(chart));
        std::string text;
        std::vector<std::string> parts;
        for (const auto& series : chart.series) {
            const std::string data = next();
            text += data + " << EOD\n";
            for (const auto& point : series.points) {
                text += fmt::format("{} {} {} {} {}\n", named(point.name),
                                    figure(point.x, x.factor), figure(point.y, y.factor),
                                    figure(point.low, y.factor), figure(point.high, y.factor));
            }
            text += "EOD\n";
            parts.push_back(fmt::format("{} using 2:3 with {} title {}", data,
                                        style_of(series.mark), quoted(series.name)));
            if (series.mark != Mark::line && has_intervals(series)) {
                parts.push_back(data + " using 2:3:4:5 with yerrorbars pt 7 notitle");
            }
        }
        return text + head(chart.title, label(chart.x.title, x), label(chart.y.title, y)) +
               logarithms(chart) + ranges(chart) + "unset xtics\nset xtics\n" +
               tick_marks('x', chart.x.ticks, x.factor) + plot(parts);
    }

    template <class Other>
    std::string operator()(const Other&) {
        return {};
    }

private:
    std::string next() { return fmt::format("$data{}", ++count_); }

    static std::string plot(const std::vector<std::string>& parts) {
        return parts.empty() ? "" : fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
    }

    int count_ = 0;
};

}  // namespace

std::string render_gnuplot(const Document& document) {
    ScriptWriter writer;
    std::vector<std::string> charts;
    for (const Block& block : document.blocks) {
        std::string chart = std::visit(writer, block);
        if (!chart.empty()) {
            charts.push_back(std::move(chart));
        }
    }
    std::string text =
        "# " + clean_text(document.title) + "\nset termoption noenhanced\nset key outside\n";
    if (charts.empty()) {
        return text + "# this document has no chart\n";
    }
    return text + fmt::format("set multiplot layout {},1\n{}unset multiplot\n", charts.size(),
                              fmt::join(charts, ""));
}

}  // namespace strata
