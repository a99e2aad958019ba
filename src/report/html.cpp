// SPDX-License-Identifier: MIT
#include "report/chart_tables.h"
#include "report/format.h"
#include "report/html_blocks.h"
#include "report/json.h"
#include "report/page_limit.h"
#include "report/render.h"
#include "report/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata {

namespace {

constexpr std::string_view content_security_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'";

// Chart.js requires its notice in every copy; its file names the licence but does not contain it.
constexpr std::string_view chart_licence = R"(<!--
Chart.js, embedded below, is Copyright (c) 2014-2022 Chart.js Contributors, and under this licence:
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions: The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS",
WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR
OTHER DEALINGS IN THE SOFTWARE.
-->
)";

std::string details(std::string_view summary, const std::string& content) {
    return fmt::format("<details><summary>{}</summary>{}</details>\n", escape_html(summary),
                       content);
}

std::string panel(std::string_view kind, std::string_view title, const std::string& content) {
    const std::string heading = title.empty() ? "" : "<h3>" + escape_html(title) + "</h3>\n";
    return fmt::format("<section class=\"panel {}\">{}{}</section>\n", kind, heading, content);
}

std::string tile(const Tiles::Tile& tile) {
    const auto* missing = std::get_if<Missing>(&tile.value);
    const std::string detail = missing && !missing->reason.empty() ? missing->reason : tile.detail;
    return fmt::format(
        "<div class=\"tile\"><dt>{}</dt><dd>{}</dd>{}</div>\n", escape_html(tile.label),
        escape_html(cell_text(tile.value)),
        detail.empty() ? "" : "<dd class=\"detail\">" + escape_html(detail) + "</dd>");
}

// Blocks as markup; charts are numbered in order and their figures kept for the page's script;
// headings are collected for the table of contents.
class HtmlBlockWriter {
public:
    // A part contains what follows it, up to the next part or the end.
    std::string operator()(const Heading& block) {
        const std::string id = fmt::format("s{}", ++headings_);
        const bool part = block.level == HeadingLevel::part;
        if (part || !in_part_) {
            contents_ +=
                fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escape_html(block.text));
            ++linked_;
        }
        if (!part) {
            return fmt::format("<h2 id=\"{}\">{}</h2>\n", id, escape_html(block.text));
        }
        const std::string before = end();
        in_part_ = true;
        return before + fmt::format(
                            "<details class=\"part\" id=\"{}\"><summary><h2>{}</h2>"
                            "</summary>\n",
                            id, escape_html(block.text));
    }

    std::string operator()(const Lead& block) const {
        return "<p class=\"lead\">" + escape_html(block.text) + "</p>\n";
    }

    std::string operator()(const Paragraph& block) const {
        return "<p>" + escape_html(block.text) + "</p>\n";
    }

    std::string operator()(const Ranking& block) const {
        std::string html = "<ol class=\"findings\">\n";
        for (std::size_t i = 0; i < block.items.size(); ++i) {
            const std::string command = escape_html(block.command(i));
            html +=
                "<li>" + escape_html(block.items[i]) +
                (command.empty() ? ""
                                 : "<div class=\"command\"><code>" + command + "</code></div>") +
                "</li>\n";
        }
        return html + "</ol>\n";
    }

    std::string operator()(const Doubts& block) const {
        std::string html = "<aside class=\"doubts\" aria-label=\"doubts\">\n<ul>\n";
        for (const auto& [kind, sentence] : block.doubts) {
            html += "<li>";
            html += kind.empty() ? "" : "<strong>" + escape_html(kind) + "</strong> ";
            html += escape_html(sentence) + "</li>\n";
        }
        return html + "</ul>\n</aside>\n";
    }

    std::string operator()(const Tiles& block) const {
        std::string html = "<dl class=\"tiles\">\n";
        for (const auto& one : block.tiles) {
            html += tile(one);
        }
        return html + "</dl>\n";
    }

    std::string operator()(const Table& block) const {
        if (block.folding == Folding::folded) {
            return panel("folded", "", details(block.title, html_table(block)));
        }
        return panel("table", block.title, html_table(block));
    }

    std::string operator()(const StackedBars& block) const {
        return panel("chart", block.title,
                     html_bars(block) + details("figures", html_table(table_of(block))));
    }

    std::string operator()(const RooflineChart& block) {
        charts_.blocks.emplace_back(block);
        std::string tables;
        for (const auto& table : tables_of(block)) {
            tables += html_table(table);
        }
        return chart(block.title, tables);
    }

    std::string operator()(const XyChart& block) {
        charts_.blocks.emplace_back(block);
        return chart(block.title, html_table(table_of(block)));
    }

    // Closes what is open.
    std::string end() { return std::exchange(in_part_, false) ? "</details>\n" : ""; }

    // Links to the headings, if there are enough of them to need it.
    std::string contents() const {
        return linked_ < 3 ? ""
                           : "<nav aria-label=\"contents\"><ul>\n" + contents_ + "</ul></nav>\n";
    }

    const Document& charts() const { return charts_; }

private:
    std::string chart(const std::string& title, const std::string& figures) const {
        const std::string canvas = fmt::format(
            "<div class=\"canvas\"><canvas data-chart=\"{}\" role=\"img\" aria-label=\"{}\">"
            "</canvas></div>\n<noscript><p>This chart needs JavaScript; its figures are below."
            "</p></noscript>\n",
            charts_.blocks.size() - 1, escape_html(title));
        return panel("chart", title, canvas + details("figures", figures));
    }

    Document charts_;
    std::string contents_;
    std::size_t headings_ = 0;
    std::size_t linked_ = 0;
    bool in_part_ = false;
};

// JSON inside a script element: any character that could end the element, or a line in old parsers,
// becomes a JSON escape of the same character.
std::string escape_json(std::string_view json) {
    std::string safe;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string_view rest = json.substr(i);
        if (rest[0] == '<' || rest[0] == '>' || rest[0] == '&') {
            safe += fmt::format("\\u{:04x}", static_cast<unsigned>(rest[0]));
        } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
            safe += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
            i += 2;
        } else {
            safe += rest[0];
        }
    }
    return safe;
}

std::string head_of(const Document& document) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"strata\">\n<title>{}</title>\n{}<style>\n{}</style>\n"
        "</head>\n",
        content_security_policy, escape_html(document.title), chart_licence, report_css);
}

}  // namespace

std::string render_html(Document whole) {
    const Document document = limited_to_page(std::move(whole));
    HtmlBlockWriter writer;
    std::string body;
    for (const auto& block : document.blocks) {
        if (is_for_data_alone(block)) {
            continue;
        }
        body += std::visit(writer, block);
    }
    body += writer.end();
    std::string html = head_of(document) + "<body>\n<header><h1>" + escape_html(document.title) +
                       "</h1></header>\n" + writer.contents() + "<main>\n" + body + "</main>\n";
    html += "<script type=\"application/json\" id=\"charts\">" +
            escape_json(charts_json(writer.charts())) + "</script>\n";
    html += "<script>\n" + std::string(chart_js) + "</script>\n";
    return html + "<script>\n" + std::string(report_js) + "</script>\n</body>\n</html>\n";
}

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
