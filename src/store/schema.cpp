// SPDX-License-Identifier: MIT
#include "store/schema.h"

#include "base/error.h"
#include "base/text.h"
#include "store/statement.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strata {

namespace {

std::int64_t number(const Database& database, std::string_view sql) {
    Statement statement(database, sql);
    statement.start().next();
    return statement.integer(0);
}

// A statement in pieces, independent of comments and line breaks.
struct Definition {
    std::string head;                  // CREATE TABLE run
    std::vector<std::string> clauses;  // the text between the outer parentheses
    std::string tail;                  // STRICT, WITHOUT ROWID

    bool operator==(const Definition&) const = default;
};

// Splits a CREATE statement. Quoted text stays unchanged; SQL that quotes names differs from ours
// anyway.
class Splitter {
public:
    Definition split(std::string_view sql) {
        for (std::size_t at = 0; at < sql.size(); ++at) {
            if (!quoted_ && sql.substr(at, 2) == "--") {
                at = std::min(sql.find('\n', at), sql.size());
                add(' ');
            } else {
                take(sql[at]);
            }
        }
        definition_.tail = trim(part_);
        return definition_;
    }

private:
    void take(char c) {
        quoted_ = quoted_ != (c == '\'');
        if (quoted_ || c == '\'') {
            part_ += c;
            return;
        }
        if (c == '(' && ++depth_ == 1 && definition_.head.empty()) {
            definition_.head = ended_part();
        } else if (depth_ == 1 && (c == ',' || c == ')')) {
            definition_.clauses.push_back(ended_part());
            depth_ -= c == ')' ? 1 : 0;
        } else {
            depth_ -= c == ')' ? 1 : 0;
            add(c);
        }
    }

    void add(char c) {
        const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!blank) {
            part_ += c;
        } else if (!part_.empty() && part_.back() != ' ') {
            part_ += ' ';
        }
    }

    std::string ended_part() { return std::string(trim(std::exchange(part_, {}))); }

    Definition definition_;
    std::string part_;
    int depth_ = 0;
    bool quoted_ = false;
};

// (A column added to a table comes after the others.)
Definition definition_of(std::string_view type, std::string_view sql) {
    Definition definition = Splitter().split(sql);
    if (type == "table") {
        std::ranges::sort(definition.clauses);
    }
    return definition;
}

struct Object {
    std::string type;  // table, index, view or trigger
    std::string name;
    std::string sql;

    static constexpr auto all = "SELECT type, name, coalesce(sql, '') FROM sqlite_master";
};

// The objects that SQL creates.
std::map<std::string, Object> objects_of(std::string_view sql) {
    sqlite3* handle = nullptr;
    const int opened = sqlite3_open(":memory:", &handle);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> guard(handle, sqlite3_close);
    std::map<std::string, Object> objects;
    const auto note = [](void* all, int, char** cells, char**) {
        static_cast<std::map<std::string, Object>*>(all)->emplace(
            cells[1], Object{cells[0], cells[1], cells[2]});
        return 0;
    };
    check(opened == SQLITE_OK &&
              sqlite3_exec(handle, std::string(sql).c_str(), nullptr, nullptr, nullptr) ==
                  SQLITE_OK &&
              sqlite3_exec(handle, Object::all, note, &objects, nullptr) == SQLITE_OK,
          "the schema's SQL is valid");
    return objects;
}

// SQLite's own objects: indices of unique columns, the table of AUTOINCREMENT, statistics of
// ANALYZE.
bool belongs_to_sqlite(const Object& object) {
    constexpr std::array tables = {"CREATE TABLE sqlite_sequence(name,seq)",
                                   "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
                                   "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"};
    const bool is_index = object.type == "index" && object.sql.empty();
    return object.name.starts_with("sqlite_") &&
           (is_index || std::ranges::find(tables, object.sql) != tables.end());
}

// The columns that a file of a version lacks.
std::vector<AddedColumn> lacking(const Schema& schema, std::int64_t version) {
    std::vector<AddedColumn> columns;
    std::ranges::copy_if(schema.added, std::back_inserter(columns),
                         [&](const AddedColumn& one) { return one.version > version; });
    return columns;
}

// The statement of an object of ours in a file that lacks columns.
Definition definition_in(const std::vector<AddedColumn>& lacking, const Object& object) {
    Definition definition = definition_of(object.type, object.sql);
    for (const AddedColumn& column : lacking) {
        if (object.name == column.table) {
            std::erase(definition.clauses, column.definition);
        }
    }
    return definition;
}

