// SPDX-License-Identifier: MIT
#include "view/trace_blocks.h"

#include "base/enumeration.h"
#include "measure/statistics.h"
#include "report/unicode.h"
#include "trace/kernel_name.h"
#include "view/cells.h"
#include "view/trace_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace strata {

namespace {

constexpr std::size_t max_shown = 20;
constexpr std::size_t longest_name = 48;  // demangled ones have thousands of letters

std::string length_of(Seconds time) {
    return time < Seconds{1e-3} ? fmt::format("{:.3g} µs", time.value * 1e6)
                                : fmt::format("{:.3g} ms", time.value * 1e3);
}

// Compares the window with a whole iteration that was timed without recording; the kernels' budget
// adds up to the window only.
std::string window_against_untraced(const Run& run) {
    const auto& plain = run.whole.end_to_end.values;
    if (plain.empty()) {
        return {};
    }
    const Seconds untraced = estimate(plain).median;
    const double change = (estimate(run.trace->windows.values).median / untraced - 1) * 100;
    return fmt::format(", {:.1f} % {} than the {} of an iteration without recording",
                       std::abs(change), change < 0 ? "less" : "more", length_of(untraced));
}

// The cost of recording, if whole iterations were also timed without it.
std::string cost_of(const Run& run) {
    const auto& plain = run.whole.end_to_end.values;
    const auto& recorded = run.trace->recorded.values;
    if (plain.empty() || recorded.empty()) {
        return {};
    }
    const double more = (estimate(recorded).median / estimate(plain).median - 1) * 100;
    return fmt::format(" While it was being recorded, an iteration took {:.1f} % {}.",
                       std::abs(more), more < 0 ? "less" : "more");
}

Paragraph introduction_to(const Run& run) {
    const auto& windows = run.trace->windows.values;
    return {fmt::format(
        "Kernels of one of {} recorded iterations on {}: the one with the median length, {} from "
        "first start to last end{}.{}",
        windows.size(), run.trace->device, length_of(estimate(windows).median),
        window_against_untraced(run), cost_of(run))};
}

// The passes of layers that a filter selects.
class WantedTasks {
public:
    WantedTasks(const Run& run, const StepFilter& filter)
        : all_(filter.layers.empty() && filter.passes.empty()) {
        for (const std::size_t i : wanted_steps(run, filter)) {
            wanted_.emplace(run.steps[i].layer, run.steps[i].pass);
        }
    }
    bool has(const TracedSpan& traced) const {
        return all_ || (traced.pass && wanted_.contains({traced.layer, *traced.pass}));
    }

private:
    bool all_;
    std::set<std::pair<std::string, Pass>> wanted_;
};

std::string text_of(const LaunchExtent& extent) {
    return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
}

std::vector<Cell> launch_cells(const std::optional<LaunchShape>& launch) {
    if (!launch) {
        return std::vector<Cell>(4, Missing{});
    }
    return {text_of(launch->grid), text_of(launch->block),
            count_cell(static_cast<double>(launch->registers)),
            bytes_cell(launch->static_shared + launch->dynamic_shared, Provenance::measured)};
}

std::vector<Cell> row_of(const TracedSpan& traced) {
    const Span& span = traced.span;
    const bool is_kernel = span.kind == SpanKind::kernel;
    std::vector<Cell> row = {
        is_kernel ? shorten(clean_text(short_kernel_name(span.name)), longest_name)
                  : std::string(name_of(span.kind)),
        traced.pass ? Cell(traced.layer) : Cell(Missing{std::string(name_of(traced.evidence))}),
        traced.pass ? Cell(std::string(name_of(*traced.pass))) : Cell(Missing{}),
        time_cell(seconds_of(duration_of(span)), Provenance::measured)};
    std::ranges::move(launch_cells(span.launch), std::back_inserter(row));
    row.push_back(count_cell(static_cast<double>(span.stream)));
    return row;
}

// The longest of the selected spans, the longest first.
std::vector<const TracedSpan*> longest_of(const Run& run, const StepFilter& filter) {
    const WantedTasks wanted(run, filter);
    std::vector<const TracedSpan*> spans;
    for (const TracedSpan& traced : run.trace->spans) {
        if (is_timed(traced.span) && wanted.has(traced)) {
            spans.push_back(&traced);
        }
    }
    std::ranges::stable_sort(spans, std::ranges::greater(),
                             [](const TracedSpan* traced) { return duration_of(traced->span); });
    spans.resize(std::min(spans.size(), max_shown));
    return spans;
}

Table longest_kernels(const Run& run, const StepFilter& filter) {
    Table table{.columns = {{"kernel", "kernel", Importance::essential},
                            {"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"time_s", "time", Importance::essential},
                            {"grid", "grid", Importance::normal},
                            {"block", "block", Importance::normal},
                            {"registers", "registers", Importance::normal},
                            {"shared_bytes", "shared memory", Importance::normal},
                            {"stream", "stream", Importance::detail}}};
    for (const TracedSpan* traced : longest_of(run, filter)) {
        table.rows.push_back(row_of(*traced));
    }
    table.title = "the longest kernels";
    table.notes = {
        fmt::format("{} of {} in the iteration; all of them, with full names: strata query "
                    "\"SELECT * FROM trace_time WHERE run = {}\".",
                    table.rows.size(), run.trace->spans.size(), run.id)};
    return table;
}

}  // namespace

std::vector<Block> trace_blocks(const Run& run, const StepFilter& filter) {
    if (!run.trace) {
        return {};
    }
    const NamedBudget named = budget_of(*run.trace);
    return {introduction_to(run), trace_table(named.budget, named.layers),
            longest_kernels(run, filter)};
}

}  // namespace strata
