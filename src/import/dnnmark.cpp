// SPDX-License-Identifier: MIT
#include "import/dnnmark.h"

#include "base/error.h"
#include "base/text.h"
#include "import/formats.h"
#include "import/units.h"
#include "store/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string_view>

// The log of DNNMark's benchmarks (glog's lines on stderr): the layers in the order of the
// configuration, and at the end a time for each call of a layer, named by the function and the
// layer's number: "ConvBwdFilter_0: 1.234ms" (core/include/timer.h, dnn_utility.h).

namespace strata {

namespace {

struct DnnmarkCall {
    std::string_view name;       // name in the log, before the layer's number
    std::string_view operation;  // name for type_of_operator
    Pass pass;
    bool gives_both_gradients = false;
};

// THE list, of core/include/layers.
constexpr std::array dnnmark_calls = {
    DnnmarkCall{"ConvFwd", "convolution", Pass::forward},
    DnnmarkCall{"ConvBwdData", "convolution", Pass::backward_data},
    DnnmarkCall{"ConvBwdFilter", "convolution", Pass::backward_weights},
    DnnmarkCall{"FcFwd", "linear", Pass::forward},
    DnnmarkCall{"FcBwdData", "linear", Pass::backward_data},
    DnnmarkCall{"FcBwdFilter", "linear", Pass::backward_weights},
    DnnmarkCall{"PoolFwd", "pooling", Pass::forward},
    DnnmarkCall{"PoolBwd", "pooling", Pass::backward_data},
    DnnmarkCall{"LrnFwd", "lrn", Pass::forward},
    DnnmarkCall{"LrnBwd", "lrn", Pass::backward_data},
    DnnmarkCall{"ActFwd", "activation", Pass::forward},
    DnnmarkCall{"ActBwd", "activation", Pass::backward_data},
    DnnmarkCall{"BnFwd", "batch_norm", Pass::forward},
    DnnmarkCall{"BnBwd", "batch_norm", Pass::backward_data, true},
    DnnmarkCall{"SoftmaxFwd", "softmax", Pass::forward},
    DnnmarkCall{"SoftmaxBwd", "softmax", Pass::backward_data},
    DnnmarkCall{"DropoutFwd", "dropout", Pass::forward},
    DnnmarkCall{"DropoutBwd", "dropout", Pass::backward_data},
    DnnmarkCall{"BypassFwd", "bypass", Pass::forward},
    DnnmarkCall{"BypassBwd", "bypass", Pass::backward_data},
};

// "128x3x224x224" for "N: 128 C: 3 H: 224 W: 224".
std::string shape_of_dimensions(std::string_view text) {
    std::vector<std::string> extents;
    for (const std::string_view part : split(text, ' ')) {
        if (const auto extent = parse_integer(part); extent && *extent > 0) {
            extents.emplace_back(part);
        }
    }
    return extents.size() == 4 ? join(extents, "x") : "";
}

class DnnmarkLogReader {
public:
    explicit DnnmarkLogReader(ByteSource& source) : source_(source) {}

    RecordedProfile read() {
        recording_.tool = "dnnmark";
        recording_.has_starts = false;
        for (std::string line; source_.next_line(line);) {
            take(line);
        }
        recording_.doubts.emplace_back(
            "DNNMark reads the host's clock around each call and waits for the device after it: "
            "its times include the launch and the wait");
        return std::move(recording_);
    }

private:
    struct LoggedLayer {
        std::string name = {};
        std::string shape = {};  // shape of its input
    };

    // glog writes "I1122 10:11:12.345678  771 timer.h:102] " before the text.
    void take(std::string_view line) {
        const auto bracket = line.find("] ");
        const std::string_view text = trim(bracket == line.npos ? line : line.substr(bracket + 2));
        constexpr std::string_view named = "Layer name: ", dimensions = "Bottom dimension: ";
        if (text.starts_with("Add [")) {
            ++added_;
        } else if (text.starts_with(named) && added_ > 0) {
            layers_[added_ - 1].name = text.substr(named.size());
        } else if (text.starts_with(dimensions)) {
            layers_[set_up_++].shape = shape_of_dimensions(text.substr(dimensions.size()));
        } else if (text.ends_with("ms")) {
            take_time(text.substr(0, text.size() - 2));
        }
    }

    void take_time(std::string_view text) {
        const auto colon = text.find(": ");
        const auto bar = text.substr(0, colon).rfind('_');
        if (colon == text.npos || bar == text.npos) {
            return;
        }
        const auto number = parse_integer(text.substr(bar + 1, colon - bar - 1));
        if (!number || *number < 0) {
            return;  // another program's line
        }
        Ledger& ledger = recording_.ledger;
        ledger.meet();
        const auto call = std::ranges::find(dnnmark_calls, text.substr(0, bar), &DnnmarkCall::name);
        const auto time = parse_time(trim(text.substr(colon + 2)), TimeUnit::millisecond);
        if (!time || !is_plausible(*time)) {
            ledger.leave_out(LeftOutReason::implausible_time);
        } else if (call == dnnmark_calls.end()) {
            ledger.leave_out(LeftOutReason::unknown_kind, text.substr(0, bar), time);
        } else {
            ledger.use(time);
            add(*call, *number, *time);
        }
    }

    void add(const DnnmarkCall& call, std::int64_t number, Nanoseconds time) {
        const auto found = layers_.find(number);
        const LoggedLayer layer = found == layers_.end() ? LoggedLayer{} : found->second;
        const std::string name =
            layer.name.empty() ? fmt::format("{}_{}", call.operation, number) : layer.name;
        TextPool& texts = recording_.texts;
        std::uint32_t& forward = forwards_[number];
        recording_.operators.push_back({.name = texts.id_of(call.operation),
                                        .scope = texts.id_of(name),
                                        .shape = texts.id_of(layer.shape),
                                        .implementation = texts.id_of(call.name),
                                        .pass = call.pass,
                                        .gives_both_gradients = call.gives_both_gradients,
                                        .forward = call.pass == Pass::forward ? 0 : forward,
                                        .start = now_,
                                        .time = time});
        if (call.pass == Pass::forward) {
            forward = static_cast<std::uint32_t>(recording_.operators.size());
        }
        now_ += time;
    }

    ByteSource& source_;
    RecordedProfile recording_ = {};
    std::map<std::int64_t, LoggedLayer> layers_ = {};
    std::int64_t added_ = 0;   // layers read from the configuration so far
    std::int64_t set_up_ = 0;  // layers whose dimensions the log has printed so far
    std::map<std::int64_t, std::uint32_t> forwards_ = {};  // by layer: its last forward, plus 1
    Nanoseconds now_ = Nanoseconds(1);
};

}  // namespace

RecordedProfile read_dnnmark_log(ByteSource& source) {
    return DnnmarkLogReader(source).read();
}

namespace {

constexpr std::int64_t max_rows = 1'000'000;
constexpr std::string_view table_ending = "_kernel_dict";

// The columns in the order in which they are read.
struct ColumnRule {
    const char* name;
    const char* type;  // name by SQLite's typeof
};
constexpr std::array columns = {ColumnRule{"arch", "text"},
                                ColumnRule{"batchsize", "integer"},
                                ColumnRule{"layername", "text"},
                                ColumnRule{"propagation", "text"},
                                ColumnRule{"kernelname", "text"},
                                ColumnRule{"fullname", "text"},
                                ColumnRule{"invocationorder", "integer"}};

// Quotes an arbitrary SQL name.
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

// Only names of ordinary tables: a malicious view or virtual table could compute forever.
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
