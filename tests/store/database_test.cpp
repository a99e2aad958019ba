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
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <thread>
#include <utility>

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

TEST_F(DatabaseTest, TextIsRefusedAndLeftUnchanged) {
    for (const std::string& text : {std::string("hello"), std::string(10000, 'x')}) {
        directory_.write("runs.sqlite", text);
        for (const Opener open : {Database::open, Database::open_existing}) {
            EXPECT_TRUE(holds(error_of_opening(file_, open),
                              {file_.string(), "not a strata database", "--database"}));
        }
        EXPECT_EQ(content_of(file_), text);
    }
}

TEST_F(DatabaseTest, AnotherProgramsDatabaseIsRefusedAndLeftUnchanged) {
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

TEST_F(DatabaseTest, AFifoOrADeviceIsRefusedImmediately) {
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    for (const fs::path& file : {file_, fs::path("/dev/zero"), fs::path("/dev/null")}) {
        for (const Opener open : {Database::open, Database::open_existing}) {
            EXPECT_TRUE(holds(error_of_opening(file, open), {"is not a regular file"}));
        }
    }
}

TEST_F(DatabaseTest, AFifoNextToTheDatabaseIsRefusedToo) {
    { Database::open(file_); }
    ASSERT_EQ(::mkfifo((file_.string() + "-wal").c_str(), 0600), 0);
    EXPECT_TRUE(holds(error_of_opening(file_, Database::open_existing), {"-wal is not a regular"}));
}

// Each page of this table refers to the one below it 32 times: reading it all would take 32^17
// steps.
TEST_F(DatabaseTest, CyclicPagesEndAtTheLimits) {
    { Database::open(file_); }
    raw(file_, "PRAGMA journal_mode = DELETE");
    const auto root = [&] {
        const Database database = Database::open(file_);
        Statement find(database,
                       "SELECT rootpage, (SELECT page_count FROM pragma_page_count), (SELECT "
                       "page_size FROM pragma_page_size) FROM sqlite_master WHERE name = 'text'");
        find.start().next();
        return std::array{find.integer(0), find.integer(1), find.integer(2)};
    }();
    const auto [first, pages, size] = root;
    const auto interior = [page_size = static_cast<std::size_t>(size)](std::int64_t child) {
        constexpr std::size_t cells = 31, cell_size = 5, begin = 12;
        std::string page(page_size, '\0');
        const auto put = [&](std::size_t at, std::int64_t value, std::size_t bytes) {
            for (std::size_t i = 0; i < bytes; ++i) {
                page[at + i] = static_cast<char>(value >> (8 * (bytes - 1 - i)));
            }
        };
        const std::size_t content = page_size - cells * cell_size;
        page[0] = 5;  // an interior page of a table
        put(3, cells, 2);
        put(5, static_cast<std::int64_t>(content), 2);
        put(8, child, 4);
        for (std::size_t i = 0; i < cells; ++i) {
            put(begin + 2 * i, static_cast<std::int64_t>(content + cell_size * i), 2);
            put(content + cell_size * i, child, 4);
            page[content + cell_size * i + 4] = static_cast<char>(i + 1);
        }
        return page;
    };
    std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
    const auto write = [&](std::int64_t page, const std::string& content) {
        stream.seekp((page - 1) * size);
        stream << content;
    };
    constexpr int depth = 17;
    for (int i = 0; i < depth; ++i) {
        write(i == 0 ? first : pages + i, interior(pages + i + 1));
    }
    std::string leaf(static_cast<std::size_t>(size), '\0');
    const std::string row("\x04\x01\x03\x00\x0fx", 6);  // its size, its number, NULL, 'x'
    leaf[0] = 13;                                       // a leaf of a table
    leaf[4] = 1;
    leaf[5] = leaf[8] = static_cast<char>((size - 6) >> 8);
    leaf[6] = leaf[9] = static_cast<char>(size - 6);
    leaf.replace(leaf.size() - row.size(), row.size(), row);
    write(pages + depth, leaf);
    stream.seekp(28);  // the size of the file, in pages
    const auto all = static_cast<std::uint32_t>(pages + depth);
    for (int shift = 24; shift >= 0; shift -= 8) {
        stream.put(static_cast<char>(all >> shift));
    }
    stream.close();

    const Database database = Database::open_existing(file_);
    database.watch().set({.time = Seconds{0.05}, .memory = Bytes{1e9}});
    EXPECT_TRUE(holds(error_of([&] {
                          Statement count(database, "SELECT count(value) FROM text");
                          count.start().next();
                      }),
                      {"more time or memory to answer", "quick_check"}));
}

TEST_F(DatabaseTest, AFullDatabaseIsReportedAndKeepsItsContent) {
    const Database database = Database::open(file_);
    database.execute("INSERT INTO text (value) VALUES ('kept')");
    database.execute("PRAGMA max_page_count = 1");  // SQLite raises it to the current size
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

TEST_F(DatabaseTest, ADiskThatStopsAcceptingBytesIsReportedAsFull) {
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

// Sets the lock timeout of this process, and restores it.
class Patience {
public:
    explicit Patience(const LockPatience& patience)
        : before_(std::exchange(lock_patience(), patience)) {}
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
    ~Patience() { lock_patience() = before_; }

private:
    LockPatience before_;
};

TEST_F(DatabaseTest, WaitingForALockIsReportedOnceWithItsLimit) {
    static std::vector<std::string> told;
    told.clear();
    const Patience patience(
        {.limit = Seconds{1.3}, .tell = [](const std::string& what) { told.push_back(what); }});
    const Database first = Database::open(file_);
    const Database second = Database::open(file_);
    const Transaction transaction(first);
    EXPECT_THROW(Transaction blocked(second), DatabaseLocked);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(holds(told[0], {file_.string(), "is locked by another process", "up to 1.3 s"}));
}

TEST_F(DatabaseTest, AnInterruptEndsTheWaitForALock) {
    const std::atomic<bool> stop = true;
    const Patience patience({.limit = Seconds{1e6}, .stop = &stop});
    const Database first = Database::open(file_);
    const Database second = Database::open(file_);
    const Transaction transaction(first);
    EXPECT_THROW(Transaction blocked(second), DatabaseLocked);
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

TEST_F(DatabaseTest, UncommittedChangesAreRolledBack) {
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

TEST(DatabasePath, ARelativeDataFolderIsIgnoredAsSpecified) {
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
