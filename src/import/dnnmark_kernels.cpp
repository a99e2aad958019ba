// SPDX-License-Identifier: MIT
#include "import/dnnmark_kernels.h"

#include "base/error.h"
#include "base/text.h"
#include "store/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace strata {

namespace {

constexpr std::int64_t max_rows = 1'000'000;
constexpr std::string_view table_ending = "_kernel_dict";

// What a column holds, in the order that they are read in.
struct ColumnRule {
    const char* name;
    const char* type;  // by SQLite's typeof
};
constexpr std::array columns = {ColumnRule{"arch", "text"},
                                ColumnRule{"batchsize", "integer"},
                                ColumnRule{"layername", "text"},
                                ColumnRule{"propagation", "text"},
                                ColumnRule{"kernelname", "text"},
                                ColumnRule{"fullname", "text"},
                                ColumnRule{"invocationorder", "integer"}};

// An SQL name that may hold anything.
std::string sql_name(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        text += c == '"' ? "\"\"" : std::string(1, c);
    }
    return text + "\"";
}

// One table of a foreign database.
class DictionaryReader {
public:
    DictionaryReader(const Database& database, std::string table)
        : database_(database), table_(std::move(table)) {}

    KernelSet read() {
        require_columns();
        KernelSet set{.origin = Origin::imported,
                      .network = table_.substr(0, table_.size() - table_ending.size()),
                      .source = database_.file().filename().string()};
        Statement row(database_, select());
        for (row.start(); row.next();) {
            ++row_;
            set.kernels.push_back(kernel_of(row));
        }
        return set;
    }

private:
    std::string file() const { return printable(database_.file().string(), 1000); }

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(
            fmt::format("{}: row {} of table {}: {}", file(), row_, printable(table_), what));
    }

    void require_columns() const {
        Statement present(database_, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
        for (const ColumnRule& column : columns) {
            if (!present.start(table_, column.name).next()) {
                throw Error(
                    fmt::format("{}: table {} has no column {}; give a kernel database of "
                                "DNNMark's trace system",
                                file(), printable(table_), column.name));
            }
        }
    }

    std::string select() const {
        std::string sql = "SELECT ";
        for (const ColumnRule& column : columns) {
            sql += fmt::format("{}{}", &column == columns.begin() ? "" : ", ", column.name);
        }
        for (const ColumnRule& column : columns) {
            sql += fmt::format(", typeof({})", column.name);
        }
        return sql + fmt::format(" FROM {} LIMIT {}", sql_name(table_), max_rows + 1);
    }

    void require_types(const Statement& row) const {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string type = row.text(static_cast<int>(columns.size() + i));
            if (type != columns[i].type) {
                refuse(fmt::format("{} is {}, not {}; correct it", columns[i].name, type,
                                   columns[i].type));
            }
        }
        if (row_ > max_rows) {
            refuse(fmt::format("no iteration has more than {} kernels; give a smaller table",
                               max_rows));
        }
    }

    std::int64_t positive(const Statement& row, int column) const {
        const std::int64_t value = row.integer(column);
        if (value < 1) {
            refuse(fmt::format("{} is {}; it counts from 1", columns.at(std::size_t(column)).name,
                               value));
        }
        return value;
    }

    TrackedKernel kernel_of(const Statement& row) const {
        require_types(row);
        TrackedKernel kernel{.key = {.device = row.text(0),
                                     .batch = positive(row, 1),
                                     .full_name = row.text(5),
                                     .invocation = positive(row, 6)},
                             .name = row.text(4)};
        name_layer(kernel, row.text(2), row.text(3));
        return kernel;
    }

    // "conv2_w" of "Backward" is the gradient of conv2's weights.
    void name_layer(TrackedKernel& kernel, std::string layer, const std::string& direction) const {
        if (layer.empty()) {
            refuse("the layer has no name; give it one");
        }
        kernel.pass = Pass::forward;
        if (direction == "Backward") {
            kernel.pass = layer.ends_with("_w") ? Pass::backward_weights : Pass::backward_data;
            const bool has_ending = layer.ends_with("_w") || layer.ends_with("_d");
            layer.resize(layer.size() - (has_ending && layer.size() > 2 ? 2 : 0));
        } else if (direction != "Forward") {
            refuse(fmt::format("propagation is '{}'; it is Forward or Backward",
                               printable(direction)));
        }
        kernel.layer = std::move(layer);
    }

    const Database& database_;
    std::string table_;
    std::int64_t row_ = 0;
};

// Names of ordinary tables alone: a view or a virtual table could be made to compute for ever.
std::vector<std::string> dictionaries_in(const Database& database) {
    std::vector<std::string> names;
    Statement row(database,
                  "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name "
                  "LIKE '%\\_kernel\\_dict' ESCAPE '\\' ORDER BY name LIMIT 100");
    for (row.start(); row.next();) {
        if (row.text(0).ends_with(table_ending)) {
            names.push_back(row.text(0));
        }
    }
    return names;
}

}  // namespace

bool is_sqlite_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::array<char, 16> head = {};
    stream.read(head.data(), head.size());
    return stream && std::string_view(head.data(), head.size()) ==
                         std::string_view("SQLite format 3\0", head.size());
}

std::vector<KernelSet> read_dnnmark_kernels(const std::filesystem::path& file) {
    const Database database = Database::open_foreign(file);
    std::vector<KernelSet> sets;
    for (const std::string& table : dictionaries_in(database)) {
        sets.push_back(DictionaryReader(database, table).read());
    }
    if (sets.empty()) {
        throw Error(
            fmt::format("{} holds no table whose name ends in {}; give a kernel database "
                        "of DNNMark's trace system",
                        printable(file.string(), 1000), table_ending));
    }
    return sets;
}

}  // namespace strata
