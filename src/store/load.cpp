// SPDX-License-Identifier: MIT
#include "store/load.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "store/annotations.h"
#include "store/disturbance.h"
#include "store/infeed.h"
#include "store/profile.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <fmt/format.h>

namespace strata {

namespace {

Bytes bytes_of(const Statement& row, int column) {
    return {static_cast<double>(row.integer(column))};
}

Run run_row(const Database& database, std::int64_t id) {
    Statement row(database,
                  "SELECT created, origin, state, backend, network, batch, mode, dtype, threads, "
                  "algorithm, policy, predicted_memory, measured_memory, device.toml, "
                  "empty_step_ns "
                  "FROM run LEFT JOIN device ON device.id = run.device WHERE run.id = ?");
    if (!row.start(id).next()) {
        throw Error(
            fmt::format("there is no run {} in database {}; strata list runs shows the stored runs",
                        id, printable(database.file().string(), 1000)));
    }
    Run run;
    run.id = id;
    run.created = row.text(0);
    run.origin = parse_stored<Origin>(row.text(1));
    run.state = parse_stored<RunState>(row.text(2));
    run.settings.backend = row.text(3);
    run.settings.network = row.text(4);
    run.settings.batch = row.integer(5);
    set_stored(run.settings, "mode", row.text(6));
    set_stored(run.settings, "dtype", row.text(7));
    set_stored(run.settings, "threads", row.text(8));
    set_stored(run.settings, "algorithm", row.text(9));
    set_policy(run.settings, row.text(10));
    run.predicted_memory = bytes_of(row, 11);
    if (!row.is_null(12)) {
        run.measured_memory = bytes_of(row, 12);
    }
    if (!row.is_null(13)) {
        run.device = parse_device(row.text(13), fmt::format("ceilings of run {}", id));
    }
    if (!row.is_null(14)) {
        run.empty_step = Seconds{1e-9 * static_cast<double>(row.integer(14))};
    }
    return run;
}

std::map<std::string, std::string> pairs(const Database& database, const char* sql,
                                         std::int64_t id) {
    std::map<std::string, std::string> pairs;
    Statement row(database, sql);
    for (row.start(id); row.next();) {
        pairs.emplace(row.text(0), row.text(1));
    }
    return pairs;
}

StepResult step_of(const Statement& row) {
    const StoredStatus status{row.text(12),
                              row.is_null(13) ? std::nullopt : std::optional(row.text(13))};
    return {.layer = row.text(0),
            .operation = row.text(1),
            .pass = parse_pass(row.text(2)),
            .kind = parse_stored<StepKind>(row.text(3)),
            .implementation = row.text(4),
            .algorithm = row.text(5),
            .layout = row.text(6),
            .problem = row.text(7),
            .workspace = bytes_of(row, 8),
            .flops = {static_cast<double>(row.integer(9))},
            .read = bytes_of(row, 10),
            .written = bytes_of(row, 11),
            .time = measurement_of(status, row.bytes(14))};
}

std::vector<StepResult> steps_of(const Database& database, std::int64_t id) {
    Statement row(database,
                  "SELECT layer.value, operation.value, pass, kind, implementation.value, "
                  "algorithm.value, layout.value, problem.value, workspace, flops, bytes_read, "
                  "bytes_written, status, reason, sample_values "
                  "FROM step "
                  "JOIN text AS layer ON layer.id = step.layer "
                  "JOIN text AS operation ON operation.id = step.operation "
                  "JOIN text AS implementation ON implementation.id = step.implementation "
                  "JOIN text AS algorithm ON algorithm.id = step.algorithm "
                  "JOIN text AS layout ON layout.id = step.layout "
                  "JOIN text AS problem ON problem.id = step.problem "
                  "WHERE run = ? ORDER BY position");
    std::vector<StepResult> steps;
    for (row.start(id); row.next();) {
        steps.push_back(step_of(row));
    }
    return steps;
}

// The samples that checkpoints added to an unfinished run.
void load_checkpoints(const Database& database, Run& run) {
    Statement row(database,
                  "SELECT position, sample_values FROM step_samples WHERE run = ? "
                  "ORDER BY checkpoint, position");
    for (row.start(run.id); row.next();) {
        auto* samples = std::get_if<Samples>(&step_at(run, row.integer(0)).time);
        if (samples == nullptr) {
            throw Error(
                fmt::format("a step of run {} has samples although it did not run: the "
                            "database is damaged",
                            run.id));
        }
        const auto added = unpack(row.bytes(1));
        samples->values.insert(samples->values.end(), added.begin(), added.end());
    }
}

void load_aliases(const Database& database, Run& run) {
    const auto aliases = pairs(database,
                               "SELECT layer.value, alias.value FROM layer_alias "
                               "JOIN text AS layer ON layer.id = layer_alias.layer "
                               "JOIN text AS alias ON alias.id = layer_alias.alias WHERE run = ?",
                               run.id);
    for (StepResult& step : run.steps) {
        const auto found = aliases.find(step.layer);
        step.alias = found == aliases.end() ? "" : found->second;
    }
}

void load_occurrences(const Database& database, Run& run) {
    Statement row(database,
                  "SELECT position, seen_in, iterations FROM step_occurrence WHERE run = ?");
    for (row.start(run.id); row.next();) {
        step_at(run, row.integer(0)).seen_in = {
            .iterations = static_cast<std::size_t>(row.integer(1)),
            .of = static_cast<std::size_t>(row.integer(2))};
    }
}

void load_annotations(const Database& database, Run& run) {
    Annotations annotations = annotations_of(database, run.id);
    run.tags = std::move(annotations.tags);
    run.note = std::move(annotations.note);
}

void load_verification(const Database& database, Run& run) {
    Statement row(database, "SELECT compared, without_reference FROM verification WHERE run = ?");
    if (!row.start(run.id).next()) {
        return;
    }
    run.verified = {.compared = static_cast<std::size_t>(row.integer(0)),
                    .without_reference = static_cast<std::size_t>(row.integer(1))};
    Statement check(database, "SELECT position, error, tolerance FROM step_check WHERE run = ?");
    for (check.start(run.id); check.next();) {
        step_at(run, check.integer(0)).verified = {.error = check.real(1),
                                                   .tolerance = check.real(2)};
    }
}

std::optional<RunWork> work_of(const Database& database, std::int64_t id) {
    Statement row(database, "SELECT flops, bytes_read, bytes_written FROM run_work WHERE run = ?");
    if (!row.start(id).next()) {
        return {};
    }
    return RunWork{
        .flops = Flops{row.real(0)}, .read = Bytes{row.real(1)}, .written = Bytes{row.real(2)}};
}

Samples series_of(const Database& database, std::int64_t id, std::string_view series) {
    Statement row(database, "SELECT sample_values FROM whole WHERE run = ? AND series = ?");
    return row.start(id, series).next() ? Samples{unpack(row.bytes(0))} : Samples{};
}

std::vector<Flag> flags_of(const Database& database, std::int64_t id) {
    Statement row(database, "SELECT kind, sentence FROM flag WHERE run = ? ORDER BY position");
    std::vector<Flag> flags;
    for (row.start(id); row.next();) {
        flags.push_back(doubt_named(row.text(0), row.text(1)));
    }
    return flags;
}

}  // namespace

// A single read transaction, so that a checkpoint in between cannot mix two states.
Run load_run(const Database& database, std::int64_t id) {
    const Transaction snapshot(database, Intent::read);
    Run run = run_row(database, id);
    for (const auto& [name, value] :
         pairs(database, "SELECT name, value FROM setting WHERE run = ?", id)) {
        set_further(run.settings, name, value);
    }
    run.provenance = pairs(database,
                           "SELECT name.value, value.value FROM provenance "
                           "JOIN text AS name ON name.id = provenance.name "
                           "JOIN text AS value ON value.id = provenance.value WHERE run = ?",
                           id);
    run.steps = steps_of(database, id);
    load_checkpoints(database, run);
    load_aliases(database, run);
    load_occurrences(database, run);
    load_annotations(database, run);
    load_verification(database, run);
    run.whole = {.end_to_end = series_of(database, id, "end_to_end"),
                 .instrumented = series_of(database, id, "instrumented"),
                 .calibration = series_of(database, id, "calibration")};
    load_disturbance(database, run);
    run.work = work_of(database, id);
    run.flags = flags_of(database, id);
    run.infeed = load_infeed(database, run.id);
    load_profile(database, run);
    return run;
}

namespace {

// "last" and "last~N" as the number of runs before the last.
std::optional<std::int64_t> steps_back(std::string_view name) {
    constexpr std::string_view last = "last";
    if (name == last) {
        return 0;
    }
    if (!name.starts_with("last~")) {
        return {};
    }
    const auto back = parse_integer(name.substr(last.size() + 1));
    return back && *back >= 0 ? back : std::nullopt;
}

std::int64_t nth_latest_run(const Database& database, std::int64_t back) {
    Statement find(database, "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?");
    if (!find.start(back).next()) {
        throw Error(fmt::format(
            "database {} does not hold that many runs; strata list runs shows the stored runs",
            printable(database.file().string(), 1000)));
    }
    return find.integer(0);
}

// Splits "FILE:NAME"; the file is empty for a plain name.
std::pair<std::string, std::string> file_and_name(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) {
        return {"", text};
    }
    return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

std::int64_t resolve_run(const Database& database, const std::string& name) {
    if (const auto back = steps_back(name)) {
        return nth_latest_run(database, *back);
    }
    if (const auto tagged = run_tagged(database, name)) {
        return *tagged;
    }
    const auto id = parse_integer(name);
    if (!id || *id < 1) {
        throw Error(
            fmt::format("'{}' does not name a run: give an id, a tag, last, last~1 or FILE:ID",
                        printable(name)),
            ExitCode::usage);
    }
    return *id;
}

Run load_named_run(const std::filesystem::path& path, const std::string& name) {
    const auto [file, run] = file_and_name(name);
    const Database database =
        Database::open_existing(file.empty() ? path : std::filesystem::path(file));
    return load_run(database, resolve_run(database, run));
}

}  // namespace strata
