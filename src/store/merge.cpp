// SPDX-License-Identifier: MIT
#include "store/merge.h"

#include "base/error.h"
#include "base/text.h"
#include "store/annotations.h"
#include "store/load.h"
#include "store/row_copy.h"
#include "store/run_writer.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace strata {

namespace {

void require_another(const Database& into, const std::filesystem::path& from) {
    std::error_code ignored;
    if (std::filesystem::equivalent(into.file(), from, ignored)) {
        throw Error(fmt::format("{} is the database that is merged into; name others",
                                printable(from.string(), 1000)),
                    ExitCode::usage);
    }
}

// A copy that was made while the file was written, or cut, is found before anything is taken.
void require_sound(const Database& database) {
    Statement check(database, "PRAGMA quick_check(1)");
    check.start().next();
    if (check.text(0) != "ok") {
        throw Error(
            fmt::format("database {} is damaged ({}); nothing of it was merged: copy it "
                        "again",
                        printable(database.file().string(), 1000), printable(check.text(0))));
    }
}

// Copies what one database has and another lacks.
class Merge {
public:
    Merge(const Database& into, const Database& from)
        : into_(into),
          from_(from),
          rows_(into, from),
          writer_(into),
          is_traced_(from, "SELECT 1 FROM trace WHERE run = ?"),
          twin_(into,
                "SELECT run.id FROM run JOIN whole ON whole.run = run.id "
                "AND whole.series = 'end_to_end' WHERE network = ? AND batch = ? AND key = ? "
                "AND created = ? AND origin = ? AND state = 'complete' AND sample_values IS ?") {}

    Merged all() {
        copy_runs();
        copy_sweeps();
        return merged_;
    }

private:
    void copy_runs() {
        Statement find(from_,
                       "SELECT run.id, network, batch, key, created, origin, state, sample_values "
                       "FROM run LEFT JOIN whole ON whole.run = run.id "
                       "AND whole.series = 'end_to_end' ORDER BY run.id");
        for (find.start(); find.next();) {
            const std::int64_t id = find.integer(0);
            if (find.text(6) != "complete") {
                ++merged_.partial;
            } else if (const auto known = twin_of(find)) {
                ++merged_.known;
                runs_[id] = *known;
            } else {
                ++merged_.runs;
                runs_[id] = is_traced_.start(id).next() ? copied(id) : rows_.add_run(id);
            }
        }
        rows_.add_rest();
    }

    std::optional<std::int64_t> twin_of(const Statement& row) {
        const auto samples = row.is_null(7) ? std::nullopt : std::optional(row.bytes(7));
        twin_.start(row.text(1), row.integer(2), row.text(3), row.text(4), row.text(5), samples);
        const auto found = twin_.next() ? std::optional(twin_.integer(0)) : std::nullopt;
        while (found && twin_.next()) {
        }
        return found;
    }

    // Its kernels are stored once, whosever they are.
    std::int64_t copied(std::int64_t id) {
        Run run = load_run(from_, id);
        run.id = 0;
        writer_.add(run);
        Annotations annotations{.tags = {}, .note = run.note};
        for (const std::string& tag : run.tags) {
            if (!run_tagged(into_, tag)) {
                annotations.tags.push_back(tag);
            }
        }
        restore_annotations(into_, run.id, annotations);
        return run.id;
    }

    void copy_sweeps() {
        Statement find(from_, "SELECT id, created, name, key, identity, points FROM sweep");
        for (find.start(); find.next();) {
            const std::string key = find.text(3);
            Statement(into_,
                      "INSERT INTO sweep (created, name, key, identity, points) "
                      "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
                .run(find.text(1), find.text(2), key, find.text(4), find.integer(5));
            Statement own(into_, "SELECT id FROM sweep WHERE key = ?");
            own.start(key).next();
            copy_points(find.integer(0), own.integer(0));
        }
    }

    // An outcome replaces only the claim of a process that has not ended it.
    void copy_points(std::int64_t theirs, std::int64_t ours) {
        Statement insert(
            into_,
            "INSERT INTO sweep_point (sweep, position, repeat, network, batch, mode, dtype, "
            "threads, backend, outcome, reason, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, "
            "owner = NULL, run = excluded.run WHERE sweep_point.outcome = 'claimed' "
            "RETURNING position");
        Statement find(from_,
                       "SELECT position, repeat, network, batch, mode, dtype, threads, backend, "
                       "outcome, reason, run FROM sweep_point "
                       "WHERE sweep = ? AND outcome <> 'claimed'");
        for (find.start(theirs); find.next();) {
            const auto reason = find.is_null(9) ? std::nullopt : std::optional(find.text(9));
            const auto run = runs_.find(find.integer(10));
            insert.start(ours, find.integer(0), find.integer(1), find.text(2), find.integer(3),
                         find.text(4), find.text(5), find.integer(6), find.text(7), find.text(8),
                         reason, run == runs_.end() ? std::nullopt : std::optional(run->second));
            while (insert.next()) {
                ++merged_.points;
            }
        }
    }

    const Database& into_;
    const Database& from_;
    RowCopy rows_;
    RunWriter writer_;
    Statement is_traced_;
    Statement twin_;
    std::map<std::int64_t, std::int64_t> runs_;  // theirs -> ours
    Merged merged_;
};

}  // namespace

Merged merge_database(const Database& into, const std::filesystem::path& from) {
    require_another(into, from);
    const Database other = Database::open_existing(from);
    require_sound(other);
    const UncheckedReferences unchecked(into);
    Transaction transaction(into);
    const Merged merged = Merge(into, other).all();
    transaction.commit();
    return merged;
}

}  // namespace strata
