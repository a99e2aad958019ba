// SPDX-License-Identifier: MIT
#include "report/renderers.h"

#include "base/error.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/gnuplot.h"
#include "report/html.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/terminal.h"

#include <algorithm>
#include <array>
#include <vector>

namespace strata {

namespace {

std::string render_for_pipe(const Document& document) {
    return render_terminal(document, {});
}

constexpr std::array<Renderer, 6> all_renderers = {{{"terminal", "txt", render_for_pipe},
                                                    {"markdown", "md", render_markdown},
                                                    {"csv", "csv", render_csv},
                                                    {"json", "json", render_json},
                                                    {"html", "html", render_html},
                                                    {"gnuplot", "gp", render_gnuplot}}};

}  // namespace

std::span<const Renderer> renderers() {
    return all_renderers;
}

const Renderer& find_renderer(std::string_view name) {
    const auto* found = std::ranges::find_if(all_renderers, [&](const Renderer& renderer) {
        return renderer.name == name || renderer.extension == name;
    });
    if (found != all_renderers.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const auto& renderer : all_renderers) {
        names.emplace_back(renderer.name);
    }
    const auto meant = nearest(name, names);
    throw Error("no output format is called '" + printable(name) + "': " +
                    (meant ? "did you mean '" + *meant + "'?" : "use " + join(names, ", ") + "."),
                ExitCode::usage);
}

}  // namespace strata
