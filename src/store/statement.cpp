// SPDX-License-Identifier: MIT
#include "store/statement.h"

#include "base/error.h"

#include <sqlite3.h>

namespace strata {

void Statement::Finalize::operator()(sqlite3_stmt* handle) const {
    sqlite3_finalize(handle);
}

Statement::Statement(const Database& database, std::string_view sql) : database_(&database) {
    sqlite3_stmt* handle = nullptr;
    expect(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &handle,
                              nullptr));
    handle_.reset(handle);
}

bool Statement::next() {
    database_->watch().enter(spent_);
    const int result = sqlite3_step(handle());
    spent_ = database_->watch().leave();
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        database_->fail();
    }
    return result == SQLITE_ROW;
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(handle(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(handle(), column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(handle(), column);
}

std::string Statement::text(int column) const {
    const unsigned char* value = sqlite3_column_text(handle(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle(), column));
    return value == nullptr ? "" : std::string(reinterpret_cast<const char*>(value), size);
}

std::span<const std::byte> Statement::bytes(int column) const {
    const void* value = sqlite3_column_blob(handle(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle(), column));
    return {static_cast<const std::byte*>(value), value == nullptr ? 0 : size};
}

// A reset returns the error of the last step, which was already reported.
void Statement::reset() {
    sqlite3_reset(handle());
    spent_ = {};
}

void Statement::bind(int index, std::int64_t value) {
    expect(sqlite3_bind_int64(handle(), index, value));
}

void Statement::bind(int index, double value) {
    expect(sqlite3_bind_double(handle(), index, value));
}

// An empty view may be null, which SQLite would store as NULL.
void Statement::bind(int index, std::string_view value) {
    const char* text = value.empty() ? "" : value.data();
    expect(sqlite3_bind_text64(handle(), index, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int index, std::span<const std::byte> value) {
    const void* data = value.empty() ? static_cast<const void*>("") : value.data();
    expect(sqlite3_bind_blob64(handle(), index, data, value.size(), SQLITE_TRANSIENT));
}

void Statement::bind(int index, std::nullopt_t) {
    expect(sqlite3_bind_null(handle(), index));
}

void Statement::expect(int result) const {
    if (result != SQLITE_OK) {
        database_->fail();
    }
}

Transaction::Transaction(const Database& database, Intent intent) : database_(database) {
    database_.execute(intent == Intent::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

// Some failures, such as a full disk, have already rolled back.
Transaction::~Transaction() {
    if (open_ && sqlite3_get_autocommit(database_.handle()) == 0) {
        sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

}  // namespace strata