[[noreturn]] void refuse(const Database& database, const std::string& why) {
    throw Error(fmt::format("database {} {}", printable(database.file().string(), 1000), why));
}

void require_objects(const Database& database, const Schema& schema) {
    auto missing = objects_of(schema.tables);
    std::erase_if(missing, [](const auto& entry) { return belongs_to_sqlite(entry.second); });
    const auto newer = lacking(schema, schema_version(database));
    Statement found(database, Object::all);
    for (found.start(); found.next();) {
        const Object object{found.text(0), found.text(1), found.text(2)};
        const auto ours = missing.find(object.name);
        const bool is_ours =
            ours != missing.end() && ours->second.type == object.type &&
            definition_of(object.type, object.sql) == definition_in(newer, ours->second);
        if (is_ours) {
            missing.erase(ours);
        } else if (!belongs_to_sqlite(object) && (object.type != "view" || ours != missing.end())) {
            refuse(database,
                   fmt::format("has {} {} {} that strata did not make, so nothing of it was read; "
                               "choose another with --database",
                               object.type == "index" ? "an" : "a", printable(object.type),
                               printable(object.name)));
        }
    }
    if (!missing.empty()) {
        refuse(database, fmt::format("lacks the {} {}, so nothing of it was read; choose another "
                                     "with --database",
                                     missing.begin()->second.type, missing.begin()->first));
    }
}

std::int64_t oldest_version(const Schema& schema) {
    std::int64_t oldest = schema.version;
    for (const AddedColumn& column : schema.added) {
        oldest = std::min(oldest, column.version - 1);
    }
    return oldest;
}

void require_version(const Database& database, const Schema& schema) {
    const std::int64_t version = schema_version(database);
    if (version > schema.version) {
        refuse(
            database,
            fmt::format("has version {}, but this strata supports only version {}; update strata "
                        "or choose another with --database",
                        version, schema.version));
    }
    if (version < oldest_version(schema)) {
        refuse(database, fmt::format("has version {}, from before the first release, but this "
                                     "strata supports only version {}; it was left unchanged: "
                                     "choose another with --database",
                                     version, schema.version));
    }
}

// The value of an added column for the old rows of a database.
std::string value_in(const AddedColumn& column, std::string_view from) {
    std::string value(column.value);
    for (auto at = value.find("{}"); at != value.npos; at = value.find("{}")) {
        value.replace(at, 2, from);
    }
    return value;
}

// Brings an older file to this version.
void add_columns(const Database& database, const Schema& schema) {
    if (schema_version(database) == schema.version) {
        return;
    }
    Transaction transaction(database);
    // (Another process may have added them first.)
    for (const AddedColumn& column : lacking(schema, schema_version(database))) {
        database.execute(
            fmt::format("ALTER TABLE {} ADD COLUMN {}", column.table, column.definition));
        database.execute(fmt::format("UPDATE {} AS row SET {} = {}", column.table, column.name,
                                     value_in(column, "main")));
    }
    database.execute(fmt::format("PRAGMA user_version = {}", schema.version));
    transaction.commit();
}

// A view's statement without its leading comment, as SQLite keeps it.
std::string_view statement_of(std::string_view view) {
    const auto start = view.find("CREATE VIEW");
    check(start != std::string_view::npos, "a view's file contains a CREATE VIEW");
    return trim(view.substr(start));
}

std::string name_of_view(std::string_view statement) {
    return std::string(split(statement, ' ').at(2));
}

std::vector<std::string_view> views_that_differ(const Database& database, const Schema& schema) {
    std::vector<std::string_view> views;
    Statement stored(database, "SELECT 1 FROM sqlite_master WHERE type = 'view' AND sql = ?");
    for (const std::string_view file : schema.views) {
        if (!stored.start(statement_of(file)).next()) {
            views.push_back(statement_of(file));
        }
    }
    return views;
}

// The statements of files that follow each other, each with a comment before it.
std::vector<std::string_view> views_in(std::string_view files) {
    std::vector<std::string_view> views;
    for (auto at = files.find("CREATE VIEW"); at != files.npos;) {
        const auto next = std::min(files.find("-- SPDX", at), files.size());
        views.push_back(trim(files.substr(at, next - at)));
        at = files.find("CREATE VIEW", next);
    }
    return views;
}

// A column of the interval of a modelled time. Files before version 17 have none: whatever
// predicted their times is not known any more.
constexpr AddedColumn added_interval(std::string_view table, std::string_view name,
                                     std::string_view definition) {
    return {.version = 17, .table = table, .name = name, .definition = definition, .value = "NULL"};
}

}  // namespace

