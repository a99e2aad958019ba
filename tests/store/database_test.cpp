// SPDX-License-Identifier: MIT
#include "store/database.h"
#include "store/statement.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <thread>

namespace strata {
namespace {

namespace fs = std::filesystem;

using Opener = Database (*)(const fs::path&, const Schema&);

std::string content_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Runs SQL on a file without strata, as another program would.
void raw(const fs::path& file, const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
}

// Whether the sentence contains every part.
::testing::AssertionResult holds(const std::string& sentence, std::vector<std::string> parts) {
    for (const auto& part : parts) {
        if (sentence.find(part) == std::string::npos) {
            return ::testing::AssertionFailure() << "'" << part << "' is not in: " << sentence;
        }
    }
    return ::testing::AssertionSuccess();
}

class DatabaseTest : public ::testing::Test {
protected:
    std::string error_of_opening(const fs::path& file, Opener open) const {
        return error_of([&] { open(file, strata_schema()); });
    }

    TemporaryDirectory directory_;
    fs::path file_ = directory_.path() / "runs.sqlite";
};

TEST_F(DatabaseTest, OpeningCreatesTheFileAndItsFolder) {
    const fs::path file = directory_.path() / "a" / "b" / "runs.sqlite";
    Database::open(file);
    EXPECT_TRUE(fs::exists(file));
    EXPECT_NO_THROW(Database::open_existing(file));
}

TEST_F(DatabaseTest, AnEmptyFileBecomesADatabase) {
    directory_.write("runs.sqlite", "");
    EXPECT_NO_THROW(Database::open(file_));
}

TEST_F(DatabaseTest, ReadingNeverCreatesAFile) {
    EXPECT_TRUE(
        holds(error_of_opening(file_, Database::open_existing), {"no database", "strata run"}));
    EXPECT_FALSE(fs::exists(file_));
}

TEST_F(DatabaseTest, ReadingAnEmptyFileSaysThatItHoldsNoRuns) {
    directory_.write("runs.sqlite", "");
    EXPECT_TRUE(holds(error_of_opening(file_, Database::open_existing), {"holds no runs"}));
    EXPECT_EQ(fs::file_size(file_), 0U);
}

TEST_F(DatabaseTest, TextIsRefusedAndLeftAsItIs) {
    for (const std::string& text : {std::string("hello"), std::string(10000, 'x')}) {
        directory_.write("runs.sqlite", text);
        for (const Opener open : {Database::open, Database::open_existing}) {
            EXPECT_TRUE(holds(error_of_opening(file_, open),
                              {file_.string(), "not a strata database", "--database"}));
        }
        EXPECT_EQ(content_of(file_), text);
    }
}

TEST_F(DatabaseTest, AnotherProgramsDatabaseIsRefusedAndLeftAsItIs) {
    raw(file_, "CREATE TABLE run (id INTEGER)");
    const std::string before = content_of(file_);
    for (const Opener open : {Database::open, Database::open_existing}) {
        EXPECT_TRUE(holds(error_of_opening(file_, open), {"belongs to another program"}));
    }
    EXPECT_EQ(content_of(file_), before);
}

TEST_F(DatabaseTest, AnotherProgramsMarkIsRespectedEvenWithoutTables) {
    raw(file_, "PRAGMA application_id = 42");
    EXPECT_TRUE(holds(error_of_opening(file_, Database::open), {"belongs to another program"}));
}

TEST_F(DatabaseTest, ATruncatedDatabaseIsNamedAsDamaged) {
    { Database::open(file_); }
    fs::resize_file(file_, fs::file_size(file_) / 2);
    EXPECT_TRUE(holds(error_of_opening(file_, Database::open), {file_.string(), "damaged"}));
}

TEST_F(DatabaseTest, AFolderThatCannotExistIsNamed) {
    const fs::path file = directory_.write("file", "") / "below" / "runs.sqlite";
    EXPECT_TRUE(holds(error_of_opening(file, Database::open),
                      {"cannot create the folder", "Not a directory", "--database"}));
}

TEST_F(DatabaseTest, AFolderIsNotADatabase) {
    EXPECT_TRUE(holds(error_of_opening(directory_.path(), Database::open), {"cannot be opened"}));
}

TEST_F(DatabaseTest, AFullDatabaseSaysSoAndKeepsWhatItHeld) {
    const Database database = Database::open(file_);
    database.execute("INSERT INTO text (value) VALUES ('kept')");
    database.execute("PRAGMA max_page_count = 1");  // SQLite raises it to the present size
    const std::string sentence = error_of([&] {
        Transaction transaction(database);
        Statement insert(database, "INSERT INTO text (value) VALUES (?)");
        insert.run(std::string(1 << 20, 'x'));
        transaction.commit();
    });
    EXPECT_TRUE(holds(sentence, {"disk is full", "committed data is kept"}));
    Statement kept(database, "SELECT value FROM text");
    EXPECT_TRUE(kept.start().next());
    EXPECT_EQ(kept.text(0), "kept");
    EXPECT_FALSE(kept.next());
}

TEST_F(DatabaseTest, ADiskThatStopsTakingBytesIsCalledFull) {
    { Database::open(file_); }
    EXPECT_EQ(status_of_child([&] {
                  std::signal(SIGXFSZ, SIG_IGN);
                  const rlimit limit{1 << 18, 1 << 18};
                  ::setrlimit(RLIMIT_FSIZE, &limit);
                  const std::string sentence = error_of([&] {
                      const Database database = Database::open(file_);
                      Statement insert(database, "INSERT INTO text (value) VALUES (?)");
                      insert.run(std::string(1 << 20, 'x'));
                  });
                  return holds(sentence, {"disk is full"}) ? 0 : 1;
              }),
              0);
    EXPECT_NO_THROW(Database::open(file_));
}

TEST_F(DatabaseTest, TwoWritersWaitForEachOther) {
    { Database::open(file_); }
    const auto write = [&](const std::string& name) {
        const Database database = Database::open(file_);
        Statement insert(database, "INSERT INTO text (value) VALUES (?)");
        for (int i = 0; i < 50; ++i) {
            Transaction transaction(database);
            insert.run(name + std::to_string(i));
            transaction.commit();
        }
    };
    std::thread one(write, "one");
    std::thread two(write, "two");
    one.join();
    two.join();
    const Database database = Database::open_existing(file_);
    Statement count(database, "SELECT count(*) FROM text");
    EXPECT_TRUE(count.start().next());
    EXPECT_EQ(count.integer(0), 100);
}

TEST_F(DatabaseTest, ManyProcessesMayCreateOneDatabaseAtOnce) {
    std::vector<std::thread> openers;
    std::vector<std::string> errors(8);
    for (auto& error : errors) {
        openers.emplace_back([&] { error = error_of([&] { Database::open(file_); }); });
    }
    for (std::size_t i = 0; i < errors.size(); ++i) {
        openers[i].join();
        EXPECT_EQ(errors[i], "no error");
    }
}

TEST_F(DatabaseTest, ALockedDatabaseIsNamedAsLocked) {
    const Database first = Database::open(file_);
    const Database second = Database::open(file_);
    sqlite3_busy_timeout(second.handle(), 1);
    const Transaction transaction(first);
    EXPECT_TRUE(holds(error_of([&] { Transaction blocked(second); }),
                      {file_.string(), "locked by another process"}));
}

// Switches to a user without permissions if the test runs as root, to whom no permission applies.
void drop_privileges() {
    if (::geteuid() == 0) {
        ::setgroups(0, nullptr);
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) {
            ::_exit(3);
        }
    }
}

TEST_F(DatabaseTest, ADatabaseInAReadOnlyFolderCanBeReadButNotWritten) {
    { Database::open(file_).execute("INSERT INTO text (value) VALUES ('kept')"); }
    fs::permissions(file_, fs::perms(0444));
    fs::permissions(directory_.path(), fs::perms(0555));
    const int status = status_of_child([&] {
        drop_privileges();
        const Database database = Database::open_existing(file_);
        Statement find(database, "SELECT value FROM text");
        const bool found = find.start().next() && find.text(0) == "kept";
        const std::string sentence = error_of(
            [&] { Database::open(file_).execute("INSERT INTO text (value) VALUES ('lost')"); });
        return found && holds(sentence, {"cannot be written", "--database"}) ? 0 : 1;
    });
    fs::permissions(directory_.path(), fs::perms(0755));
    EXPECT_EQ(status, 0);
}

TEST_F(DatabaseTest, WhatIsNotCommittedNeverHappened) {
    const Database database = Database::open(file_);
    {
        Transaction transaction(database);
        database.execute("INSERT INTO text (value) VALUES ('lost')");
    }
    Statement count(database, "SELECT count(*) FROM text");
    count.start().next();
    EXPECT_EQ(count.integer(0), 0);
}

using Variables = std::map<std::string, std::optional<std::string>>;

// Sets the variables that determine the location, and restores their previous values.
class Environment {
public:
    explicit Environment(const Variables& values) {
        for (const auto& [name, value] : values) {
            const char* before = std::getenv(name.c_str());
            before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
            set(name, value);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        for (const auto& [name, value] : before_) {
            set(name, value);
        }
    }

private:
    static void set(const std::string& name, const std::optional<std::string>& value) {
        value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }

    Variables before_;
};

TEST(DatabasePath, ARequestTakesPrecedenceOverTheVariable) {
    const Environment environment(Variables{{"STRATA_DATABASE", "/b.sqlite"}});
    EXPECT_EQ(database_path("a.sqlite"), "a.sqlite");
    EXPECT_EQ(database_path(), "/b.sqlite");
}

TEST(DatabasePath, WithoutTheVariableItIsInTheUsersDataFolder) {
    const Environment environment(Variables{{"STRATA_DATABASE", {}}, {"XDG_DATA_HOME", "/data"}});
    EXPECT_EQ(database_path(), "/data/strata/strata.sqlite");
}

TEST(DatabasePath, ARelativeDataFolderIsIgnoredAsTheSpecificationAsks) {
    const Environment environment(
        Variables{{"STRATA_DATABASE", {}}, {"XDG_DATA_HOME", "data"}, {"HOME", "/home/me"}});
    EXPECT_EQ(database_path(), "/home/me/.local/share/strata/strata.sqlite");
}

TEST(DatabasePath, WithoutAHomeTheErrorNamesTheFlag) {
    const Environment environment(
        Variables{{"STRATA_DATABASE", {}}, {"XDG_DATA_HOME", {}}, {"HOME", {}}});
    const std::string sentence = error_of([] { database_path(); });
    EXPECT_NE(sentence.find("--database"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace strata
