// SPDX-License-Identifier: MIT
#include "report/html_blocks.h"

#include "report/chart_tables.h"
#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr std::size_t series_colours = 6;  // --series-0 to --series-5 of assets/report.css

std::string legend(const StackedBars& chart) {
    std::string html = "<p class=\"legend\">";
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        html += fmt::format("<span class=\"key s{}\">{}</span> ", i % series_colours,
                            escape_html(chart.series[i].name));
    }
    return html + "</p>\n";
}

// The parts of one bar, each as wide as its share of the largest bar.
std::string parts(const StackedBars& chart, std::size_t bar, double largest) {
    std::string html;
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const double value = chart.series[i].length(bar);
        if (value <= 0) {
            continue;
        }
        const std::string what =
            chart.series[i].name + " " + number_text({.value = value, .unit = chart.unit});
        html += fmt::format("<span class=\"s{}\" style=\"width:{:.2f}%\" title=\"{}\"></span>",
                            i % series_colours, 100 * value / largest, escape_html(what));
    }
    return html;
}

}  // namespace

std::string html_bars(const StackedBars& chart) {
    double largest = 0;
    for (std::size_t i = 0; i < chart.labels.size(); ++i) {
        largest = std::max(largest, chart.total(i).value_or(0));
    }
    const Scale scale = scale_for(chart.unit, largest / 4);
    std::string html = legend(chart);
    html += fmt::format(
        "<div class=\"scroll\"><table class=\"data bars\"><thead><tr><th scope=\"col\">name</th>"
        "<th scope=\"col\" class=\"number\">{}</th><th scope=\"col\"></th></tr></thead>\n<tbody>\n",
        escape_html(scale.unit));
    for (std::size_t i = 0; i < chart.labels.size(); ++i) {
        const auto total = chart.total(i);
        html += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"number\"{}>{}</td>"
            "<td class=\"track\">{}</td></tr>\n",
            escape_html(chart.labels[i]),
            total ? fmt::format(" data-value=\"{}\"", *total) : std::string(),
            escape_html(bar_total_text(chart, i, scale)),
            largest > 0 ? parts(chart, i, largest) : "");
    }
    return html + "</tbody></table></div>\n";
}

}  // namespace strata