const Schema& strata_schema() {
    static const std::vector<std::string_view> views = views_in(schema_views);
    static constexpr std::array added = {
        AddedColumn{.version = 15,
                    .table = "step",
                    .name = "implementation_kind",
                    .definition = "implementation_kind TEXT NOT NULL DEFAULT 'unknown'",
                    // By the names that engines gave their code until then.
                    .value = "(SELECT CASE WHEN value = 'alias' THEN 'alias' "
                             "WHEN value = '' OR EXISTS (SELECT 1 FROM {}.run WHERE run.id = "
                             "row.run AND run.origin = 'modelled') THEN 'unknown' "
                             "WHEN value = 'loops' OR value GLOB 'strata:*' THEN 'own' "
                             "WHEN value = 'ref' OR value GLOB '*ref:*' THEN 'library-reference' "
                             "ELSE 'library' END FROM {}.text WHERE text.id = row.implementation)"},
        AddedColumn{.version = 15,
                    .table = "run",
                    .name = "ran_on",
                    .definition = "ran_on TEXT",
                    .value =
                        "CASE WHEN EXISTS (SELECT 1 FROM {}.provenance JOIN {}.text ON text.id "
                        "= provenance.name WHERE provenance.run = row.id AND text.value = "
                        "'gpu.name') THEN 'gpu' END"},
        AddedColumn{.version = 16,
                    .table = "step",
                    .name = "launch_ns",
                    .definition = "launch_ns INTEGER",
                    .value = "NULL"},
        added_interval("step", "interval_low_ns", "interval_low_ns INTEGER"),
        added_interval("step", "interval_high_ns", "interval_high_ns INTEGER"),
        added_interval("step", "interval_basis", "interval_basis INTEGER REFERENCES text"),
        added_interval("run", "interval_low_ns", "interval_low_ns INTEGER"),
        added_interval("run", "interval_high_ns", "interval_high_ns INTEGER"),
        added_interval("run", "interval_basis", "interval_basis INTEGER REFERENCES text")};
    static const Schema schema{.application_id = 0x53545241,
                               .version = 17,
                               .tables = schema_tables,
                               .views = views,
                               .added = added};
    return schema;
}

std::int64_t schema_version(const Database& database) {
    return number(database, "PRAGMA user_version");
}

void require_schema(const Database& database, const Schema& schema) {
    const Transaction one_state(database, Intent::read);
    const std::int64_t owner = number(database, "PRAGMA application_id");
    const bool empty = number(database, "SELECT EXISTS (SELECT 1 FROM sqlite_master)") == 0;
    if (owner != schema.application_id && !(empty && owner == 0)) {
        refuse(database,
               "belongs to another program and was left unchanged; choose another with --database");
    }
    if (!empty || schema_version(database) != 0) {
        require_version(database, schema);
        require_objects(database, schema);
    }
}

void complete_schema(const Database& database, const Schema& schema) {
    if (schema_version(database) == 0) {
        Transaction transaction(database);
        if (schema_version(database) == 0) {  // another process may have created them first
            database.execute(std::string(schema.tables));
            database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                         schema.application_id, schema.version));
        }
        transaction.commit();
    }
    add_columns(database, schema);
    for (const std::string_view view : views_that_differ(database, schema)) {
        Transaction transaction(database);
        database.execute("DROP VIEW IF EXISTS " + name_of_view(view));
        database.execute(std::string(view));
        transaction.commit();
    }
}

std::string rows_of_version(const Schema& schema, std::int64_t version, std::string_view table,
                            std::string_view from) {
    std::string values;
    for (const AddedColumn& column : lacking(schema, version)) {
        if (column.table == table) {
            values += fmt::format(", {} AS {}", value_in(column, from), column.name);
        }
    }
    return values.empty() ? fmt::format("{}.{}", from, table)
                          : fmt::format("(SELECT row.*{} FROM {}.{} AS row)", values, from, table);
}

void use_own_views(const Database& database, const Schema& schema) {
    const std::int64_t version = schema_version(database);
    std::set<std::string_view> tables;
    for (const AddedColumn& column : lacking(schema, version)) {
        tables.insert(column.table);
    }
    for (const std::string_view table : tables) {
        database.execute(fmt::format("CREATE TEMP VIEW {} AS SELECT * FROM {}", table,
                                     rows_of_version(schema, version, table, "main")));
    }
    for (const std::string_view view : views_that_differ(database, schema)) {
        std::string temporary(view);
        database.execute(temporary.insert(temporary.find("VIEW"), "TEMP "));
    }
}

}  // namespace strata
