// SPDX-License-Identifier: MIT
#include "store/row_copy.h"

#include "base/text.h"
#include "device/device.h"
#include "store/tables.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Maps their ids to ours.
constexpr const char* maps =
    "CREATE TEMP TABLE text_of (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL) STRICT;"
    "CREATE TEMP TABLE device_of (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL) STRICT;"
    // known: already here; fresh: copied here; traced: copied by the caller
    "CREATE TEMP TABLE run_of (theirs INTEGER PRIMARY KEY, ours INTEGER, state TEXT NOT NULL) "
    "STRICT;";

// A run is identified by its settings, creation time and exact samples.
constexpr const char* twin =
    "SELECT ours.id FROM main.run AS ours LEFT JOIN main.whole AS our_whole "
    "ON our_whole.run = ours.id AND our_whole.series = 'end_to_end' "
    "WHERE ours.network = theirs.network AND ours.batch = theirs.batch AND ours.key = theirs.key "
    "AND ours.created = theirs.created AND ours.origin = theirs.origin "
    "AND ours.state = 'complete' AND our_whole.sample_values IS their_whole.sample_values LIMIT 1";

// Whether a run's rows are in it; traces are copied by the caller, and points belong to sweeps.
bool belongs_to_run(const TableLayout& table) {
    const auto& key = table.parts.front();
    const bool is_traced = table.name.starts_with("trace");
    return (key.front().name == "run" || table.name == "tag") && !is_traced;
}

// The expression that converts a column of theirs to ours.
std::string translated(const std::string& column, const std::string& refers_to) {
    const std::string quoted = fmt::format("theirs.\"{}\"", column);
    if (refers_to == "text" || refers_to == "device") {
        return fmt::format(
            "CASE WHEN {0} IS NOT NULL THEN coalesce((SELECT map.ours FROM "
            "temp.{1}_of AS map WHERE map.theirs = {0}), 'missing') END",
            quoted, refers_to);
    }
    return quoted;
}

}  // namespace

RowCopy::RowCopy(const Database& into, const Database& from) : into_(into), from_(from) {
    into_.execute(
        "DROP TABLE IF EXISTS temp.text_of; DROP TABLE IF EXISTS temp.device_of;"
        "DROP TABLE IF EXISTS temp.run_of;");
    into_.execute(maps);
}

void RowCopy::copy() {
    map_texts();
    map_devices();
    map_runs();
    copy_table("run");
    for (const TableLayout& table : stored_tables()) {
        if (belongs_to_run(table)) {
            copy_table(std::string(table.name));
        }
    }
}

void RowCopy::map_texts() const {
    into_.execute(
        "INSERT OR IGNORE INTO main.text (value) SELECT value FROM other.text;"
        "INSERT INTO temp.text_of SELECT theirs.id, ours.id "
        "FROM other.text AS theirs JOIN main.text AS ours USING (value);");
}

// Each is parsed as a device file first, so that nothing else is copied.
void RowCopy::map_devices() const {
    const std::string origin = fmt::format("ceilings in {}", from_.file().string());
    Statement add(into_, "INSERT INTO main.device (toml) VALUES (?) ON CONFLICT DO NOTHING");
    Statement note(into_,
                   "INSERT INTO temp.device_of SELECT ?, id FROM main.device WHERE toml = ?");
    Statement find(from_, "SELECT id, toml FROM device");
    for (find.start(); find.next();) {
        const std::string toml = to_toml(parse_device(find.text(1), origin));
        add.run(toml);
        note.run(find.integer(0), toml);
    }
}

void RowCopy::map_runs() const {
    into_.execute(fmt::format(
        "INSERT INTO temp.run_of SELECT theirs.id, ({}), '' FROM other.run AS theirs "
        "LEFT JOIN other.whole AS their_whole "
        "ON their_whole.run = theirs.id AND their_whole.series = 'end_to_end' "
        "WHERE theirs.state = 'complete';"
        "UPDATE temp.run_of SET state = CASE WHEN ours IS NOT NULL THEN 'known' "
        "WHEN theirs IN (SELECT run FROM other.trace) THEN 'traced' ELSE 'fresh' END;"
        // Above every id ever used here.
        "UPDATE temp.run_of SET ours = numbered.ours FROM ("
        "SELECT theirs, row_number() OVER (ORDER BY theirs) + "
        "coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = 'run'), 0) AS ours "
        "FROM temp.run_of WHERE state = 'fresh') AS numbered "
        "WHERE numbered.theirs = run_of.theirs;",
        twin));
}

// The columns are those of our own schema; the other database has the same, perhaps in another
// order. References to steps are to those of the same run, whose positions stay.
void RowCopy::copy_table(const std::string& table) const {
    Statement find(into_,
                   "SELECT name, coalesce((SELECT \"table\" FROM pragma_foreign_key_list(?1) "
                   "WHERE \"from\" = name), '') FROM pragma_table_info(?1) ORDER BY cid");
    const std::string run = table == "run" ? "id" : "run";
    std::vector<std::string> columns, values;
    for (find.start(table); find.next();) {
        const std::string name = find.text(0);
        if (table == "run" && (name == "plan" || name == "place")) {
            continue;
        }
        columns.push_back('"' + name + '"');
        values.push_back(name == run ? "run_of.ours" : translated(name, find.text(1)));
    }
    // A tag taken here stays with its run.
    into_.execute(fmt::format(
        "INSERT {}INTO main.{} ({}) SELECT {} FROM {} AS theirs CROSS JOIN temp.run_of "
        "ON run_of.theirs = theirs.{} WHERE run_of.state = 'fresh'",
        table == "tag" ? "OR IGNORE " : "", table, join(columns, ", "), join(values, ", "),
        rows_of_version(strata_schema(), schema_version(from_), table, "other"), run));
}

std::vector<std::int64_t> RowCopy::traced() const {
    std::vector<std::int64_t> runs;
    Statement find(into_, "SELECT theirs FROM temp.run_of WHERE state = 'traced' ORDER BY theirs");
    for (find.start(); find.next();) {
        runs.push_back(find.integer(0));
    }
    return runs;
}

void RowCopy::note(std::int64_t theirs, std::int64_t ours) const {
    Statement(into_, "UPDATE temp.run_of SET ours = ? WHERE theirs = ?").run(ours, theirs);
}

std::int64_t RowCopy::count(const std::string& condition) const {
    Statement find(into_, "SELECT count(*) FROM temp.run_of WHERE " + condition);
    find.start().next();
    return find.integer(0);
}

std::int64_t RowCopy::partial() const {
    Statement find(into_, "SELECT count(*) FROM other.run WHERE state <> 'complete'");
    find.start().next();
    return find.integer(0);
}

}  // namespace strata
