// SPDX-License-Identifier: MIT
#include "store/schema.h"

#include "store/statement.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <string>
#include <vector>

namespace strata {
namespace {

constexpr std::array<std::string_view, 1> old_views = {
    "CREATE VIEW tall AS SELECT name FROM animal WHERE legs > 1"};
constexpr std::array<std::string_view, 1> new_views = {
    "-- Animals with legs.\nCREATE VIEW tall AS SELECT name FROM animal WHERE legs > 3"};
constexpr std::string_view tables =
    "CREATE TABLE animal (\n    name TEXT,  -- as it is called, in English\n    legs INTEGER, "
    "CHECK (name <> '--, (')\n) STRICT;\n"
    "CREATE INDEX animal_by_legs ON animal (legs, name)";

constexpr Schema first_schema{
    .application_id = 77, .version = 1, .tables = tables, .views = old_views};
constexpr Schema with_new_views{
    .application_id = 77, .version = 1, .tables = tables, .views = new_views};
constexpr Schema second_schema{
    .application_id = 77, .version = 2, .tables = tables, .views = new_views};

constexpr std::array openers = {Database::open, Database::open_existing};

// Runs SQL on a file without strata, as another program would.
void as_another_program(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
}

class SchemaTest : public ::testing::Test {
protected:
    SchemaTest() {
        const Database zoo = Database::open(file_, first_schema);
        zoo.execute("INSERT INTO animal VALUES ('hen', 2), ('cow', 4)");
    }

