// SPDX-License-Identifier: MIT
#include "view/infeed.h"

#include "analyze/infeed.h"
#include "base/text.h"
#include "report/format.h"
#include "view/cells.h"
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
    Table table{.records = "infeeds"};
    table.columns = {{"run", "run", Importance::essential},
                     {"network", "network", Importance::essential},
                     {"batch", "batch", Importance::essential},
                     {"mode", "mode", Importance::normal},
                     {"threads", "threads", Importance::detail},
                     {"infeed_threads", "infeed threads", Importance::normal},
                     {"step_s", "step", Importance::normal},
                     {"overlapped_s", "overlapped", Importance::normal},
                     {"infeed_share", "infeed share", Importance::essential},
                     {"made_per_s", "made", Importance::normal},
                     {"taken_per_s", "taken", Importance::normal},
                     {"busy_processors", "busy processors", Importance::normal},
                     data_column("origin")};
    for (const FedRun& fed : runs) {
        const auto findings = findings_on(fed.infeed, fed.run->batch);
        if (!findings) {
            continue;
        }
        const Observation& run = *fed.run;
        table.rows.push_back(
            {count_cell(static_cast<double>(run.run)), printable(run.network, 400),
             count_cell(static_cast<double>(run.batch)), run.mode,
             threads_cell(static_cast<int>(run.threads)), count_cell(fed.infeed.threads),
             time_cell(findings->step.median, times_of(run.origin)),
             time_cell(findings->overlapped.median, times_of(run.origin)),
             percent_cell(findings->share), number_cell(findings->made_per_second, "1/s"),
             number_cell(findings->taken_per_second, "1/s"), number_cell(findings->processors, ""),
             std::string(name_of(run.origin))});
    }
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
