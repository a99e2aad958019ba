// SPDX-License-Identifier: MIT
#include "store/merge.h"

#include "base/error.h"
#include "store/annotations.h"
#include "store/load.h"
#include "store/run_writer.h"
#include "store/save.h"
#include "store/statement.h"
#include "store/sweeps.h"
#include "tests/store/sample_run.h"
#include "tests/support/temporary_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace strata {
namespace {

class Merges : public ::testing::Test {
protected:
    std::filesystem::path file(const std::string& name) const { return directory_.path() / name; }

    // A database of some runs with different batches, and of a sweep of ten points.
    void make(const std::string& name, std::int64_t first, std::int64_t count) const {
        const Database database = Database::open(file(name));
        const StoredSweep sweep = StoredSweep::open(database, "grid", "what decides it", 10);
        for (std::int64_t i = first; i < first + count; ++i) {
            strata::Run run = sample_run();
            run.settings.batch = i + 1;
            if (i % 2 == 1) {
                run.trace.reset();
                run.work = RunWork{Flops{1e15}, Bytes{3e12}, Bytes{1e12}};
            }
            save_run(database, run);
            StoredPoint point = point_at(i);
            point.outcome = PointOutcome::ok;
            point.run = run.id;
            sweep.finish(point);
        }
    }

    static StoredPoint point_at(std::int64_t position) {
        return {.position = position,
                .network = "alexnet",
                .batch = position + 1,
                .mode = "training",
                .dtype = "f32",
                .backend = "onednn"};
    }

    static std::int64_t number(const Database& database, const std::string& sql) {
        Statement statement(database, sql);
        statement.start().next();
        return statement.integer(0);
    }

