// SPDX-License-Identifier: MIT Nsight Systems' export as SQLite. Its tables are created lazily, so
// any may be missing, and their columns vary with the version (NVIDIA, Nsight Systems, "SQLite
// Export Schema Reference").
#include "import/devices.h"
#include "import/formats.h"
#include "import/nesting.h"

#include "base/error.h"
#include "base/text.h"
#include "store/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace strata {

namespace {

// NVTX_EVENTS.eventType, from ENUM_NSYS_EVENT_TYPE.
constexpr std::int64_t push_pop_range = 59;
constexpr std::int64_t start_end_range = 60;

// Tables that hold a device's work or the calls that launch it. A graph is traced as a whole, and
// its kernels are in no table, unless --cuda-graph-trace=node is given.
struct NsightTable {
    const char* name;
    SpanKind kind;
    const char* title = nullptr;  // name of each row, if rows have no names
};
constexpr std::array span_tables = {
    NsightTable{"CUPTI_ACTIVITY_KIND_KERNEL", SpanKind::kernel},
    NsightTable{"CUPTI_ACTIVITY_KIND_MEMCPY", SpanKind::copy},
    NsightTable{"CUPTI_ACTIVITY_KIND_MEMSET", SpanKind::fill, "[CUDA memset]"},
    NsightTable{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", SpanKind::kernel, "[CUDA graph]"},
};
constexpr const char* call_table = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* range_table = "NVTX_EVENTS";

// CUPTI's CUpti_ActivityMemcpyKind.
std::string_view name_of_copy(std::int64_t kind) {
    switch (kind) {
        case 1:
            return "[CUDA memcpy HtoD]";
        case 2:
            return "[CUDA memcpy DtoH]";
        case 8:
            return "[CUDA memcpy DtoD]";
        case 10:
            return "[CUDA memcpy PtoP]";
        default:
            return "[CUDA memcpy]";
    }
}

// The text of a range by PyTorch's emit_nvtx: "aten::conv2d, seq = 12, op_id = 7".
struct TorchRange {
    std::string_view name = {};
    std::int32_t sequence = -1;
};

std::optional<TorchRange> torch_range(std::string_view text) {
    if (!text.starts_with("aten::") && !text.starts_with("autograd::")) {
        return {};
    }
    constexpr std::string_view mark = ", seq = ";
    TorchRange range{.name = text.substr(0, text.find(", "))};
    if (const auto found = text.find(mark); found != text.npos) {
        const std::string_view rest = text.substr(found + mark.size());
        const auto number = parse_integer(rest.substr(0, rest.find(',')));
        if (number && *number >= 0 && *number < std::numeric_limits<std::int32_t>::max()) {
            range.sequence = static_cast<std::int32_t>(*number);
        }
    }
    return range;
}

// The process of a serialised identifier, computed as in NVIDIA's examples.
std::int64_t process_of(std::int64_t global_id) {
    return (global_id >> 24) & 0xffffff;
}

std::uint32_t extent_in(std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 0x7fffffff));
}

class NsightSystemsReader {
public:
    explicit NsightSystemsReader(const std::filesystem::path& file)
        : database_(Database::open_foreign(file)) {}

