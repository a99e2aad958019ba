// SPDX-License-Identifier: MIT
#include "store/query.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "record/run.h"
#include "store/statement.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::array<std::string_view, 6> harmless_pragmas = {
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"};

// SQLite's authorizer callback: allows only reading. It also stops what counts as read-only for a
// statement, such as ATTACH, which creates files.
int allow_reading(void*, int action, const char* first, const char*, const char*, const char*) {
    constexpr std::array reading = {SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE};
    const bool reads = std::ranges::find(reading, action) != reading.end();
    const bool describes = action == SQLITE_PRAGMA && first != nullptr &&
                           std::ranges::find(harmless_pragmas, first) != harmless_pragmas.end();
    return reads || describes ? SQLITE_OK : SQLITE_DENY;
}

// While it lives, the connection prepares only reading statements.
class OnlyReading {
public:
    explicit OnlyReading(const Database& database) : handle_(database.handle()) {
        sqlite3_set_authorizer(handle_, allow_reading, nullptr);
    }
    OnlyReading(const OnlyReading&) = delete;
    OnlyReading& operator=(const OnlyReading&) = delete;
    ~OnlyReading() { sqlite3_set_authorizer(handle_, nullptr, nullptr); }

private:
    sqlite3* handle_;
};

// While it lives, statements have these limits.
class Limited {
public:
    Limited(const Database& database, const StatementLimits& limits)
        : watch_(database.watch()), before_(watch_.limits()) {
        watch_.set(limits);
    }
    Limited(const Limited&) = delete;
    Limited& operator=(const Limited&) = delete;
    ~Limited() { watch_.set(before_); }

    void take(const Cell& cell) {
        const auto* text = std::get_if<std::string>(&cell);
        taken_ += sizeof cell + (text == nullptr ? 0 : text->size());
        if (static_cast<double>(taken_) > watch_.limits().memory.value / 4) {
            refuse_memory();
        }
    }

    // Throws the error for the exceeded limit; does nothing if none was exceeded.
    void explain_failure() const {
        if (watch_.exceeded() == StatementWatch::Limit::memory) {
            refuse_memory();
        }
        if (watch_.exceeded() == StatementWatch::Limit::time) {
            throw Error(
                fmt::format("the query takes longer than {:.4g} s: check that its joins and "
                            "recursions end, or give it more --max-time",
                            watch_.limits().time.value));
        }
    }

private:
    [[noreturn]] void refuse_memory() const {
        throw Error(
            fmt::format("the query takes more than {} of memory, or a value of it more than {}: "
                        "ask for fewer or shorter rows, or give it more --max-memory",
                        byte_size_text(watch_.limits().memory), byte_size_text(longest_value)));
    }

    StatementWatch& watch_;
    StatementLimits before_;
    std::size_t taken_ = 0;
};

[[noreturn]] void refuse(const std::string& why) {
    throw Error(why, ExitCode::usage);
}

[[noreturn]] void refuse_change() {
    refuse(
        "the query is not allowed: strata query only reads, and only tables and views; use one "
        "SELECT of them");
}

// (SQLite's own text for what the authorizer denied deep within a query.)
bool is_denied(sqlite3* handle) {
    return (sqlite3_errcode(handle) & 0xff) == SQLITE_AUTH ||
           std::string_view(sqlite3_errmsg(handle)) == "not authorized";
}

[[noreturn]] void refuse_sql(sqlite3* handle) {
    if (is_denied(handle)) {
        refuse_change();
    }
    const int at = sqlite3_error_offset(handle);
    const std::string place = at < 0 ? "" : fmt::format(" at character {}", at + 1);
    refuse(fmt::format(
        "the query has an error{}: {}; docs/data-model.md describes the tables and views", place,
        printable(sqlite3_errmsg(handle))));
}