    // The errors of each way to open the file with the first schema.
    void expect_refusal(const std::string& what) const {
        for (const auto open : openers) {
            const std::string sentence = error_of([&] { open(file_, first_schema); });
            EXPECT_NE(sentence.find(what), std::string::npos) << sentence;
        }
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "zoo.sqlite";
};

std::string only_text(const Database& database, std::string_view sql) {
    Statement statement(database, sql);
    statement.start().next();
    return statement.text(0);
}

TEST_F(SchemaTest, ChangedViewsAreReplacedInTheFileByAWriterAndTemporarilyByAReader) {
    const auto tall = [&](auto open, const Schema& schema) {
        return only_text(open(file_, schema), "SELECT count(*) FROM tall");
    };
    EXPECT_EQ(tall(Database::open_existing, first_schema), "2");
    EXPECT_EQ(tall(Database::open_existing, with_new_views), "1");
    EXPECT_EQ(tall(Database::open_existing, first_schema), "2");
    EXPECT_EQ(tall(Database::open, with_new_views), "1");
    as_another_program(file_, "DROP VIEW tall");
    EXPECT_EQ(tall(Database::open_existing, first_schema), "2");
}

TEST_F(SchemaTest, AnotherVersionIsRefusedWithTheFix) {
    for (const auto open : openers) {
        const std::string sentence = error_of([&] { open(file_, second_schema); });
        EXPECT_NE(sentence.find("has version 1, from before"), std::string::npos) << sentence;
    }
    as_another_program(file_, "PRAGMA user_version = 2");
    expect_refusal("has version 2, but this strata supports only version 1; update strata");
    as_another_program(file_, "PRAGMA user_version = -5");
    expect_refusal("has version -5");
    as_another_program(file_, "PRAGMA user_version = 0");
    expect_refusal("has version 0");
}

constexpr std::array added_columns = {
    AddedColumn{.version = 2,
                .table = "animal",
                .name = "is_bird",
                .definition = "is_bird INTEGER NOT NULL DEFAULT 0",
                .value = "(SELECT count(*) FROM {}.animal AS one WHERE one.name = row.name AND "
                         "row.legs = 2)"}};
constexpr std::array<std::string_view, 1> views_of_birds = {
    "CREATE VIEW tall AS SELECT name FROM animal WHERE is_bird = 1"};
constexpr Schema with_birds{
    .application_id = 77,
    .version = 2,
    .tables =
        "CREATE TABLE animal (name TEXT, legs INTEGER, is_bird INTEGER NOT NULL DEFAULT 0, "
        "CHECK (name <> '--, (')) STRICT;"
        "CREATE INDEX animal_by_legs ON animal (legs, name)",
    .views = views_of_birds,
    .added = added_columns};

TEST_F(SchemaTest, AnOlderFileIsReadUnchangedAndUpgradedByAWriter) {
    for (int time = 0; time < 2; ++time) {
        const Database reader = Database::open_existing(file_, with_birds);
        EXPECT_EQ(only_text(reader, "SELECT name FROM tall"), "hen");
        EXPECT_EQ(only_text(reader, "SELECT is_bird FROM animal WHERE name = 'cow'"), "0");
        EXPECT_EQ(schema_version(reader), 1);
    }
    for (int time = 0; time < 2; ++time) {
        const Database writer = Database::open(file_, with_birds);
        EXPECT_EQ(schema_version(writer), 2);
        EXPECT_EQ(only_text(writer, "SELECT group_concat(name) FROM tall"), "hen");
    }
    const Database reader = Database::open_existing(file_, with_birds);
    EXPECT_EQ(only_text(reader, "SELECT name FROM tall"), "hen");
    EXPECT_NE(error_of([&] { Database::open(file_, first_schema); }).find("update strata"),
              std::string::npos);
}

TEST_F(SchemaTest, AnOlderFileMustHaveExactlyTheTablesOfItsVersion) {
    as_another_program(file_, "ALTER TABLE animal ADD COLUMN is_bird INTEGER NOT NULL DEFAULT 0");
    for (const auto open : openers) {
        EXPECT_NE(
            error_of([&] { open(file_, with_birds); }).find("table animal that strata did not"),
            std::string::npos);
    }
}

TEST_F(SchemaTest, TablesWithDifferentSqlFormattingAreEqual) {
    const auto file = directory_.path() / "other.sqlite";
    as_another_program(file,
                       "CREATE TABLE animal (name TEXT,CHECK (name <> '--, (')) STRICT;"
                       "ALTER TABLE animal ADD COLUMN legs INTEGER;"
                       "CREATE INDEX animal_by_legs ON animal (legs,   name);"
                       "INSERT INTO animal VALUES ('hen', 2); ANALYZE;"
                       "PRAGMA application_id = 77; PRAGMA user_version = 1");
    EXPECT_EQ(only_text(Database::open_existing(file, first_schema), "SELECT name FROM tall"),
              "hen");
}

// Each would never end, take all memory, or write unrequested data.
TEST_F(SchemaTest, ForeignObjectsAreRefusedBeforeUse) {
    struct Case {
        const char* sql;
        const char* complaint;
    };
    const std::string endless =
        " WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n, n FROM x";
    const std::array cases = {
        Case{"ALTER TABLE animal RENAME TO hidden; CREATE VIEW animal AS$",
             "that strata did not make"},
        Case{"CREATE TRIGGER t AFTER INSERT ON animal BEGIN INSERT INTO animal$; END", "trigger t"},
        Case{"DROP TABLE animal; CREATE TABLE animal (name TEXT, legs INTEGER CHECK (legs < "
             "length(hex(zeroblob(500000000))))) STRICT",
             "table animal"},
        Case{"DROP TABLE animal; CREATE TABLE animal (name TEXT, legs INTEGER AS (length(hex("
             "zeroblob(500000000))))) STRICT",
             "table animal"},
        Case{"DROP INDEX animal_by_legs; CREATE INDEX animal_by_legs ON animal (legs, name) WHERE "
             "length(hex(zeroblob(9))) > legs",
             "index animal_by_legs"},
        Case{"DROP INDEX animal_by_legs; CREATE INDEX animal_by_legs ON animal (name, legs)",
             "index animal_by_legs"},
        Case{"CREATE INDEX more ON animal (abs(legs))", "index more"},
        Case{"DROP TABLE animal; CREATE VIRTUAL TABLE animal USING fts5(name, legs)", "animal"},
        Case{"CREATE TABLE food (name TEXT)", "table food"},
        Case{"DROP INDEX animal_by_legs", "lacks the index animal_by_legs"},
        Case{"DROP TABLE animal; CREATE TABLE \"animal\" (name TEXT, legs INTEGER, "
             "CHECK (name <> '--, (')) STRICT",
             "table animal"}};
    for (const Case& hostile : cases) {
        std::filesystem::remove(file_);
        { Database::open(file_, first_schema); }
        std::string sql = hostile.sql;
        if (const auto at = sql.find('$'); at != std::string::npos) {
            sql.replace(at, 1, endless);
        }
        as_another_program(file_, sql);
        expect_refusal(hostile.complaint);
    }
}

TEST_F(SchemaTest, AForeignViewIsNeverUsed) {
    as_another_program(
        file_,
        "DROP VIEW tall; CREATE VIEW tall AS WITH RECURSIVE x(name) AS (SELECT 1 UNION ALL SELECT "
        "name + 1 FROM x) SELECT name FROM x; CREATE VIEW mine AS SELECT * FROM tall");
    EXPECT_EQ(only_text(Database::open_existing(file_, first_schema), "SELECT count(*) FROM tall"),
              "2");
    EXPECT_EQ(only_text(Database::open(file_, first_schema), "SELECT count(*) FROM tall"), "2");
}

TEST_F(SchemaTest, EveryViewOfStrataAnswersOnAnEmptyDatabase) {
    const Database database = Database::open(directory_.path() / "runs.sqlite");
    std::vector<std::string> views;
    Statement find(database, "SELECT name FROM sqlite_master WHERE type = 'view'");
    for (find.start(); find.next();) {
        views.push_back(find.text(0));
    }
    EXPECT_EQ(views.size(), strata_schema().views.size());
    EXPECT_GE(views.size(), 12U);
    for (const std::string& view : views) {
        EXPECT_EQ(only_text(database, "SELECT count(*) FROM " + view), "0") << view;
    }
}

}  // namespace
}  // namespace strata
