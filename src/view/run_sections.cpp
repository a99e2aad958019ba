// SPDX-License-Identifier: MIT
#include "view/run_sections.h"

#include "analyze/memory_check.h"
#include "analyze/verification.h"
#include "base/enumeration.h"
#include "trace/budget.h"
#include "view/infeed.h"
#include "view/json_values.h"
#include "view/memory_table.h"

#include <array>
#include <iterator>
#include <utility>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json verification_json(const Run& run) {
    const auto found = verification_of(run);
    if (!found) {
        return nullptr;
    }
    const StepResult* worst = found->worst;
    return {
        {"verified_steps", found->compared},
        {"disagreeing_steps", found->disagreeing},
        {"steps_without_reference", found->without_reference},
        {"worst", worst == nullptr ? Json()
                                   : Json{{"layer", worst->layer},
                                          {"pass", name_of(worst->pass)},
                                          {"error", number_json(worst->verified->error)},
                                          {"tolerance", number_json(worst->verified->tolerance)}}}};
}

Json memory_of_run_json(const Run& run) {
    const MemoryCheck check = memory_check_of(run);
    const auto json = [](const std::optional<Bytes>& bytes) {
        return bytes ? whole_json(*bytes) : Json();
    };
    return {{"predicted_memory_bytes", json(check.predicted)},
            {"measured_memory_bytes", json(check.measured)},
            {"workspace_bytes", json(check.scratch)},
            {"predicted_over_measured", number_json(check.ratio)}};
}

Json extent_json(const std::optional<LaunchShape>& launch, LaunchExtent LaunchShape::*extent) {
    return launch ? Json({((*launch).*extent).x, ((*launch).*extent).y, ((*launch).*extent).z})
                  : Json();
}

Json span_json(const TracedSpan& traced) {
    const Span& span = traced.span;
    const bool timed = is_timed(span);
    const auto& launch = span.launch;
    const auto bytes = [&](Bytes LaunchShape::*shared) {
        return launch ? whole_json((*launch).*shared) : Json();
    };
    return {{"kind", name_of(span.kind)},
            {"name", span.name},
            {"layer", traced.pass ? Json(traced.layer) : Json()},
            {"pass", traced.pass ? Json(name_of(*traced.pass)) : Json()},
            {"evidence", name_of(traced.evidence)},
            {"stream", span.stream},
            {"start_ns", timed ? Json(span.start.count()) : Json()},
            {"end_ns", timed ? Json(span.end.count()) : Json()},
            {"bytes", span.bytes ? whole_json(*span.bytes) : Json()},
            {"grid", extent_json(launch, &LaunchShape::grid)},
            {"block", extent_json(launch, &LaunchShape::block)},
            {"registers", launch ? Json(launch->registers) : Json()},
            {"static_shared_bytes", bytes(&LaunchShape::static_shared)},
            {"dynamic_shared_bytes", bytes(&LaunchShape::dynamic_shared)}};
}

Json trace_json(const Run& run) {
    if (!run.trace) {
        return nullptr;
    }
    const TraceBudget budget = budget_of(*run.trace).budget;
    Json spans = Json::array();
    for (const TracedSpan& traced : run.trace->spans) {
        spans.push_back(span_json(traced));
    }
    const auto seconds = [](Nanoseconds time) { return Json(seconds_of(time).value); };
    return {{"device", run.trace->device},
            {"iterations", run.trace->windows.values.size()},
            {"window_s", seconds(budget.window)},
            {"attributed_s", seconds(budget.attributed)},
            {"unattributed_s", seconds(budget.unattributed)},
            {"unattributed_share", number_json(unattributed_share(budget))},
            {"overlap_s", seconds(budget.overlap)},
            {"gaps_s", seconds(budget.gaps)},
            {"untimed_spans", budget.untimed},
            {"dropped_records", budget.dropped},
            {"spans", std::move(spans)}};
}

std::vector<Block> memory_blocks(const Run& run) {
    return {memory_table(run)};
}

}  // namespace

std::span<const RunSection> run_sections() {
    static constexpr std::array sections = {
        RunSection{.key = "memory", .json = memory_of_run_json, .blocks = memory_blocks},
        RunSection{.key = "infeed", .json = infeed_json, .blocks = infeed_blocks},
        RunSection{.key = "verification", .json = verification_json},
        RunSection{.key = "trace", .json = trace_json}};
    return sections;
}

void add_sections(std::vector<Block>& blocks, const Run& run) {
    for (const RunSection& section : run_sections()) {
        if (section.blocks != nullptr) {
            std::ranges::move(section.blocks(run), std::back_inserter(blocks));
        }
    }
}

}  // namespace strata
