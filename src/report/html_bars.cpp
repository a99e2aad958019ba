// SPDX-License-Identifier: MIT
#include "report/html_blocks.h"

#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr std::size_t series_colours = 6;  // --series-0 to --series-5 of assets/report.css

double sum_of(const StackedBars& chart, std::size_t bar) {
    double sum = 0;
    for (const auto& series : chart.series) {
        sum += series.length(bar);
    }
    return sum;
}

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
        largest = std::max(largest, sum_of(chart, i));
    }
    const Scale scale = scale_for(chart.unit, largest / 4);
    std::string html = legend(chart);
    html += fmt::format(
        "<div class=\"scroll\"><table class=\"data bars\"><thead><tr><th scope=\"col\">name</th>"
        "<th scope=\"col\" class=\"number\">{}</th><th scope=\"col\"></th></tr></thead>\n<tbody>\n",
        escape_html(scale.unit));
    for (std::size_t i = 0; i < chart.labels.size(); ++i) {
        const double sum = sum_of(chart, i);
        html += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"number\" data-value=\"{}\">{}</td>"
            "<td class=\"track\">{}</td></tr>\n",
            escape_html(chart.labels[i]), sum,
            escape_html(number_text({.value = sum, .unit = chart.unit}, scale)),
            largest > 0 ? parts(chart, i, largest) : "");
    }
    return html + "</tbody></table></div>\n";
}

}  // namespace strata
