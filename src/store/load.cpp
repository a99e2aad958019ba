// SPDX-License-Identifier: MIT
#include "store/load.h"

#include "base/error.h"
#include "base/text.h"
#include "store/annotations.h"
#include "store/run_parts.h"
#include "store/statement.h"

#include <fmt/format.h>

namespace strata {

namespace {

Run run_of(const RunSettings& row, const RunOutcome& outcome) {
    Run run;
    run.created = row.created;
    run.origin = row.origin;
    run.ran_on = row.ran_on;
    run.state = outcome.state;
    run.settings.backend = row.backend;
    run.settings.network = row.network;
    run.settings.batch = row.batch;
    set_stored(run.settings, "mode", row.mode);
    set_stored(run.settings, "dtype", row.dtype);
    set_stored(run.settings, "threads", std::to_string(row.threads));
    set_stored(run.settings, "algorithm", row.algorithm);
    set_policy(run.settings, row.policy);
    run.predicted_memory = outcome.predicted_memory;
    run.measured_memory = outcome.measured_memory;
    run.empty_step = outcome.empty_step;
    run.interval = outcome.interval;
    return run;
}

Device device_of(const Database& database, std::int64_t device, std::int64_t run) {
    Statement find(database, "SELECT toml FROM device WHERE id = ?");
    find.start(device).next();
    return parse_device(find.text(0), fmt::format("ceilings of run {}", run));
}

}  // namespace

// A single read transaction, so that a checkpoint in between cannot mix two states.
Run load_run(const Database& database, std::int64_t id) {
    const Transaction snapshot(database, Intent::read);
    const auto row = row_of<run_table>(database, "WHERE id = ?", id);
    if (!row) {
        throw Error(
            fmt::format("there is no run {} in database {}; strata list runs shows the stored runs",
                        id, printable(database.file().string(), 1000)));
    }
    const auto& [key, place, settings, outcome] = *row;
    Run run = run_of(settings, outcome);
    run.id = id;
    if (outcome.device) {
        run.device = device_of(database, *outcome.device, id);
    }
    load_parts(database, run);
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
