// SPDX-License-Identifier: MIT
#include "store/merge.h"

#include "base/error.h"
#include "base/text.h"
#include "store/annotations.h"
#include "store/load.h"
#include "store/row_copy.h"
#include "store/run_writer.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace strata {

namespace {

void require_another(const Database& into, const std::filesystem::path& from) {
    std::error_code ignored;
    if (std::filesystem::equivalent(into.file(), from, ignored)) {
        throw Error(fmt::format("{} is the target of the merge; name other databases",
                                printable(from.string(), 1000)),
                    ExitCode::usage);
    }
}

// Detects a truncated copy, or one made while the file was written, before copying anything. (The
// check visits each page once, without a time limit.)
void require_sound(const Database& database) {
    const StatementLimits before = database.watch().limits();
    database.watch().set({.time = Seconds{StatementWatch::unlimited}, .memory = before.memory});
    Statement check(database, "PRAGMA quick_check(1)");
    check.start().next();
    if (check.text(0) != "ok") {
        throw Error(
            fmt::format("database {} is damaged ({}); nothing of it was merged: copy it "
                        "again",
                        printable(database.file().string(), 1000), printable(check.text(0))));
    }
    database.watch().set(before);
}

// Copies what this database lacks from the attached one.
class Merge {
public:
    Merge(const Database& into, const Database& from)
        : into_(into), from_(from), rows_(into, from) {}

    Merged all() {
        rows_.copy();
        const auto traced = rows_.traced();
        for (const std::int64_t run : traced) {
            rows_.note(run, copied(run));
        }
        Merged merged{.runs = static_cast<std::size_t>(rows_.fresh()) + traced.size(),
                      .known = static_cast<std::size_t>(rows_.known()),
                      .partial = static_cast<std::size_t>(rows_.partial())};
        merged.points = copy_sweeps();
        return merged;
    }

private:
    // Kernels are stored once, even if several runs share them.
    std::int64_t copied(std::int64_t id) {
        Run run = load_run(from_, id);
        run.id = 0;
        RunWriter(into_).add(run);
        Annotations annotations{.tags = {}, .note = run.note};
        for (const std::string& tag : run.tags) {
            if (!run_tagged(into_, tag)) {
                annotations.tags.push_back(tag);
            }
        }
        restore_annotations(into_, run.id, annotations);
        return run.id;
    }

    // The number of new outcomes. An outcome replaces only an unfinished claim.
    std::size_t copy_sweeps() const {
        into_.execute(
            "INSERT INTO main.sweep (created, name, key, identity, points) "
            "SELECT created, name, key, identity, points FROM other.sweep WHERE true "
            "ON CONFLICT DO NOTHING;"
            "INSERT INTO main.sweep_point (sweep, position, repeat, network, batch, mode, dtype, "
            "threads, backend, outcome, reason, run) "
            "SELECT ours.id, position, repeat, network, batch, mode, dtype, threads, backend, "
            "outcome, reason, run_of.ours FROM other.sweep_point AS point "
            "JOIN other.sweep AS theirs ON theirs.id = point.sweep "
            "JOIN main.sweep AS ours ON ours.key = theirs.key "
            "LEFT JOIN temp.run_of ON run_of.theirs = point.run WHERE outcome <> 'claimed' "
            "ON CONFLICT DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, "
            "owner = NULL, run = excluded.run WHERE sweep_point.outcome = 'claimed'");
        return static_cast<std::size_t>(into_.changed_rows());
    }

    const Database& into_;
    const Database& from_;
    RowCopy rows_;
};

// A file whose rows contradict the schema is damaged too.
Merged merged_soundly(const Database& into, const Database& other) {
    try {
        return Merge(into, other).all();
    } catch (const BrokenConstraint&) {
        throw Error(
            fmt::format("database {} is damaged (a row contradicts another, or a row is missing); "
                        "nothing of it was merged: copy it again",
                        printable(other.file().string(), 1000)));
    }
}

}  // namespace

Merged merge_database(const Database& into, const std::filesystem::path& from) {
    require_another(into, from);
    const Database other = Database::open_existing(from);
    require_sound(other);
    const UncheckedReferences unchecked(into);
    const Attachment attachment(into, other);
    Transaction transaction(into);
    const Merged merged = merged_soundly(into, other);
    transaction.commit();
    return merged;
}

}  // namespace strata
