// SPDX-License-Identifier: MIT
#include "store/annotations.h"

#include "store/load.h"
#include "store/plan.h"
#include "store/query.h"
#include "store/save.h"
#include "store/statement.h"
#include "tests/store/sample_run.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

class AnnotationsTest : public ::testing::Test {
protected:
    AnnotationsTest() {
        for (int i = 0; i < 3; ++i) {
            auto run = sample_run();
            save_run(database_, run);
        }
    }

    std::int64_t count(const std::string& table) const {
        Statement rows(database_, "SELECT count(*) FROM " + table);
        rows.start().next();
        return rows.integer(0);
    }

    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
};

TEST_F(AnnotationsTest, ATagRefersToTheRunUntilAnotherGetsIt) {
    tag_run(database_, 2, "baseline");
    EXPECT_EQ(resolve_run(database_, "baseline"), 2);
    tag_run(database_, 3, "baseline");
    EXPECT_EQ(resolve_run(database_, "baseline"), 3);
    EXPECT_TRUE(annotations_of(database_, 2).tags.empty());
    remove_tag(database_, "baseline");
    EXPECT_NE(error_of([&] { resolve_run(database_, "baseline"); }).find("does not name a run"),
              std::string::npos);
    EXPECT_NE(error_of([&] { remove_tag(database_, "baseline"); }).find("no run is tagged"),
              std::string::npos);
}

TEST_F(AnnotationsTest, ANameThatCouldMeanAnotherRunIsNotATag) {
    for (const char* name : {"", "last", "12", "last~1", "a:b", "two words", "-x", "\x1b[31m"}) {
        EXPECT_NE(error_of([&] { tag_run(database_, 1, name); }).find("cannot be a tag"),
                  std::string::npos)
            << name;
    }
    EXPECT_NE(error_of([&] { tag_run(database_, 9, "x"); }).find("no run 9"), std::string::npos);
}

TEST_F(AnnotationsTest, TagsAndNotesAreInTheList) {
    tag_run(database_, 1, "b");
    tag_run(database_, 1, "a");
    note_run(database_, 1, "before the new kernel");
    const Table runs = list_runs(database_);
    const auto& row = runs.rows.back();
    EXPECT_EQ(std::get<std::string>(row[row.size() - 2]), "a, b");
    EXPECT_EQ(std::get<std::string>(row.back()), "before the new kernel");
    note_run(database_, 1, "");
    EXPECT_TRUE(annotations_of(database_, 1).note.empty());
}

TEST_F(AnnotationsTest, ARunLoadsWithThem) {
    tag_run(database_, 1, "quiet");
    tag_run(database_, 1, "baseline");
    note_run(database_, 1, "after the upgrade");
    const strata::Run run = load_run(database_, 1);
    EXPECT_EQ(run.tags, (std::vector<std::string>{"baseline", "quiet"}));
    EXPECT_EQ(run.note, "after the upgrade");
}

TEST_F(AnnotationsTest, AContinuedRunKeepsThem) {
    auto run = planned_run();
    begin_run(database_, run);
    tag_run(database_, run.id, "mine");
    note_run(database_, run.id, "interrupted at lunch");
    begin_run(database_, run);
    EXPECT_EQ(resolve_run(database_, "mine"), run.id);
    EXPECT_EQ(annotations_of(database_, run.id).note, "interrupted at lunch");
}

TEST_F(AnnotationsTest, ADeletedRunLeavesNothing) {
    tag_run(database_, 3, "x");
    note_run(database_, 3, "y");
    const auto lines = delete_runs(database_, std::array<std::int64_t, 3>{1, 2, 3});
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1], "run 2: alexnet, batch 32, training, 2026-11-21T13:15:00Z");
    for (const char* table : {"run", "step", "whole", "setting", "provenance", "flag", "trace",
                              "trace_span", "kernel_set", "step_metric", "tag", "note"}) {
        EXPECT_EQ(count(table), 0) << table;
    }
}

TEST_F(AnnotationsTest, KernelsThatAnotherRunUsesStay) {
    delete_runs(database_, std::array<std::int64_t, 1>{1});
    EXPECT_GT(count("kernel_set"), 0);
    EXPECT_EQ(load_run(database_, 2).trace.has_value(), true);
}

TEST_F(AnnotationsTest, AllRunsAreDeletedOrNone) {
    EXPECT_NE(error_of([&] {
                  delete_runs(database_, std::array<std::int64_t, 2>{1, 7});
              }).find("no run 7"),
              std::string::npos);
    EXPECT_EQ(count("run"), 3);
}

TEST_F(AnnotationsTest, ARunThatALivingProcessMeasuresIsNotDeleted) {
    const StoredPlan plan = StoredPlan::open(database_, "alexnet", 1);
    auto run = planned_run();
    begin_run(database_, run, plan.position(0));
    EXPECT_EQ(status_of_child([&] {
                  const Database database = Database::open(directory_.path() / "runs.sqlite");
                  const auto sentence =
                      error_of([&] { delete_runs(database, std::array<std::int64_t, 1>{run.id}); });
                  return sentence.find("is being measured") != std::string::npos ? 0 : 1;
              }),
              0);
    EXPECT_EQ(delete_runs(database_, std::array<std::int64_t, 1>{run.id}).size(), 1U)
        << "one's own may go";
}

}  // namespace
}  // namespace strata
