// SPDX-License-Identifier: MIT
#pragma once

#include "store/database.h"
#include "store/limits.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3_stmt;

namespace strata {

// An SQL statement, prepared once and run any number of times. Requires: the database outlives it.
//
//   Statement find(database, "SELECT id, created FROM run WHERE network = ? AND batch = ?");
//   for (find.start("alexnet", 32); find.next();) { use(find.integer(0), find.text(1)); }
class Statement {
public:
    Statement(const Database& database, std::string_view sql);

    // Binds every parameter, in order; the cursor is then before the first row.
    template <class... Values>
    Statement& start(const Values&... values) {
        reset();
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }

    // Runs a statement whose rows do not matter.
    template <class... Values>
    void run(const Values&... values) {
        start(values...);
        finish();
    }

    // Moves to the next row; false after the last.
    bool next();

    // Values of the current row; columns count from 0. A view is valid until the next call of
    // `next`.
    bool is_null(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;
    std::span<const std::byte> bytes(int column) const;

    sqlite3_stmt* handle() const { return handle_.get(); }

    // Binds one parameter, counted from 1. Requires: the statement is at its start.
    void bind(int index, std::int64_t value);
    void bind(int index, double value);
    void bind(int index, std::string_view value);
    void bind(int index, std::span<const std::byte> value);
    void bind(int index, std::nullopt_t);

    template <std::integral Value>
    void bind(int index, Value value) {
        bind(index, static_cast<std::int64_t>(value));
    }

    template <std::convertible_to<std::string_view> Value>
    void bind(int index, const Value& value) {
        bind(index, std::string_view(value));
    }

    // (Out of line: g++ 12 reports an inlined optional as uninitialised here.)
    template <class Value>
    [[gnu::noinline]] void bind(int index, const std::optional<Value>& value) {
        if (value) {
            bind(index, *value);
        } else {
            bind(index, std::nullopt);
        }
    }

    // Runs it to its end, and back to its start.
    void finish() {
        while (next()) {
        }
        reset();
    }

private:
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const;
    };

    void reset();
    void expect(int result) const;

    const Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
    StatementWatch::Clock::duration spent_{};  // SQLite's time since `start`
};

// The purpose of a transaction.
enum class Intent { write, read };

// Everything until `commit`, or nothing. A writing one takes the write lock immediately, so that
// two writers wait for each other instead of failing; a reading one sees one state of the database
// and needs no commit.
class Transaction {
public:
    explicit Transaction(const Database& database, Intent intent = Intent::write);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();  // rolls back unless committed

    void commit();

private:
    const Database& database_;
    bool open_ = true;
};

}  // namespace strata