// Throws Error if a user's SQL is not exactly one reading statement. The caller handles damage and
// locks.
void examine(const Database& database, const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code =
        sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, &rest) & 0xff;
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(statement, sqlite3_finalize);
    if (code == SQLITE_OK && statement == nullptr) {
        refuse("the query is empty: use one SELECT");
    }
    if (code == SQLITE_ERROR) {
        refuse_sql(database.handle());
    }
    if (code == SQLITE_AUTH || (code == SQLITE_OK && sqlite3_stmt_readonly(statement) == 0)) {
        refuse_change();
    }
    if (code == SQLITE_OK && !trim(rest).empty()) {
        refuse("the query has several statements: use one SELECT");
    }
}

// The SI unit implied by a column's name.
std::string unit_of(std::string_view column) {
    struct Ending {
        std::string_view text;
        const char* unit;
    };
    constexpr std::array endings = {Ending{"_s", "s"}, Ending{"bytes", "B"},
                                    Ending{"bytes_read", "B"}, Ending{"bytes_written", "B"},
                                    Ending{"flops", "FLOP"}};
    const auto* found = std::ranges::find_if(
        endings, [&](const Ending& ending) { return column.ends_with(ending.text); });
    return found == endings.end() ? "" : found->unit;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
    return fmt::format("{:02X}", fmt::join(bytes, ""));
}

// A real number keeps its point, so that it does not look like an integer.
std::string digits_of(double value) {
    const std::string digits = fmt::format("{}", value);
    return digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0" : digits;
}

Cell number_of(const Statement& row, int column, const std::string& name, Numbers numbers) {
    const double value = row.real(column);
    if (numbers == Numbers::scaled) {
        return Number{.value = value, .unit = unit_of(name)};
    }
    return sqlite3_column_type(row.handle(), column) == SQLITE_INTEGER
               ? Verbatim{fmt::format("{}", row.integer(column)), value}
               : Verbatim{digits_of(value), value};
}

Cell cell_of(const Statement& row, int column, const std::string& name, Numbers numbers) {
    switch (sqlite3_column_type(row.handle(), column)) {
        case SQLITE_NULL:
            return Missing{};
        case SQLITE_INTEGER:
        case SQLITE_FLOAT:
            return number_of(row, column, name, numbers);
        case SQLITE_BLOB:
            return hexadecimal(row.bytes(column));
        default:
            return row.text(column);
    }
}

std::vector<Column> columns_of(const Statement& statement) {
    std::vector<Column> columns;
    for (int i = 0; i < sqlite3_column_count(statement.handle()); ++i) {
        const std::string plain = sqlite3_column_name(statement.handle(), i);
        std::string name = plain;
        for (int n = 1; std::ranges::find(columns, name, &Column::key) != columns.end(); ++n) {
            name = fmt::format("{}:{}", plain, n);
        }
        columns.push_back({.key = name, .title = name});
    }
    return columns;
}

void collect(Statement& row, Table& table, Numbers numbers, Limited& limited) {
    for (row.start(); row.next();) {
        auto& cells = table.rows.emplace_back();
        for (const Column& column : table.columns) {
            cells.push_back(cell_of(row, static_cast<int>(cells.size()), column.key, numbers));
            limited.take(cells.back());
        }
    }
}

// Some errors in SQL show only when it is executed, such as a number that overflows.
void require_meaningful(const Database& database) {
    const int code = sqlite3_errcode(database.handle()) & 0xff;
    if (is_denied(database.handle())) {
        refuse_change();
    }
    if (code == SQLITE_ERROR || code == SQLITE_MISMATCH) {
        refuse(fmt::format("the query failed: {}; correct it",
                           printable(sqlite3_errmsg(database.handle()))));
    }
}

}  // namespace

Table query(const Database& database, const std::string& sql, Numbers numbers,
            const StatementLimits& limits) {
    Limited limited(database, limits);
    const OnlyReading guard(database);
    examine(database, sql);
    Statement row(database, sql);
    Table table{.title = {},
                .columns = columns_of(row),
                .rows = {},
                .totals = {},
                .notes = {},
                .records = "rows"};
    try {
        collect(row, table, numbers, limited);
    } catch (const Error&) {
        limited.explain_failure();
        require_meaningful(database);
        throw;
    }
    return table;
}

