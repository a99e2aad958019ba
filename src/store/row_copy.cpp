// SPDX-License-Identifier: MIT
#include "store/row_copy.h"

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>

namespace strata {

namespace {

// What runs have besides their own row and their whole times; steps before what refers to them.
constexpr std::array<const char*, 12> tables_of_runs = {
    "setting",      "provenance", "run_work",    "step", "flag",   "step_metric",
    "verification", "step_check", "layer_alias", "note", "infeed", "infeed_time"};

}  // namespace

RowCopy::RowCopy(const Database& into, const Database& from)
    : into_(into),
      from_(from),
      texts_(into),
      find_text_(from, "SELECT value FROM text WHERE id = ?"),
      find_device_(from, "SELECT toml FROM device WHERE id = ?"),
      run_(open("run", "WHERE id = ?")),
      whole_(open("whole", "WHERE run = ?")) {}

// The columns are those of our own schema; the other database has the same, maybe in another order.
RowCopy::Table RowCopy::open(const std::string& table, const std::string& condition) const {
    Statement find(into_,
                   "SELECT name, coalesce((SELECT \"table\" FROM pragma_foreign_key_list(?1) "
                   "WHERE \"from\" = name), '') FROM pragma_table_info(?1) ORDER BY cid");
    std::vector<Role> roles;
    std::vector<std::string> names, marks;
    for (find.start(table); find.next();) {
        const std::string name = find.text(0), referred = find.text(1);
        if (table == "run" && (name == "id" || referred == "plan" || name == "place")) {
            continue;
        }
        roles.push_back(name == "run"          ? Role::run
                        : referred == "text"   ? Role::text
                        : referred == "device" ? Role::device
                                               : Role::value);
        names.push_back(name);
        marks.emplace_back("?");
    }
    const std::string columns = join(names, ", ");
    return {.roles = std::move(roles),
            .read = {from_, fmt::format("SELECT {} FROM {} {}", columns, table, condition)},
            .write = {into_, fmt::format("INSERT {}INTO {} ({}) VALUES ({})",
                                         table == "tag" ? "OR IGNORE " : "", table, columns,
                                         join(marks, ", "))}};
}

// Its row that is being read. One of a run that was not added is left out.
void RowCopy::copy_row(Table& table) {
    table.write.start();
    for (std::size_t i = 0; i < table.roles.size(); ++i) {
        const int column = static_cast<int>(i);
        sqlite3_stmt* write = table.write.handle();
        if (table.roles[i] == Role::value || table.read.is_null(column)) {
            sqlite3_bind_value(write, column + 1,
                               sqlite3_column_value(table.read.handle(), column));
            continue;
        }
        const std::int64_t theirs = table.read.integer(column);
        if (table.roles[i] == Role::run && !runs_.contains(theirs)) {
            return;
        }
        sqlite3_bind_int64(write, column + 1, translated(table.roles[i], theirs));
    }
    table.write.next();
    table.write.start();  // one in progress would keep the transaction from ending
}

std::int64_t RowCopy::translated(Role role, std::int64_t id) {
    return role == Role::run ? runs_.at(id) : role == Role::text ? text_of(id) : device_of(id);
}

std::int64_t RowCopy::text_of(std::int64_t id) {
    const auto [entry, is_new] = text_ids_.try_emplace(id);
    if (is_new) {
        if (!find_text_.start(id).next()) {
            throw Error(
                fmt::format("database {} is damaged (a text is missing); nothing of it was "
                            "merged: copy it again",
                            printable(from_.file().string(), 1000)));
        }
        entry->second = texts_.id_of(find_text_.text(0));
    }
    return entry->second;
}

std::int64_t RowCopy::device_of(std::int64_t id) {
    const auto [entry, is_new] = device_ids_.try_emplace(id);
    if (is_new) {
        find_device_.start(id).next();
        const std::string origin = fmt::format("ceilings in {}", from_.file().string());
        const std::string toml = to_toml(parse_device(find_device_.text(0), origin));
        Statement(into_, "INSERT INTO device (toml) VALUES (?) ON CONFLICT DO NOTHING").run(toml);
        Statement find(into_, "SELECT id FROM device WHERE toml = ?");
        find.start(toml).next();
        entry->second = find.integer(0);
    }
    return entry->second;
}

std::int64_t RowCopy::add_run(std::int64_t run) {
    check(run_.read.start(run).next(), "the run is there");
    copy_row(run_);
    const std::int64_t ours = into_.last_inserted_id();
    runs_[run] = ours;
    for (whole_.read.start(run); whole_.read.next();) {
        copy_row(whole_);
    }
    return ours;
}

void RowCopy::add_rest() {
    if (runs_.empty()) {
        return;
    }
    for (const char* name : tables_of_runs) {
        Table table = open(name, "ORDER BY run");
        for (table.read.start(); table.read.next();) {
            copy_row(table);
        }
    }
    Table tags = open("tag", "");
    for (tags.read.start(); tags.read.next();) {
        copy_row(tags);
    }
}

}  // namespace strata
