// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "op/work.h"
#include "store/statement.h"
#include "store/stored_values.h"
#include "trace/trace.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strata {

// A table of the database as lists of the members of plain structs. The statements that insert,
// update and select its rows follow from them, in one order, so no value can reach another's
// column. store/tables.h has the lists; a test compares them with schema.sql.

// How a column keeps a value whose type does not say it all.
struct ColumnForm {
    bool is_shared = false;  // a text that many rows repeat: the id of its row in `text`
    bool empty_is_null = false;
    bool is_count = false;  // a double that counts: an integer
};
inline constexpr ColumnForm shared{.is_shared = true};
inline constexpr ColumnForm null_if_empty{.empty_is_null = true};
inline constexpr ColumnForm shared_or_null{.is_shared = true, .empty_is_null = true};
inline constexpr ColumnForm counted{.is_count = true};

template <class Owner, class Value>
struct StoredColumn {
    std::string_view name;
    Value Owner::*member;
    ColumnForm form = {};
};

// The columns of a struct within another. They are NULL together if it is absent.
template <class Owner, class Inner, class... Columns>
struct StoredGroup {
    Inner Owner::*member;
    std::tuple<Columns...> columns;
};

// The columns of one struct. A row of a table consists of several: its key, its content.
template <class Struct, class... Columns>
struct StoredPart {
    using Owner = Struct;
    std::tuple<Columns...> columns;
};

// The fate of a row whose key is already there.
enum class KeyConflict { refuse, replace, keep };

// The first part identifies a row.
template <class... Parts>
struct StoredTable {
    using Row = std::tuple<typename Parts::Owner...>;
    std::string_view name;
    KeyConflict conflict = KeyConflict::refuse;
    std::tuple<Parts...> parts;
};

template <class Owner, class Value>
constexpr auto column(std::string_view name, Value Owner::*member, ColumnForm form = {}) {
    return StoredColumn<Owner, Value>{name, member, form};
}

template <class Owner, class Inner, class... Columns>
constexpr auto group(Inner Owner::*member, Columns... columns) {
    return StoredGroup<Owner, Inner, Columns...>{member, {columns...}};
}

template <class Owner, class Value, class... Columns>
constexpr auto part(StoredColumn<Owner, Value> first, Columns... columns) {
    return StoredPart<Owner, StoredColumn<Owner, Value>, Columns...>{{first, columns...}};
}

template <class Owner, class Inner, class... Inners, class... Columns>
constexpr auto part(StoredGroup<Owner, Inner, Inners...> first, Columns... columns) {
    return StoredPart<Owner, StoredGroup<Owner, Inner, Inners...>, Columns...>{{first, columns...}};
}

template <class... Parts>
constexpr auto table(std::string_view name, Parts... parts) {
    return StoredTable<Parts...>{.name = name, .parts = {parts...}};
}

template <class... Parts>
constexpr auto table(std::string_view name, KeyConflict conflict, Parts... parts) {
    return StoredTable<Parts...>{name, conflict, {parts...}};
}

// What the schema should say of a column.
struct ColumnLayout {
    std::string_view name;
    std::string_view type;  // INTEGER, REAL, TEXT, BLOB
    bool is_optional = false;
    bool is_shared = false;

    bool operator==(const ColumnLayout&) const = default;
};

struct TableLayout {
    std::string_view name;
    KeyConflict conflict = KeyConflict::refuse;
    std::vector<std::vector<ColumnLayout>> parts;
};

std::string insert_sql(const TableLayout& table);
// Sets the columns of one part in the row with a key.
std::string update_sql(const TableLayout& table, std::size_t part);
// All columns, each shared text by its value; `condition` follows.
std::string select_sql(const TableLayout& table, std::string_view condition);
std::string delete_sql(const TableLayout& table);

