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

// Who owns a database file; the advice in messages depends on it.
enum class DatabaseOwner { strata, another };

// A statement would have written something that the schema forbids.
class BrokenConstraint : public Error {
public:
    explicit BrokenConstraint(const Error& error) : Error(error) {}
};

// Another process still held a lock when the wait ended (store/lock_wait.h).
class DatabaseLocked : public Error {
public:
    explicit DatabaseLocked(const Error& error) : Error(error) {}
};

// The longest text or blob that a database may hold; strata stores only shorter ones.
constexpr Bytes longest_value{64 << 20};

// An open database of runs. Every failure, here and in its users, is an Error of one sentence that
// names the file and the fix. Do not share it between threads; several processes may use one file
// at a time.
class Database {
public:
    // Opens for reading and writing. Creates the file and its folder if they are missing, and
    // refuses, without changing it, a file that does not have exactly this schema.
    static Database open(const std::filesystem::path& file, const Schema& schema = strata_schema());

    // Opens for reading only; works on read-only media too. Statements have limits, and this
    // program's views are used, so a hostile or damaged file ends in an Error. Throws Error if
    // there is no database.
    static Database open_existing(const std::filesystem::path& file,
                                  const Schema& schema = strata_schema());

    // Opens another program's SQLite file for reading only, so that nothing in it can do harm: its
    // views and triggers do not run, it cannot call our functions, and no value may be longer than
    // a megabyte. Throws Error if there is no such file or it is not a database.
    static Database open_foreign(const std::filesystem::path& file);

    // Statements without results, separated by semicolons.
    void execute(const std::string& sql) const;

    std::int64_t last_inserted_id() const;
    std::int64_t changed_rows() const;  // by the last statement
    const std::filesystem::path& file() const { return file_; }
    sqlite3* handle() const { return handle_.get(); }

    StatementWatch& watch() const { return *watch_; }
    LockWait& lock_wait() const { return *lock_wait_; }

    // Throws SQLite's error for the call that just failed.
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
    std::string uri_;  // to read it with
    DatabaseOwner owner_ = DatabaseOwner::strata;
    std::unique_ptr<StatementWatch> watch_;  // the connection refers to both
    std::unique_ptr<LockWait> lock_wait_;
    std::unique_ptr<sqlite3, Close> handle_;
};

// Attaches another open database as the schema `other` of this one, for reading, as long as it
// lives. Begins and ends outside transactions.
class Attachment {
public:
    Attachment(const Database& into, const Database& other);
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment();

private:
    const Database& into_;
};

// The database's path: the requested one, else $STRATA_DATABASE, else strata/strata.sqlite in
// $XDG_DATA_HOME (default ~/.local/share). Throws Error if $HOME is not set either.
std::filesystem::path database_path(const std::string& asked = {});

}  // namespace strata