    RecordedProfile read() {
        recording_.tool = "nsight-systems";
        require_activity();
        read_names();
        read_ranges();
        read_calls();
        for (const NsightTable& table : span_tables) {
            read_spans(table);
        }
        read_description();
        leave_out_other_tables();
        read_diagnostics();
        nesting_.finish();
        return std::move(recording_);
    }

private:
    // Only ordinary tables count: a malicious view or virtual table could compute forever.
    bool has_table(const std::string& table) {
        Statement find(
            database_,
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?");
        return find.start(table).next();
    }
    std::set<std::string> columns_of(const std::string& table) {
        std::set<std::string> columns;
        if (has_table(table)) {
            Statement row(database_, "SELECT name FROM pragma_table_info(?)");
            for (row.start(table); row.next();) {
                columns.insert(row.text(0));
            }
        }
        return columns;
    }
    // The column, or NULL if this version of the table lacks it.
    static std::string column_or_null(const std::set<std::string>& columns, const char* column) {
        return columns.contains(column) ? fmt::format("\"{}\"", column) : "NULL";
    }

    void require_activity();
    void read_names();
    void read_ranges();
    void take_range(const Statement& row, bool is_nested);
    void read_calls();
    void read_spans(const NsightTable& table);
    std::string name_of_span(const Statement& row, const NsightTable& table) const;
    std::uint32_t device_of_span(const Statement& row, std::int64_t process);
    void read_description();
    void read_device_names();
    void leave_out_other_tables();
    void read_diagnostics();
    std::string_view name_of_text(std::int64_t id) const {
        const auto found = names_.find(id);
        return found == names_.end() ? std::string_view() : recording_.texts[found->second];
    }
    // The thread's process, if kernels state theirs.
    std::int64_t process_in(std::int64_t global_id) const {
        return tells_processes_ ? process_of(global_id) : 0;
    }
    std::optional<Nanoseconds> duration_in(const Statement& row, int start, int end);
    // Call numbers are unique only within a process.
    static std::uint64_t call_of(std::int64_t process, std::int64_t correlation) {
        return correlation <= 0 ? 0
                                : (static_cast<std::uint64_t>(process) << 32) |
                                      (static_cast<std::uint64_t>(correlation) & 0xffffffff);
    }

    Database database_;
    RecordedProfile recording_ = {};
    CallNesting nesting_{recording_, SeveralProcesses::keep_all};
    std::unordered_map<std::int64_t, TextId> names_ = {};  // by StringIds.id
    bool tells_processes_ = true;                          // the kernels' table has globalPid
};

void NsightSystemsReader::require_activity() {
    const bool has_spans = std::ranges::any_of(
        span_tables, [&](const NsightTable& table) { return has_table(table.name); });
    if (!has_spans || !has_table("StringIds")) {
        throw Error(
            fmt::format("'{}' has no kernels of Nsight Systems (a table "
                        "CUPTI_ACTIVITY_KIND_KERNEL and StringIds); record with nsys profile "
                        "--trace=cuda,nvtx and export with nsys export --type sqlite",
                        printable(database_.file().string(), 1000)));
    }
    for (const NsightTable& table : span_tables) {
        const auto columns = columns_of(table.name);
        tells_processes_ = tells_processes_ && (columns.empty() || columns.contains("globalPid"));
        for (const char* needed : {"start", "end"}) {
            if (!columns.empty() && !columns.contains(needed)) {
                throw Error(
                    fmt::format("'{}': table {} has no column {}; export it again with nsys "
                                "export --type sqlite",
                                printable(database_.file().string(), 1000), table.name, needed));
            }
        }
    }
}

// Only names of kernels and ranges: the others are of files, threads and environments.
void NsightSystemsReader::read_names() {
    std::string used;
    for (const auto& [table, column] :
         {std::pair{span_tables[0].name, "demangledName"},
          std::pair{span_tables[0].name, "shortName"}, std::pair{range_table, "textId"}}) {
        if (columns_of(table).contains(column)) {
            used += fmt::format("{}SELECT \"{}\" FROM {}", used.empty() ? "" : " UNION ", column,
                                table);
        }
    }
    const auto columns = columns_of("StringIds");
    if (used.empty() || !columns.contains("id") || !columns.contains("value")) {
        return;
    }
    Statement row(database_, fmt::format("SELECT id, value FROM StringIds WHERE id IN ({})", used));
    for (row.start(); row.next();) {
        names_.emplace(row.integer(0), recording_.texts.id_of(row.text(1)));
    }
}

// The times of a row with these start and end columns; nothing, and booked, if they are impossible.
std::optional<Nanoseconds> NsightSystemsReader::duration_in(const Statement& row, int start,
                                                            int end) {
    constexpr std::int64_t most = std::int64_t{1} << 61;  // so that differences do not overflow
    const std::int64_t from = row.integer(start);
    const std::int64_t to = row.integer(end);
    const bool is_stamp = from > -most && from < most && to > -most && to < most;
    if (!is_stamp || !is_plausible(Nanoseconds(to - from))) {
        recording_.ledger.leave_out(LeftOutReason::implausible_time);
        return {};
    }
    return Nanoseconds(to - from);
}

void NsightSystemsReader::read_ranges() {
    const auto columns = columns_of(range_table);
    if (!columns.contains("start") || !columns.contains("end")) {
        return;
    }
    Statement row(database_,
                  fmt::format("SELECT start, \"end\", {}, {}, {}, {} FROM {}",
                              column_or_null(columns, "text"), column_or_null(columns, "textId"),
                              column_or_null(columns, "globalTid"),
                              column_or_null(columns, "eventType"), range_table));
    for (row.start(); row.next();) {
        const bool is_nested = row.is_null(5) || row.integer(5) == push_pop_range;
        const bool is_range = is_nested || row.integer(5) == start_end_range;
        if (is_range || !row.is_null(1)) {  // the others are marks
            recording_.ledger.meet();
            take_range(row, is_nested);
        }
    }
}

void NsightSystemsReader::take_range(const Statement& row, bool is_nested) {
    Ledger& ledger = recording_.ledger;
    if (row.is_null(1)) {
        ledger.leave_out(LeftOutReason::unpaired, "NVTX ranges");
        return;
    }
    const auto duration = duration_in(row, 0, 1);
    if (!duration) {
        return;
    }
    const std::string own = row.text(2);
    const std::string_view text = own.empty() ? name_of_text(row.integer(3)) : own;
    if (text.empty()) {
        ledger.leave_out(LeftOutReason::nameless, {}, duration);
        return;
    }
    if (!is_nested) {
        ledger.leave_out(LeftOutReason::unknown_kind, "NVTX ranges between threads", duration);
        return;
    }
    const auto torch = torch_range(text);
    nesting_.add({.start = Nanoseconds(row.integer(0)),
                  .duration = *duration,
                  .name = recording_.texts.id_of(torch ? torch->name : text),
                  .track = nesting_.track_of(process_in(row.integer(4)), row.integer(4)),
                  .sequence = torch ? torch->sequence : -1,
                  .kind = torch ? HostEventKind::operation : HostEventKind::range});
}

void NsightSystemsReader::read_calls() {
    const auto columns = columns_of(call_table);
    for (const char* needed : {"start", "end", "correlationId", "globalTid"}) {
        if (!columns.contains(needed)) {
            return;
        }
    }
    Statement row(database_, fmt::format("SELECT start, \"end\", correlationId, globalTid FROM {}",
                                         call_table));
    for (row.start(); row.next();) {
        recording_.ledger.meet();
        if (const auto duration = duration_in(row, 0, 1)) {
            const std::int64_t process = process_in(row.integer(3));
            nesting_.add({.start = Nanoseconds(row.integer(0)),
                          .duration = *duration,
                          .correlation = call_of(process, row.integer(2)),
                          .track = nesting_.track_of(process, row.integer(3)),
                          .kind = HostEventKind::call});
        }
    }
}

// The table's columns in the order of `SpanColumn`.
constexpr std::array span_columns = {"start",
                                     "end",
                                     "deviceId",
                                     "streamId",
                                     "correlationId",
                                     "globalPid",
                                     "demangledName",
                                     "shortName",
                                     "bytes",
                                     "copyKind",
                                     "gridX",
                                     "gridY",
                                     "gridZ",
                                     "blockX",
                                     "blockY",
                                     "blockZ",
                                     "registersPerThread",
                                     "staticSharedMemory",
                                     "dynamicSharedMemory",
                                     "graphId"};
enum SpanColumn {
    span_start,
    span_end,
    span_device,
    span_stream,
    span_correlation,
    span_process,
    span_name,
    span_short_name,
    span_bytes,
    span_copy_kind,
    span_grid,
    span_block = span_grid + 3,
    span_registers = span_block + 3,
    span_static_shared,
    span_dynamic_shared,
    span_graph
};

LaunchExtent launch_extent_in(const Statement& row, int first) {
    return {extent_in(row.integer(first)), extent_in(row.integer(first + 1)),
            extent_in(row.integer(first + 2))};
}

// A kernel's launch shape, or the bytes copied or filled, if the table has it.
void describe_span(const Statement& row, Span& span) {
    if (span.kind == SpanKind::kernel && !row.is_null(span_block)) {
        span.launch = {.grid = launch_extent_in(row, span_grid),
                       .block = launch_extent_in(row, span_block),
                       .registers = extent_in(row.integer(span_registers)),
                       .static_shared = Bytes(extent_in(row.integer(span_static_shared))),
                       .dynamic_shared = Bytes(extent_in(row.integer(span_dynamic_shared)))};
    } else if (span.kind != SpanKind::kernel && !row.is_null(span_bytes)) {
        span.bytes = Bytes(static_cast<double>(std::max<std::int64_t>(row.integer(span_bytes), 0)));
    }
}

std::string NsightSystemsReader::name_of_span(const Statement& row,
                                              const NsightTable& table) const {
    if (table.kind == SpanKind::copy) {
        return std::string(name_of_copy(row.integer(span_copy_kind)));
    }
    if (table.title != nullptr) {
        return row.is_null(span_graph) ? std::string(table.title)
                                       : fmt::format("{} {}", table.title, row.integer(span_graph));
    }
    const std::string_view name = name_of_text(row.integer(span_name));
    return std::string(name.empty() ? name_of_text(row.integer(span_short_name)) : name);
}

// A process numbers its visible devices from 0, so each device of each process is separate.
std::uint32_t NsightSystemsReader::device_of_span(const Statement& row, std::int64_t process) {
    return device_place(
        recording_.devices,
        {.number = std::to_string(extent_in(row.integer(span_device))), .process = process});
}

void NsightSystemsReader::read_spans(const NsightTable& table) {
    const auto columns = columns_of(table.name);
    if (columns.empty()) {
        return;
    }
    std::vector<std::string> wanted;
    for (const char* column : span_columns) {
        wanted.push_back(column_or_null(columns, column));
    }
    Statement row(database_, fmt::format("SELECT {} FROM {}", join(wanted, ", "), table.name));
    for (row.start(); row.next();) {
        recording_.ledger.meet();
        const auto duration = duration_in(row, span_start, span_end);
        if (!duration) {
            continue;
        }
        std::string name = name_of_span(row, table);
        if (name.empty()) {
            recording_.ledger.leave_out(LeftOutReason::nameless, {}, duration);
            continue;
        }
        const Nanoseconds start(row.integer(span_start) + 1);  // 0 means no stamp
        Span span{.kind = table.kind,
                  .name = std::move(name),
                  .device = extent_in(row.integer(span_device)),
                  .stream = extent_in(row.integer(span_stream)),
                  .start = start,
                  .end = start + *duration};
        describe_span(row, span);
        const std::int64_t process = process_in(row.integer(span_process));
        nesting_.add(std::move(span), call_of(process, row.integer(span_correlation)), 0,
                     device_of_span(row, process));
    }
}

// The GPU's name, and the version of the exporter.
void NsightSystemsReader::read_description() {
    if (columns_of("TARGET_INFO_GPU").contains("name")) {
        // (If several differ, like MIG instances, nothing here tells which one ran.)
        Statement row(database_, "SELECT min(name), count(DISTINCT name) FROM TARGET_INFO_GPU");
        if (row.start().next() && row.integer(1) == 1) {
            recording_.processor = recording_.texts[recording_.texts.id_of(row.text(0))];
        }
        read_device_names();
    }
    const auto columns = columns_of("META_DATA_EXPORT");
    if (columns.contains("name") && columns.contains("value")) {
        Statement row(database_,
                      "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'");
        if (row.start().next()) {
            recording_.version = fmt::format("export schema {}", printable(row.text(0), 100));
        }
    }
}

// The name of each device by its process's numbering, if the file relates both.
void NsightSystemsReader::read_device_names() {
    const auto columns = columns_of("TARGET_INFO_CUDA_DEVICE");
    const bool is_related = columns.contains("gpuId") && columns.contains("cudaId") &&
                            columns.contains("pid") && columns_of("TARGET_INFO_GPU").contains("id");
    if (!is_related) {
        return;
    }
    Statement row(database_,
                  "SELECT cudaId, pid, name FROM TARGET_INFO_CUDA_DEVICE AS device JOIN "
                  "TARGET_INFO_GPU AS gpu ON gpu.id = device.gpuId LIMIT 10000");
    for (row.start(); row.next();) {
        for (RecordedDevice& device : recording_.devices) {
            const bool is_same = device.number == std::to_string(row.integer(0)) &&
                                 (device.process == 0 || device.process == row.integer(1));
            device.name = is_same ? row.text(2) : device.name;
        }
    }
}

// Every other table with periods belongs to the host or is not a layer's work.
void NsightSystemsReader::leave_out_other_tables() {
    std::vector<std::string> names;
    Statement all(
        database_,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 LIMIT 1000");
    for (all.start(); all.next();) {
        names.push_back(all.text(0));
    }
    for (const std::string& name : names) {
        const bool is_read =
            name == call_table || name == range_table ||
            std::ranges::find(span_tables, name, &NsightTable::name) != span_tables.end();
        const auto columns = columns_of(name);
        const bool is_plain = name.find('"') == name.npos;
        if (is_read || !is_plain || !columns.contains("start") || !columns.contains("end")) {
            continue;
        }
        Statement sum(database_,
                      fmt::format("SELECT count(*), total(max(\"end\" - start, 0)) FROM \"{}\" "
                                  "WHERE typeof(start) = 'integer' AND typeof(\"end\") = 'integer'",
                                  name));
        sum.start().next();
        const LedgerAccount account{.records = static_cast<std::uint64_t>(sum.integer(0)),
                                    .nanoseconds = sum.real(1)};
        recording_.ledger.meet(account.records);
        recording_.ledger.leave_out(LeftOutReason::unknown_kind, name, account);
    }
}

// Messages of Nsight Systems about its own recording, above the level of information.
void NsightSystemsReader::read_diagnostics() {
    const auto columns = columns_of("DIAGNOSTIC_EVENT");
    const auto levels = columns_of("ENUM_DIAGNOSTIC_SEVERITY_LEVEL");
    if (!columns.contains("severity") || !columns.contains("text") || !levels.contains("id") ||
        !levels.contains("name")) {
        return;
    }
    Statement row(database_,
                  "SELECT event.text FROM DIAGNOSTIC_EVENT AS event JOIN "
                  "ENUM_DIAGNOSTIC_SEVERITY_LEVEL AS level ON level.id = event.severity WHERE "
                  "level.name LIKE '%warning%' OR level.name LIKE '%error%' OR level.name LIKE "
                  "'%fatal%' LIMIT 1000");
    for (row.start(); row.next();) {
        recording_.ledger.quote(row.text(0));
    }
}

}  // namespace

bool is_nsight_systems_file(const std::filesystem::path& file) {
    const Database database = Database::open_foreign(file);
    Statement find(
        database,
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND (name = 'StringIds' OR name "
        "GLOB 'CUPTI_ACTIVITY_KIND_*' OR name = 'NVTX_EVENTS')");
    return find.start().next();
}

RecordedProfile read_nsight_systems(ByteSource& source) {
    RecordedProfile profile = NsightSystemsReader(source.file()).read();
    source.skip_rest();
    return profile;
}

}  // namespace strata