namespace columns {

template <class Value>
struct IsOptional : std::false_type {};
template <class Value>
struct IsOptional<std::optional<Value>> : std::true_type {
    using Inner = Value;
};

template <class Value>
concept Named = NamedEnumeration<Value> || std::same_as<Value, Pass>;

template <class Value>
constexpr std::string_view type_of(ColumnForm form) {
    if constexpr (IsOptional<Value>::value) {
        return type_of<typename IsOptional<Value>::Inner>(form);
    } else if constexpr (Named<Value> || std::same_as<Value, std::string>) {
        return form.is_shared ? "INTEGER" : "TEXT";
    } else if constexpr (std::same_as<Value, double>) {
        return form.is_count ? "INTEGER" : "REAL";
    } else if constexpr (std::same_as<Value, std::vector<Seconds>> ||
                         std::same_as<Value, std::vector<std::byte>>) {
        return "BLOB";
    } else {
        return "INTEGER";
    }
}

template <class Value>
Value read_value(const Statement& row, int at) {
    if constexpr (IsOptional<Value>::value) {
        return row.is_null(at) ? Value{}
                               : Value(read_value<typename IsOptional<Value>::Inner>(row, at));
    } else if constexpr (std::same_as<Value, Pass>) {
        return parse_pass(row.text(at));
    } else if constexpr (NamedEnumeration<Value>) {
        return parse_stored<Value>(row.text(at));
    } else if constexpr (std::same_as<Value, std::string>) {
        return row.text(at);
    } else if constexpr (std::same_as<Value, Seconds>) {
        return {1e-9 * static_cast<double>(row.integer(at))};
    } else if constexpr (std::same_as<Value, Nanoseconds>) {
        return Nanoseconds(row.integer(at));
    } else if constexpr (std::same_as<Value, Bytes> || std::same_as<Value, Flops>) {
        return {row.real(at)};
    } else if constexpr (std::same_as<Value, double>) {
        return row.real(at);
    } else if constexpr (std::same_as<Value, std::vector<Seconds>>) {
        return unpack(row.bytes(at));
    } else if constexpr (std::same_as<Value, std::vector<std::byte>>) {
        const auto bytes = row.bytes(at);
        return {bytes.begin(), bytes.end()};
    } else {
        static_assert(std::integral<Value>);
        return static_cast<Value>(row.integer(at));
    }
}

template <class Value>
void bind_value(Statement& to, int at, const Value& value, ColumnForm form, TextTable& texts) {
    if constexpr (IsOptional<Value>::value) {
        value ? bind_value(to, at, *value, form, texts) : to.bind(at, std::nullopt);
    } else if constexpr (Named<Value>) {
        to.bind(at, name_of(value));
    } else if constexpr (std::same_as<Value, std::string>) {
        if (form.empty_is_null && value.empty()) {
            to.bind(at, std::nullopt);
        } else if (form.is_shared) {
            to.bind(at, texts.id_of(value));
        } else {
            to.bind(at, value);
        }
    } else if constexpr (std::same_as<Value, Seconds>) {
        to.bind(at, nanoseconds(value));
    } else if constexpr (std::same_as<Value, Nanoseconds>) {
        to.bind(at, std::int64_t{value.count()});
    } else if constexpr (std::same_as<Value, Bytes> || std::same_as<Value, Flops>) {
        to.bind(at, whole_count(value.value));
    } else if constexpr (std::same_as<Value, double>) {
        form.is_count ? to.bind(at, whole_count(value)) : to.bind(at, value);
    } else if constexpr (std::same_as<Value, std::vector<Seconds>>) {
        to.bind(at, std::span<const std::byte>(pack(value)));
    } else if constexpr (std::same_as<Value, std::vector<std::byte>>) {
        to.bind(at, std::span<const std::byte>(value));
    } else {
        static_assert(std::integral<Value>);
        to.bind(at, static_cast<std::int64_t>(value));
    }
}

// Applies `f` to every column of a list.
template <class Columns, class F>
constexpr void for_each_column(const Columns& columns, F&& f) {
    std::apply([&](const auto&... one) { (f(one), ...); }, columns);
}

template <class Owner, class Value>
void lay_out(const StoredColumn<Owner, Value>& column, bool in_optional,
             std::vector<ColumnLayout>& layout) {
    const bool is_optional = in_optional || IsOptional<Value>::value || column.form.empty_is_null;
    layout.push_back(
        {column.name, type_of<Value>(column.form), is_optional, column.form.is_shared});
}

template <class Owner, class Inner, class... Columns>
void lay_out(const StoredGroup<Owner, Inner, Columns...>& group, bool in_optional,
             std::vector<ColumnLayout>& layout) {
    for_each_column(group.columns, [&](const auto& one) {
        lay_out(one, in_optional || IsOptional<Inner>::value, layout);
    });
}

template <class Owner, class Value>
void bind_column(const StoredColumn<Owner, Value>& column, Statement& to, int& at,
                 const Owner* owner, TextTable& texts) {
    ++at;
    owner == nullptr ? to.bind(at, std::nullopt)
                     : bind_value(to, at, owner->*column.member, column.form, texts);
}

template <class Owner, class Inner, class... Columns>
void bind_column(const StoredGroup<Owner, Inner, Columns...>& group, Statement& to, int& at,
                 const Owner* owner, TextTable& texts) {
    const auto* inner = [&] {
        if constexpr (IsOptional<Inner>::value) {
            return owner != nullptr && owner->*group.member ? &*(owner->*group.member) : nullptr;
        } else {
            return owner == nullptr ? nullptr : &(owner->*group.member);
        }
    }();
    for_each_column(group.columns,
                    [&](const auto& one) { bind_column(one, to, at, inner, texts); });
}

template <class Owner, class Value>
void read_column(const StoredColumn<Owner, Value>& column, const Statement& row, int& at,
                 Owner* owner) {
    if (owner != nullptr) {
        owner->*column.member = read_value<Value>(row, at);
    }
    ++at;
}

template <class Owner, class Inner, class... Columns>
void read_column(const StoredGroup<Owner, Inner, Columns...>& group, const Statement& row, int& at,
                 Owner* owner) {
    auto* inner = [&] {
        if constexpr (IsOptional<Inner>::value) {
            return owner != nullptr && !row.is_null(at) ? &(owner->*group.member).emplace()
                                                        : nullptr;
        } else {
            return owner == nullptr ? nullptr : &(owner->*group.member);
        }
    }();
    for_each_column(group.columns, [&](const auto& one) { read_column(one, row, at, inner); });
}

// The place of a struct among a table's parts.
template <class Owner, class... Owners>
constexpr std::size_t place_of(const std::tuple<Owners...>*) {
    std::size_t place = 0;
    bool is_found = false;
    ((is_found = is_found || std::same_as<Owner, Owners>, place += is_found ? 0 : 1), ...);
    return place;
}

}  // namespace columns

