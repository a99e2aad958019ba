// SPDX-License-Identifier: MIT
#include "store/table.h"

#include "store/tables.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace strata {
namespace {

// A column as text: its type, whether it may be NULL, whether it is a shared text.
std::string told(std::string_view type, bool is_optional, bool is_shared) {
    return fmt::format("{}{}{}", type, is_optional ? ", may be NULL" : "",
                       is_shared ? ", a text" : "");
}

std::map<std::string, std::string> listed_columns(const TableLayout& table) {
    std::map<std::string, std::string> columns;
    for (const auto& part : table.parts) {
        for (const ColumnLayout& column : part) {
            const std::string name(column.name);
            EXPECT_FALSE(columns.contains(name)) << table.name << "." << name << " twice";
            columns[name] = told(column.type, column.is_optional, column.is_shared);
        }
    }
    return columns;
}

std::map<std::string, std::string> columns_of_schema(const Database& database,
                                                     const std::string& table) {
    std::map<std::string, std::string> columns;
    Statement find(
        database,
        "SELECT name, type, \"notnull\", (type = 'INTEGER' AND pk = 1 AND "
        "(SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0) = 1 AND name = 'id'), "
        "EXISTS (SELECT 1 FROM pragma_foreign_key_list(?1) AS key WHERE "
        "key.\"from\" = name AND key.\"table\" = 'text'), pk "
        "FROM pragma_table_info(?1)");
    for (find.start(table); find.next();) {
        const bool is_key = find.integer(5) > 0;
        const bool chosen_by_sqlite = find.integer(3) != 0;
        const bool is_optional = chosen_by_sqlite || (!is_key && find.integer(2) == 0);
        columns[find.text(0)] = told(find.text(1), is_optional, find.integer(4) != 0);
    }
    return columns;
}

// Columns whose list and schema differ in whether they may be NULL: the series of an infeed is
// never empty, and a trial without a ratio may lack its times.
const std::set<std::string> excused = {"infeed_time.median_ns", "infeed_time.low_ns",
                                       "infeed_time.high_ns",   "infeed_time.sample_values",
                                       "tuning_trial.usual_ns", "tuning_trial.own_ns"};

std::string without_null(std::string text) {
    const auto at = text.find(", may be NULL");
    return at == text.npos ? text : text.erase(at, std::string(", may be NULL").size());
}

TEST(StoredTables, TheListsAndTheSchemaAgree) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    std::set<std::string> listed = {"text", "device"};  // one value each, without a struct
    for (const TableLayout& table : stored_tables()) {
        const std::string name(table.name);
        EXPECT_TRUE(listed.insert(name).second) << name << " is listed twice";
        auto ours = listed_columns(table);
        auto schema = columns_of_schema(database, name);
        for (const std::string& column : excused) {
            if (column.starts_with(name + ".")) {
                const std::string key = column.substr(name.size() + 1);
                EXPECT_NE(ours[key], schema[key]) << column << " needs no excuse";
                ours[key] = without_null(ours[key]);
                schema[key] = without_null(schema[key]);
            }
        }
        EXPECT_EQ(ours, schema) << name;
    }
    std::set<std::string> in_schema;
    Statement tables(database,
                     "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE "
                     "'sqlite_%'");
    for (tables.start(); tables.next();) {
        in_schema.insert(tables.text(0));
    }
    EXPECT_EQ(listed, in_schema);
}

struct Wheel {
    double size = 0;
    std::string tyre = {};
};
struct Cart {
    std::string name = {};
    std::optional<Wheel> wheel = {};
    std::optional<Seconds> age = {};
    std::vector<Seconds> trips = {};
};
struct CartKey {
    std::int64_t id = 0;
};
constexpr auto cart_table = table(
    "cart", KeyConflict::replace, part(column("id", &CartKey::id)),
    part(column("name", &Cart::name),
         group(&Cart::wheel, column("size", &Wheel::size), column("tyre", &Wheel::tyre, shared)),
         column("age_ns", &Cart::age), column("trips", &Cart::trips)));

TEST(StoredTables, ARowReadsAsItWasWritten) {
    constexpr Schema schema{
        .application_id = 77,
        .version = 1,
        .tables =
            "CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE) STRICT;"
            "CREATE TABLE cart (id INTEGER PRIMARY KEY, tyre INTEGER, trips BLOB, name TEXT, "
            "age_ns INTEGER, size REAL) STRICT",
        .views = {}};
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "carts.sqlite", schema);
    {
        TableWriter writer(database);
        writer.add<cart_table>(CartKey{1}, Cart{"red", Wheel{0.7, "rubber"}, Seconds{3}, {{0.1}}});
        writer.add<cart_table>(CartKey{2}, Cart{"blue", Wheel{0.8, "rubber"}, {}, {}});
        writer.add<cart_table>(CartKey{3}, Cart{"old", Wheel{1, "iron"}, Seconds{9}, {}});
        writer.add<cart_table>(CartKey{3}, Cart{"bare", {}, Seconds{4}, {}});
        EXPECT_TRUE(
            (writer.update<cart_table>(CartKey{2}, Cart{"green", Wheel{2, "wood"}, {}, {}})));
        EXPECT_FALSE((writer.update<cart_table>(CartKey{4}, Cart{})));
    }
    const auto rows = rows_of<cart_table>(database, "WHERE id < ? ORDER BY id DESC", 4);
    ASSERT_EQ(rows.size(), 3U);
    const auto& [bare_key, bare] = rows[0];
    EXPECT_EQ(bare_key.id, 3);
    EXPECT_EQ(bare.name, "bare");
    EXPECT_FALSE(bare.wheel.has_value());
    EXPECT_EQ(bare.age, Seconds{4});
    const auto& [green_key, green] = rows[1];
    EXPECT_EQ(green.name, "green");
    EXPECT_EQ(green.wheel->tyre, "wood");
    EXPECT_FALSE(green.age.has_value()) << "unknown, not 0";
    const auto& [red_key, red] = rows[2];
    EXPECT_EQ(red.wheel->size, 0.7);
    EXPECT_EQ(red.trips, std::vector<Seconds>{{0.1}});
    Statement texts(database, "SELECT count(*) FROM text WHERE value = 'rubber'");
    texts.start().next();
    EXPECT_EQ(texts.integer(0), 1);
}

}  // namespace
}  // namespace strata
