// SPDX-License-Identifier: MIT
#include "view/infeed.h"

#include "analyze/infeed.h"
#include "base/text.h"
#include "report/format.h"
#include "view/cells.h"
#include "view/columns.h"
#include "view/json_values.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

class InfeedRows {
public:
    InfeedRows(const Run& run, const InfeedFindings& findings) : run_(run), findings_(findings) {}

    std::vector<Cell> part(const char* what, const Estimate& time) const {
        return {what, time_cell(time, times_of(run_.origin)), Missing{}, Missing{}};
    }
    std::vector<Cell> of_images(const char* what, const Estimate& time) const {
        auto cells = part(what, time);
        if (time.median > Seconds{0}) {
            cells[2] = number_cell(static_cast<double>(run_.settings.batch) / time.median.value,
                                   "images/s");
        }
        return cells;
    }
    std::vector<Cell> of_overlapped(std::vector<Cell> cells, const Estimate& time) const {
        if (findings_.overlapped.median > Seconds{0}) {
            cells[3] = percent_cell(time.median / findings_.overlapped.median);
        }
        return cells;
    }

private:
    const Run& run_;
    const InfeedFindings& findings_;
};

std::string note_on_images(const InfeedResult& infeed) {
    const double count = static_cast<double>(std::max<std::int64_t>(infeed.images, 1));
    return fmt::format(
        "Images: {} JPEG{} ({}), {} pixels and {} each on average; decoded, randomly cropped, "
        "resized, mirrored half of the time and normalised by {} thread{}.",
        infeed.images, infeed.images == 1 ? "" : "s", printable(infeed.source),
        number_text(std::round(infeed.pixels / count), ""),
        number_text(infeed.encoded.value / count, "B"), infeed.threads,
        infeed.threads == 1 ? "" : "s");
}

Table infeed_table(const Run& run, const InfeedFindings& findings) {
    const InfeedRows rows(run, findings);
    Table table;
    table.columns = {{"part", "part", Importance::essential},
                     {"median_s", "time", Importance::essential},
                     unit_column("images_per_s", "images/s"),
                     {"share_percent", "of the overlapped step", Importance::normal}};
    table.rows = {rows.of_images("step, with its input ready", findings.step),
                  rows.of_images("decode a batch, processor time", findings.decode),
                  rows.of_images("augment it, likewise", findings.augment),
                  rows.of_images("make it: both, until it is ready", findings.produce),
                  rows.part("copy it to the network", findings.copy),
                  rows.of_images("serial: make it, copy it, step", findings.serial)};
    table.totals = {
        rows.of_overlapped(
            rows.of_images("overlapped: step while the next is made", findings.overlapped),
            findings.overlapped),
        rows.of_overlapped(rows.part("  waiting for the batch", findings.waiting),
                           findings.waiting),
        rows.of_overlapped(rows.part("  copying it", findings.copying), findings.copying),
        rows.of_overlapped(rows.part("  the step itself", findings.beside), findings.beside)};
    table.notes = {note_on_images(*run.infeed)};
    if (findings.beside.low > findings.step.high) {
        table.notes.push_back(
            fmt::format("While images are made beside it, the step itself takes {:.0f} % longer "
                        "because both share processors, caches and memory.",
                        100 * (findings.beside.median / findings.step.median - 1)));
    }
    return table;
}

Json times_json(const SampledInfeed& times) {
    Json all = Json::array();
    for (const InfeedSeries& series : infeed_series) {
        const Estimate time = estimate((times.*series.samples).values);
        const bool interval = time.samples > 1;
        all.push_back({{"series", series.name},
                       {"median_s", time.median.value},
                       {"low_s", interval ? Json(time.low.value) : Json()},
                       {"high_s", interval ? Json(time.high.value) : Json()},
                       {"samples", time.samples}});
    }
    return all;
}

}  // namespace

std::vector<Block> infeed_blocks(const Run& run) {
    const auto findings = run.infeed ? findings_on(*run.infeed, run.settings.batch) : std::nullopt;
    if (!findings) {
        return {};
    }
    return {Heading{"Input"}, Paragraph{verdict_on(*findings, run.infeed->threads)},
            infeed_table(run, *findings)};
}

Document infeeds_document(std::span<const FedRun> runs, const AnalysedRuns& of) {
    struct Row {
        const Observation& run;
        int threads;
        InfeedFindings findings;

        Cell time(const Estimate& one) const { return time_cell(one.median, times_of(run.origin)); }
    };
    static const Columns<Row> columns = {
        {{"run", "run", Importance::essential}, [](auto& row) { return row.run.run; }},
        {{"network", "network", Importance::essential},
         [](auto& row) { return printable(row.run.network, 400); }},
        {{"batch", "batch", Importance::essential}, [](auto& row) { return row.run.batch; }},
        {{"mode", "mode"}, [](auto& row) { return row.run.mode; }},
        {{"threads", "threads", Importance::detail},
         [](auto& row) { return threads_cell(static_cast<int>(row.run.threads)); }},
        {{"infeed_threads", "infeed threads"}, [](auto& row) { return row.threads; }},
        {{"step_s", "step"}, [](auto& row) { return row.time(row.findings.step); }},
        {{"overlapped_s", "overlapped"},
         [](auto& row) { return row.time(row.findings.overlapped); }},
        {{"infeed_share", "infeed share", Importance::essential},
         [](auto& row) { return percent_cell(row.findings.share); }},
        {{"made_per_s", "made"},
         [](auto& row) { return number_cell(row.findings.made_per_second, "1/s"); }},
        {{"taken_per_s", "taken"},
         [](auto& row) { return number_cell(row.findings.taken_per_second, "1/s"); }},
        {{"busy_processors", "busy processors"}, [](auto& row) { return row.findings.processors; }},
        {data_column("origin"), [](auto& row) { return row.run.origin; }}};
    std::vector<Row> rows;
    for (const FedRun& fed : runs) {
        if (const auto findings = findings_on(fed.infeed, fed.run->batch)) {
            rows.push_back({*fed.run, fed.infeed.threads, *findings});
        }
    }
    Table table = table_of(columns, rows, {.records = "infeeds"});
    table.notes = {
        "Infeed share: the part of an overlapped step spent waiting for its batch and copying it. "
        "Busy processors: those needed to make images at the network's own rate."};
    return {.title = "infeed",
            .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
            .kind = "analysis"};
}

Json infeed_json(const Run& run) {
    const auto findings = run.infeed ? findings_on(*run.infeed, run.settings.batch) : std::nullopt;
    if (!findings) {
        return nullptr;
    }
    const InfeedResult& infeed = *run.infeed;
    return {{"image_source", infeed.source},
            {"images", infeed.images},
            {"encoded_bytes", whole_json(infeed.encoded)},
            {"pixels", whole_json(Bytes{infeed.pixels})},
            {"infeed_threads", infeed.threads},
            {"times", times_json(infeed.times)},
            {"infeed_share", number_json(findings->share)},
            {"infeed_share_low", number_json(findings->share_low)},
            {"infeed_share_high", number_json(findings->share_high)},
            {"made_per_s", number_json(findings->made_per_second)},
            {"taken_per_s", number_json(findings->taken_per_second)},
            {"busy_processors", number_json(findings->processors)},
            {"is_infeed_bound", findings->is_infeed_bound()}};
}

}  // namespace strata