template <class... Parts>
TableLayout layout_of(const StoredTable<Parts...>& table) {
    TableLayout layout{table.name, table.conflict, {}};
    columns::for_each_column(table.parts, [&](const auto& part) {
        auto& columns = layout.parts.emplace_back();
        columns::for_each_column(part.columns,
                                 [&](const auto& one) { columns::lay_out(one, false, columns); });
    });
    return layout;
}

// Writes rows with statements prepared once. Use one per transaction, like its texts.
class TableWriter {
public:
    explicit TableWriter(const Database& database) : database_(&database), texts_(database) {}

    // Inserts a row: one value for each part.
    template <const auto& table, class... Owners>
    void add(const Owners&... owners) {
        static const std::string sql = insert_sql(layout_of(table));
        Statement& insert = prepared(sql);
        int at = 0;
        bind_parts<table>(insert, at, owners...);
        insert.finish();
    }

    // Sets the columns of one part in the row of this key. Returns whether there is one.
    template <const auto& table, class Key, class Owner>
    bool update(const Key& key, const Owner& owner) {
        using Row = typename std::remove_cvref_t<decltype(table)>::Row;
        constexpr std::size_t place = columns::place_of<Owner>(static_cast<Row*>(nullptr));
        static const std::string sql = update_sql(layout_of(table), place);
        Statement& update = prepared(sql);
        int at = 0;
        bind_part(std::get<place>(table.parts), update, at, owner);
        bind_part(std::get<0>(table.parts), update, at, key);
        update.finish();
        return database_->changed_rows() > 0;
    }

    // Deletes the rows whose first column is this: those of a run.
    template <const auto& table>
    void remove(std::int64_t owner) {
        static const std::string sql = delete_sql(layout_of(table));
        prepared(sql).run(owner);
    }

    const Database& database() const { return *database_; }
    TextTable& texts() { return texts_; }

private:
    template <const auto& table, class... Owners>
    void bind_parts(Statement& to, int& at, const Owners&... owners) {
        std::apply([&](const auto&... parts) { (bind_part(parts, to, at, owners), ...); },
                   table.parts);
    }

    template <class Part>
    void bind_part(const Part& part, Statement& to, int& at, const typename Part::Owner& owner) {
        columns::for_each_column(part.columns, [&](const auto& one) {
            columns::bind_column(one, to, at, &owner, texts_);
        });
    }

    // (Each text is static, so its address identifies it.)
    Statement& prepared(const std::string& sql) {
        return statements_.try_emplace(&sql, *database_, sql).first->second;
    }

    const Database* database_;
    TextTable texts_;
    std::unordered_map<const std::string*, Statement> statements_;
};

// The rows of a table that satisfy a condition:
//
//   RowReader<step_table> rows(database, "WHERE run = ? ORDER BY position");
//   for (rows.start(run); rows.next();) { auto [key, step, time] = rows.row(); }
template <const auto& table>
class RowReader {
public:
    using Row = typename std::remove_cvref_t<decltype(table)>::Row;

    RowReader(const Database& database, std::string_view condition)
        : select_(database, select_sql(layout_of(table), condition)) {}

    template <class... Values>
    RowReader& start(const Values&... values) {
        select_.start(values...);
        return *this;
    }

    bool next() { return select_.next(); }

    Row row() const {
        Row row;
        int at = 0;
        std::apply(
            [&](auto&... owners) {
                std::apply([&](const auto&... parts) { (read_part(parts, at, owners), ...); },
                           table.parts);
            },
            row);
        return row;
    }

private:
    template <class Part>
    void read_part(const Part& part, int& at, typename Part::Owner& owner) const {
        columns::for_each_column(
            part.columns, [&](const auto& one) { columns::read_column(one, select_, at, &owner); });
    }

    Statement select_;
};

// All rows that satisfy a condition.
template <const auto& table, class... Values>
auto rows_of(const Database& database, std::string_view condition, const Values&... values) {
    std::vector<typename RowReader<table>::Row> rows;
    RowReader<table> reader(database, condition);
    for (reader.start(values...); reader.next();) {
        rows.push_back(reader.row());
    }
    return rows;
}

// The first of them.
template <const auto& table, class... Values>
auto row_of(const Database& database, std::string_view condition, const Values&... values) {
    RowReader<table> reader(database, condition);
    return reader.start(values...).next() ? std::optional(reader.row()) : std::nullopt;
}

// The rows of one run, in the order of their keys.
template <const auto& table>
auto rows_of_run(const Database& database, std::int64_t run) {
    return rows_of<table>(database, "WHERE run = ? ORDER BY 1, 2", run);
}

}  // namespace strata
