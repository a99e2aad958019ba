// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "base/quantity.h"
#include "store/limits.h"
#include "store/lock_wait.h"
#include "store/schema.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

struct sqlite3;

namespace strata {

// Whose file a database is; messages differ in what they advise.
enum class DatabaseOwner { strata, another };

// A statement that would have written what the schema forbids.
class BrokenConstraint : public Error {
public:
    explicit BrokenConstraint(const Error& error) : Error(error) {}
};

// What another process still held locked when patience ended (store/lock_wait.h).
class DatabaseLocked : public Error {
public:
    explicit DatabaseLocked(const Error& error) : Error(error) {}
};

// The longest text or blob that a database may hold; what strata stores is shorter.
constexpr Bytes longest_value{64 << 20};

// An open database of runs. Every failure, here and in what works on it, is an Error of one
// sentence that names the file and the fix. Not to be shared between threads; several processes
// may use one file at a time.
class Database {
public:
    // Opens for reading and writing. Creates the file and its folder if they are missing, and
    // refuses, without a change to it, a file that does not have exactly this schema.
    static Database open(const std::filesystem::path& file, const Schema& schema = strata_schema());

    // Opens for reading only; works on read-only media too. Statements have limits, and views are
    // those of this program, so that a hostile or damaged file ends with an Error. Throws Error if
    // there is no database.
    static Database open_existing(const std::filesystem::path& file,
                                  const Schema& schema = strata_schema());

    // Opens another program's SQLite file for reading only, so that nothing in it can do harm: no
    // view or trigger of its own runs, no function of ours is called by it, and no value may be
    // longer than a megabyte. Throws Error where there is no such file or it is no database.
    static Database open_foreign(const std::filesystem::path& file);

    // Statements without results, separated by semicolons.
    void execute(const std::string& sql) const;

    std::int64_t last_inserted_id() const;
    std::int64_t changed_rows() const;  // by the last statement
    const std::filesystem::path& file() const { return file_; }
    sqlite3* handle() const { return handle_.get(); }

    StatementWatch& watch() const { return *watch_; }
    LockWait& lock_wait() const { return *lock_wait_; }

    // Throws what SQLite says of the call that just failed.
    [[noreturn]] void fail() const;

private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };

    Database(std::filesystem::path file, int flags, bool immutable = false,
             DatabaseOwner owner = DatabaseOwner::strata);
    static Database open_for_reading(const std::filesystem::path& file);

    friend class Attachment;

    std::filesystem::path file_;
    std::string uri_;  // to read it by
    DatabaseOwner owner_ = DatabaseOwner::strata;
    std::unique_ptr<StatementWatch> watch_;  // the connection refers to both
    std::unique_ptr<LockWait> lock_wait_;
    std::unique_ptr<sqlite3, Close> handle_;
};

// Makes the tables of another open database those of the schema `other` in statements of this one,
// for reading, as long as it lives. Begins and ends outside of transactions.
class Attachment {
public:
    Attachment(const Database& into, const Database& other);
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment();

private:
    const Database& into_;
};

// Where runs are stored: what was requested, else $STRATA_DATABASE, else strata/strata.sqlite below
// $XDG_DATA_HOME, which is ~/.local/share unless set. Throws Error where even $HOME is not set.
std::filesystem::path database_path(const std::string& asked = {});

}  // namespace strata