    static std::string refusal(const Database& into, const std::filesystem::path& from) {
        try {
            merge_database(into, from);
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    }

    TemporaryDirectory directory_;
};

TEST_F(Merges, BringRunsAndTheOutcomesOfPointsTogether) {
    make("a", 0, 4);
    make("b", 4, 6);
    const Database all = Database::open(file("all"));
    EXPECT_EQ(merge_database(all, file("a")).runs, 4U);
    const Merged second = merge_database(all, file("b"));
    EXPECT_EQ(second.runs, 6U);
    EXPECT_EQ(second.points, 6U);
    EXPECT_EQ(number(all, "SELECT count(*) FROM sweep"), 1);
    EXPECT_EQ(number(all,
                     "SELECT count(*) FROM sweep_result JOIN run ON run.id = run "
                     "WHERE run.batch = sweep_result.batch AND outcome = 'ok'"),
              10);
}

// Makes a file what version 14 wrote.
void make_version_14(const std::filesystem::path& file) {
    const Database database = Database::open(file);
    std::vector<std::string> views;
    {
        Statement find(database, "SELECT name FROM sqlite_master WHERE type = 'view'");
        for (find.start(); find.next();) {
            views.push_back(find.text(0));
        }
    }
    for (const std::string& view : views) {
        database.execute("DROP VIEW " + view);
    }
    database.execute(
        "ALTER TABLE step DROP COLUMN implementation_kind; ALTER TABLE run DROP COLUMN ran_on;"
        "ALTER TABLE step DROP COLUMN launch_ns;"
        "ALTER TABLE step DROP COLUMN interval_low_ns; ALTER TABLE run DROP COLUMN interval_low_ns;"
        "ALTER TABLE step DROP COLUMN interval_high_ns;"
        "ALTER TABLE run DROP COLUMN interval_high_ns;"
        "ALTER TABLE step DROP COLUMN interval_basis; ALTER TABLE run DROP COLUMN interval_basis;"
        "PRAGMA user_version = 14");
}

// A run with every kind of implementation that version 14 only named.
strata::Run run_of_many_kinds() {
    strata::Run run = sample_run();
    run.provenance["gpu.name"] = "NVIDIA H200";
    run.ran_on = DeviceKind::gpu;
    run.interval.reset();
    const std::array named = {
        std::pair("jit:avx512_core + strata:loops", ImplementationKind::library),
        std::pair("lrn_ref:any", ImplementationKind::library_reference),
        std::pair("strata:fft", ImplementationKind::own),
        std::pair("alias", ImplementationKind::alias)};
    run.steps.resize(named.size(), run.steps.front());
    for (std::size_t i = 0; i < named.size(); ++i) {
        run.steps[i].implementation = named[i].first;
        run.steps[i].implementation_kind = named[i].second;
        run.steps[i].launch.reset();
        run.steps[i].interval.reset();
    }
    return run;
}

TEST_F(Merges, ReadUpgradeAndTakeAFileOfTheVersionBefore) {
    for (const bool is_traced : {false, true}) {
        const auto old = file(is_traced ? "traced" : "timed");
        strata::Run run = run_of_many_kinds();
        if (!is_traced) {
            run.trace.reset();
        }
        {
            const Database before = Database::open(old);
            save_run(before, run);
        }
        make_version_14(old);
        const std::string expected = described(run);
        EXPECT_EQ(described(load_run(Database::open_existing(old), 1)), expected) << "read";
        const Database all = Database::open(file(is_traced ? "all traced" : "all timed"));
        EXPECT_EQ(merge_database(all, old).runs, 1U);
        EXPECT_EQ(described(load_run(all, 1)), expected) << "merged";
        EXPECT_EQ(schema_version(Database::open_existing(old)), 14) << "reading changes nothing";
        EXPECT_EQ(described(load_run(Database::open(old), 1)), expected) << "upgraded";
        EXPECT_EQ(schema_version(Database::open_existing(old)), strata_schema().version);
    }
}

TEST_F(Merges, ChangeNothingWhenRepeated) {
    make("a", 0, 4);
    const Database all = Database::open(file("all"));
    merge_database(all, file("a"));
    const Merged again = merge_database(all, file("a"));
    EXPECT_EQ(again.runs, 0U);
    EXPECT_EQ(again.known, 4U);
    EXPECT_EQ(again.points, 0U);
    for (const char* table : {"run", "sweep_point"}) {
        EXPECT_EQ(number(all, std::string("SELECT count(*) FROM ") + table), 4) << table;
    }
    EXPECT_EQ(number(all, "SELECT count(*) FROM step"), 16);
}

// With a trace or without, into a database whose texts and runs have other ids.
TEST_F(Merges, CopyACompleteRun) {
    const Database all = Database::open(file("all"));
    strata::Run other = sample_run();
    other.settings.batch = 7;
    other.provenance = {{"strata.commit", "0"}, {"a", "b"}, {"cpu.model", "another"}};
    save_run(all, other);
    for (const char* name : {"traced", "timed"}) {
        {
            const Database from = Database::open(file(name));
            strata::Run run = sample_run();
            run.settings.batch = name[1] == 'r' ? 8 : 9;
            if (name[1] != 'r') {
                run.trace.reset();
            }
            run.work = RunWork{Flops{1e15}, Bytes{3e12}, Bytes{1e12}};
            save_run(from, run);
            tag_run(from, run.id, name);
            note_run(from, run.id, "quiet machine");
        }
        EXPECT_EQ(merge_database(all, file(name)).runs, 1U);
        const strata::Run stored = load_run(all, run_tagged(all, name).value());
        EXPECT_EQ(stored.tags, std::vector<std::string>{name});
        EXPECT_EQ(stored.note, "quiet machine");
        strata::Run expected = load_run(Database::open_existing(file(name)), 1);
        expected.id = stored.id;
        EXPECT_EQ(described(stored), described(expected)) << name;
    }
    EXPECT_EQ(number(all, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

// RowCopy learns the columns from the schema, but a new table of runs must be named there.
TEST_F(Merges, CopyEveryTableOfRuns) {
    make("a", 0, 4);
    {
        const Database from = Database::open(file("a"));
        tag_run(from, 2, "second");
        note_run(from, 2, "a note");
    }
    const Database all = Database::open(file("all"));
    merge_database(all, file("a"));
    const Database from = Database::open_existing(file("a"));
    Statement tables(from,
                     "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT "
                     "tables.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS "
                     "info WHERE info.name = 'run')");
    int count = 0;
    for (tables.start(); tables.next(); ++count) {
        const std::string sql = "SELECT count(*) FROM " + tables.text(0);
        EXPECT_EQ(number(all, sql), number(from, sql)) << tables.text(0);
    }
    EXPECT_GT(count, 10);
}

TEST_F(Merges, RefuseRunsWhoseTextsAreMissing) {
    make("a", 0, 2);
    {
        const Database from = Database::open(file("a"));
        from.execute("PRAGMA foreign_keys = OFF; DELETE FROM trace; DELETE FROM text");
    }
    const Database all = Database::open(file("all"));
    EXPECT_THAT(refusal(all, file("a")),
                ::testing::HasSubstr("a row contradicts another, or a row is missing"));
    EXPECT_EQ(number(all, "SELECT count(*) FROM run"), 0);
}

TEST_F(Merges, LeaveATagWithTheRunThatHasItHere) {
    for (const char* name : {"a", "all"}) {
        const Database database = Database::open(file(name));
        strata::Run run = sample_run();
        run.settings.batch = name[1] == '\0' ? 1 : 2;
        save_run(database, run);
        tag_run(database, run.id, "baseline");
    }
    const Database all = Database::open(file("all"));
    merge_database(all, file("a"));
    EXPECT_EQ(run_tagged(all, "baseline"), 1);
    EXPECT_EQ(number(all, "SELECT count(*) FROM run"), 2);
}

TEST_F(Merges, SkipPartialRunsAndClaims) {
    {
        const Database from = Database::open(file("a"));
        strata::Run run = planned_run();
        begin_run(from, run);
        StoredSweep::open(from, "grid", "what decides it", 10).claim(point_at(3));
    }
    const Database all = Database::open(file("all"));
    const Merged merged = merge_database(all, file("a"));
    EXPECT_EQ(merged.partial, 1U);
    EXPECT_EQ(number(all, "SELECT count(*) FROM run"), 0);
    EXPECT_EQ(number(all, "SELECT count(*) FROM sweep_point"), 0);
}

TEST_F(Merges, LetAnOutcomeReplaceOnlyAClaim) {
    make("a", 0, 2);
    const Database all = Database::open(file("all"));
    const StoredSweep sweep = StoredSweep::open(all, "grid", "what decides it", 10);
    sweep.claim(point_at(0));
    StoredPoint failed = point_at(1);
    failed.outcome = PointOutcome::failed;
    failed.reason = "here it did";
    sweep.finish(failed);
    EXPECT_EQ(merge_database(all, file("a")).points, 1U);
    EXPECT_EQ(sweep.outcomes().at(PointOutcome::ok), 1);
    EXPECT_EQ(sweep.outcomes().at(PointOutcome::failed), 1);
}

TEST_F(Merges, RefuseForeignDatabasesInOneSentence) {
    const Database all = Database::open(file("all"));
    {
        const Database foreign = Database::open(file("foreign"));
        foreign.execute("PRAGMA application_id = 7");
    }
    {
        const Database newer = Database::open(file("newer"));
        newer.execute("PRAGMA user_version = 99");
    }
    std::ofstream(file("text")) << "this is no database, but it is long enough to look like one";
    EXPECT_NE(refusal(all, file("foreign")).find("belongs to another program"), std::string::npos);
    EXPECT_NE(refusal(all, file("newer")).find("has version 99"), std::string::npos);
    EXPECT_NE(refusal(all, file("text")), "none");
    EXPECT_NE(refusal(all, file("missing")).find("there is no database"), std::string::npos);
    EXPECT_NE(refusal(all, file("all")).find("is the target of the merge"), std::string::npos);
}

TEST_F(Merges, TakeNothingFromATruncatedFile) {
    make("a", 0, 10);
    Database::open(file("a")).execute("PRAGMA wal_checkpoint(TRUNCATE)");
    const auto size = std::filesystem::file_size(file("a"));
    const Database all = Database::open(file("all"));
    for (const int share : {2, 3, 5, 9}) {
        std::filesystem::copy_file(file("a"), file("cut"),
                                   std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(file("cut"), size * static_cast<unsigned>(share) / 10);
        EXPECT_NE(refusal(all, file("cut")), "none") << share;
        EXPECT_EQ(number(all, "SELECT count(*) FROM run"), 0) << share;
        EXPECT_EQ(number(all, "SELECT count(*) FROM sweep"), 0) << share;
    }
}

TEST(RunWriter, StoresTheSameAsMeasuringARun) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    strata::Run saved = sample_run();
    begin_run(database, saved);
    finish_run(database, saved);
    strata::Run written = sample_run();
    {
        Transaction transaction(database);
        RunWriter(database).add(written);
        transaction.commit();
    }
    strata::Run one = load_run(database, saved.id), other = load_run(database, written.id);
    one.id = other.id = 0;
    EXPECT_EQ(described(one), described(other));
}

}  // namespace
}  // namespace strata
