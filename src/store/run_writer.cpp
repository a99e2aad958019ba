// SPDX-License-Identifier: MIT
#include "store/run_writer.h"

#include "base/error.h"
#include "record/identity.h"
#include "record/options.h"
#include "store/run_parts.h"

namespace strata {

namespace {

RunSettings stored_settings(const Run& run) {
    const Settings& s = run.settings;
    return {.created = run.created,
            .origin = run.origin,
            .ran_on = run.ran_on,
            .backend = s.backend,
            .network = s.network,
            .batch = s.batch,
            .mode = text_of(s, "mode"),
            .dtype = text_of(s, "dtype"),
            .threads = s.threads(),
            .algorithm = text_of(s, "algorithm"),
            .policy = policy_text(s),
            .key = key_of(s)};
}

}  // namespace

UncheckedReferences::UncheckedReferences(const Database& database) : database_(database) {
    database_.execute("PRAGMA foreign_keys = OFF");
}

UncheckedReferences::~UncheckedReferences() {
    try {
        database_.execute("PRAGMA foreign_keys = ON");
    } catch (const Error&) {
        // This fails only if a transaction is still open, and then nothing more is written.
    }
}

void RunWriter::add(Run& run) {
    add(run, run.state, RowId{}, {});
}

void RunWriter::add(Run& run, RunState state, const RowId& key, const RunPlace& place) {
    check(!run.created.empty(), "a run to be stored has its creation time");
    tables_.add<run_table>(key, place, stored_settings(run), outcome_of(run, state));
    run.id = tables_.database().last_inserted_id();
    store_parts(tables_, run);
}

RunOutcome RunWriter::outcome_of(const Run& run, RunState state) {
    return {.state = state,
            .predicted_memory = run.predicted_memory,
            .measured_memory = run.measured_memory,
            .empty_step = run.empty_step,
            .device = device_id(run),
            .interval = run.interval};
}

RunWriter::Series RunWriter::series_of(const Run& prototype) {
    Series series;
    series.settings = stored_settings(prototype);
    series.key_end = key_text_after_batch(prototype.settings);
    series.outcome = outcome_of(prototype, prototype.state);
    for (const auto& [name, value] : further_settings(prototype.settings)) {
        series.further.push_back({name, value});
    }
    for (const auto& [name, value] : prototype.provenance) {
        series.provenance.push_back({name, value});
    }
    return series;
}

std::int64_t RunWriter::add(Series& series, const SeriesRun& run) {
    RunSettings& settings = series.settings;
    settings.network = run.network;
    settings.batch = run.batch;
    settings.key = key_of(key_text(settings.backend, run.network, run.batch) + series.key_end);
    series.outcome.predicted_memory = run.memory;
    tables_.add<run_table>(RowId{}, RunPlace{}, settings, series.outcome);
    const OfRun key{tables_.database().last_inserted_id()};
    for (const NameAndValue& setting : series.further) {
        tables_.add<setting_table>(key, setting);
    }
    tables_.add<whole_table>(OfSeries{key.run, "end_to_end"}, stored(Samples{{run.time}}));
    tables_.add<run_work_table>(key, run.work);
    for (const NameAndValue& entry : series.provenance) {
        tables_.add<provenance_table>(key, entry);
    }
    return key.run;
}

std::optional<std::int64_t> RunWriter::device_id(const Run& run) {
    if (!run.device) {
        return {};
    }
    const std::string toml = to_toml(*run.device);
    const auto [known, is_new] = devices_.try_emplace(toml);
    if (is_new) {
        const Database& database = tables_.database();
        Statement(database, "INSERT INTO device (toml) VALUES (?) ON CONFLICT DO NOTHING")
            .run(toml);
        Statement find(database, "SELECT id FROM device WHERE toml = ?");
        find.start(toml).next();
        known->second = find.integer(0);
    }
    return known->second;
}

}  // namespace strata