namespace {

Provenance provenance_of(const std::string& origin) {
    const auto value = value_named<Origin>(origin);
    return value == Origin::modelled   ? Provenance::modelled
           : value == Origin::imported ? Provenance::imported
                                       : Provenance::measured;
}

Number plain(const Statement& row, int column) {
    return {.value = row.real(column), .unit = {}, .low = {}, .high = {}};
}

Cell time_of(const Statement& row, int median, const std::string& origin) {
    if (row.is_null(median)) {
        return Missing{row.text(3) == "incomplete" ? "the run is incomplete" : "not measured"};
    }
    return Number{.value = row.real(median),
                  .unit = "s",
                  .low = row.real(median + 1),
                  .high = row.real(median + 2),
                  .provenance = provenance_of(origin)};
}

Cell text_or_missing(const Statement& row, int column) {
    return row.is_null(column) ? Cell(Missing{}) : Cell(row.text(column));
}

// A tuning has a choice for each pass of each problem, too many to read: only their number is
// shown.
Cell settings_of(const Statement& row, int column) {
    constexpr std::string_view begin = "choices ", mark = " (tuned)";
    if (row.is_null(column)) {
        return Missing{};
    }
    std::string text = row.text(column);
    const std::size_t first = text.find(begin), last = text.rfind(mark);
    if (first == std::string::npos || last == std::string::npos || last < first) {
        return text;
    }
    std::size_t choices = 0;
    for (std::size_t at = first; (at = text.find(mark, at)) <= last; at += mark.size()) {
        ++choices;
    }
    return text.replace(first, last + mark.size() - first,
                        fmt::format("{} choices, tuned", choices));
}

std::vector<Cell> cells_of(const Statement& row) {
    std::vector<Cell> cells = {plain(row, 0)};
    for (int text = 1; text <= 6; ++text) {
        cells.emplace_back(row.text(text));
    }
    cells.emplace_back(plain(row, 7));
    cells.emplace_back(row.text(8));
    // (0: unknown, in an imported run.)
    cells.emplace_back(row.integer(9) == 0 ? Cell(Missing{}) : Cell(plain(row, 9)));
    cells.emplace_back(settings_of(row, 10));
    cells.emplace_back(time_of(row, 11, row.text(2)));
    cells.emplace_back(plain(row, 14));
    cells.emplace_back(text_or_missing(row, 15));
    cells.emplace_back(text_or_missing(row, 16));
    return cells;
}

std::string note_on_older(const Database& database, std::size_t shown) {
    Statement count(database, "SELECT count(*) FROM run");
    count.start().next();
    return fmt::format("These are the newest {} of {} runs; --csv and --json list all of them.",
                       shown, count.integer(0));
}

}  // namespace

Table list_runs(const Database& database, std::size_t most) {
    Table table{.title = "runs",
                .columns = {{"run", "run", Importance::essential},
                            {.key = "created", .title = "created", .order = Order::newest_first},
                            {"origin", "origin", Importance::detail},
                            {"state", "state", Importance::detail},
                            {"backend", "backend", Importance::detail},
                            {"network", "network", Importance::essential},
                            {"mode", "mode"},
                            {"batch", "batch", Importance::essential},
                            {"dtype", "dtype"},
                            {"threads", "threads", Importance::detail},
                            {"other_settings", "other settings", Importance::normal},
                            {"end_to_end_s", "end to end", Importance::essential, Audience::all,
                             Bounds::interval},
                            {"doubts", "doubts", Importance::detail},
                            {"tags", "tags", Importance::normal},
                            {"note", "note", Importance::detail}},
                .rows = {},
                .totals = {},
                .notes = {},
                .records = "runs"};
    Statement row(database,
                  "SELECT run, created, origin, state, backend, network, mode, batch, dtype, "
                  "threads, other_settings, end_to_end_s, end_to_end_low_s, end_to_end_high_s, "
                  "doubts, tags, note "
                  "FROM run_summary ORDER BY run DESC");
    for (row.start(); row.next();) {
        if (table.rows.size() == most) {
            table.notes.push_back(note_on_older(database, most));
            break;
        }
        table.rows.push_back(cells_of(row));
    }
    return table;
}

}  // namespace strata
