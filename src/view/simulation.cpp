// SPDX-License-Identifier: MIT
#include "view/simulation.h"

#include "base/text.h"
#include "view/cells.h"
#include "view/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace strata {

namespace {

Cell modelled_cell(double value, std::string unit = {}) {
    return Number{.value = value, .unit = std::move(unit), .provenance = Provenance::modelled};
}

Cell share_cell(double part, double whole) {
    return whole > 0 ? modelled_cell(100 * part / whole, "%") : Cell(Missing{});
}

Cell rate_cell(double bytes, Seconds time) {
    return time > Seconds{} ? modelled_cell(bytes / time.value, "B/s") : Cell(Missing{});
}

double bytes_of_sectors(double sectors) {
    return sectors * static_cast<double>(sector_bytes);
}

// The columns that identify a row of a step.
template <class Row>
Columns<Row> columns_of_step() {
    return {{data_column("network"), [](auto& row) { return printable(row.network.network); }},
            {data_column("batch"), [](auto& row) { return row.network.batch; }},
            {data_column("device"), [](auto& row) { return row.network.device; }},
            {{"layer", "layer", Importance::essential},
             [](auto& row) { return printable(row.step.layer); }},
            {{"pass", "pass", Importance::essential}, [](auto& row) { return row.step.pass; }}};
}

// The same with further columns.
template <class Row>
Columns<Row> with_columns(Columns<Row> columns, const Columns<Row>& further) {
    columns.insert(columns.end(), further.begin(), further.end());
    return columns;
}

// One level of a pass.
struct LevelRow {
    const char* level;
    double reads, writes;
    Cell read_hits, write_hits;
    std::optional<MissKinds> kinds;  // nothing for a level that always hits
    Cell difference;
    Cell error = Missing{};  // of the hit rate, if sets were sampled
};

Cell difference_of(const LevelCounts& found, const std::optional<LevelCounts>& check) {
    if (!check || found.sectors.accesses() == 0) {
        return Missing{};
    }
    const auto rate = [](const LevelCounts& level) {
        return level.sectors.hits() / level.sectors.accesses();
    };
    return modelled_cell(100 * (rate(found) - rate(*check)), "%");
}

// The other engine's L2 counts over all kernels; empty if it was not used.
std::optional<LevelCounts> checked_l2(const SimulatedStep& step) {
    LevelCounts sum;
    for (const KernelSimulation& kernel : step.kernels) {
        if (!kernel.check) {
            return {};
        }
        sum.sectors += kernel.check->l2.sectors;
        sum.kinds += kernel.check->l2.kinds;
    }
    return sum;
}

std::vector<LevelRow> levels_of(const SimulatedStep& step, const SimulatedKernel& sum) {
    std::vector<LevelRow> rows;
    if (sum.l1) {
        const SectorCounts& l1 = sum.l1->sectors;
        rows.push_back({"L1", l1.reads, l1.writes, share_cell(l1.read_hits, l1.reads),
                        Missing{"written through"}, sum.l1->kinds, Missing{}});
    }
    const SectorCounts& l2 = sum.l2.sectors;
    rows.push_back({"L2", l2.reads, l2.writes, share_cell(l2.read_hits, l2.reads),
                    share_cell(l2.write_hits, l2.writes), sum.l2.kinds,
                    difference_of(sum.l2, checked_l2(step)),
                    share_cell(sum.l2.hits_error, l2.accesses())});
    rows.push_back(
        {"DRAM", sum.dram_reads, sum.dram_writes, Missing{}, Missing{}, std::nullopt, Missing{}});
    return rows;
}

// A level of a step, or a step that was not simulated.
struct LevelOfStep {
    const SimulatedNetwork& network;
    const SimulatedStep& step;
    std::optional<LevelRow> level = {};
    Seconds time = {};
    double simulated = 0;

    double bytes_read() const { return bytes_of_sectors(level->reads); }
    double bytes_written() const { return bytes_of_sectors(level->writes); }
};

// A column of simulated steps, with why the others have no value.
template <class Value>
ColumnOf<LevelOfStep> simulated_column(Column column, Value value) {
    return {std::move(column), [value](const LevelOfStep& row) {
                return row.level ? as_cell(value(row)) : Cell(Missing{row.step.reason});
            }};
}

ColumnOf<LevelOfStep> misses_column(const char* key, const char* title, double MissKinds::*kind) {
    return simulated_column({key, title, Importance::detail}, [kind](auto& row) {
        return !row.level->kinds ? Cell(Missing{}) : modelled_cell((*row.level->kinds).*kind);
    });
}

Columns<LevelOfStep> level_columns(const SimulationOptions& options) {
    Columns<LevelOfStep> columns = with_columns(
        columns_of_step<LevelOfStep>(),
        {simulated_column({"level", "level", Importance::essential},
                          [](auto& row) { return row.level->level; }),
         simulated_column({"read_transactions", "reads"},
                          [](auto& row) { return modelled_cell(row.level->reads); }),
         simulated_column({"read_hit_rate", "hits", Importance::essential},
                          [](auto& row) { return row.level->read_hits; }),
         simulated_column({"write_transactions", "writes"},
                          [](auto& row) { return modelled_cell(row.level->writes); }),
         simulated_column({"write_hit_rate", "write hits"},
                          [](auto& row) { return row.level->write_hits; }),
         simulated_column({"read_bytes", "read"},
                          [](auto& row) { return modelled_cell(row.bytes_read(), "B"); }),
         simulated_column({"written_bytes", "written"},
                          [](auto& row) { return modelled_cell(row.bytes_written(), "B"); }),
         simulated_column({"read_b_per_s", "read at"},
                          [](auto& row) { return rate_cell(row.bytes_read(), row.time); }),
         simulated_column({"written_b_per_s", "written at"},
                          [](auto& row) { return rate_cell(row.bytes_written(), row.time); }),
         misses_column("compulsory_misses", "compulsory", &MissKinds::compulsory),
         misses_column("capacity_misses", "capacity", &MissKinds::capacity),
         misses_column("conflict_misses", "conflict", &MissKinds::conflict),
         simulated_column({"simulated_share", "simulated", Importance::detail},
                          [](auto& row) { return modelled_cell(100 * row.simulated, "%"); })});
    if (options.engine == CacheEngine::sampled) {
        columns.push_back(simulated_column({"hit_rate_error", "hits within", Importance::essential},
                                           [](auto& row) { return row.level->error; }));
    }
    if (options.checks_engine) {
        columns.push_back(
            simulated_column({"engine_difference", "other engine", Importance::essential},
                             [](auto& row) { return row.level->difference; }));
    }
    columns.push_back({{"reason", "reason"}, [](auto& row) { return row.step.reason; }});
    return columns;
}

Table caches_of(const SimulatedNetwork& network, const SimulationOptions& options) {
    std::vector<LevelOfStep> rows;
    for (const SimulatedStep& step : network.steps) {
        if (!step.reason.empty()) {
            rows.push_back({network, step});
            continue;
        }
        const SimulatedKernel sum = sum_of(step.kernels);
        Seconds time;
        for (const KernelSimulation& kernel : step.kernels) {
            time += kernel.time;
        }
        for (const LevelRow& level : levels_of(step, sum)) {
            rows.push_back({network, step, level, time, sum.simulated});
        }
    }
    Table table = table_of(level_columns(options), rows, {.records = "levels"});
    table.notes.emplace_back(
        "Transactions are sectors of 32 bytes; writes pass L1. Caches are empty before each "
        "kernel; lines that it leaves dirty count as written.");
    if (options.engine == CacheEngine::sampled) {
        table.notes.push_back(
            fmt::format("Hits within: half of the 95 % confidence interval, in percentage points "
                        "of all accesses, because one set of {} was simulated, but at least {}.",
                        sampled_one_in, SetAssociativeCache::min_sampled_sets));
    }
    if (options.checks_engine) {
        table.notes.push_back(
            fmt::format("Other engine: hit rate by {} minus that by {}, in percentage points.",
                        name_of(options.engine), name_of(check_of(options.engine))));
    }
    return table;
}

// "long_scoreboard" as people read it.
std::string words_of(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

struct KernelOfStep {
    const SimulatedNetwork& network;
    const SimulatedStep& step;
    const KernelSimulation& kernel;

    const Instructions& instructions() const { return kernel.instructions; }
    Cell share_of(double part) const { return share_cell(part, instructions().total()); }
};

Columns<KernelOfStep> kernel_columns() {
    Columns<KernelOfStep> columns = with_columns(
        columns_of_step<KernelOfStep>(),
        {{{"name", "kernel", Importance::essential}, [](auto& row) { return row.kernel.name; }},
         {{"repeats", "repeats", Importance::detail},
          [](auto& row) { return modelled_cell(row.kernel.runs); }},
         {{"blocks", "blocks", Importance::detail},
          [](auto& row) { return modelled_cell(row.kernel.traffic.blocks); }},
         {{"modelled_s", "time"},
          [](auto& row) { return modelled_cell(row.kernel.time.value, "s"); }},
         {{"queued_s", "by queues", Importance::detail},
          [](auto& row) {
              return modelled_cell(row.kernel.runs * row.kernel.stalls.time.value, "s");
          }},
         {{"warp_instructions", "instructions"},
          [](auto& row) { return modelled_cell(row.instructions().total()); }},
         {{"multiply_add_share", "multiply-adds", Importance::detail},
          [](auto& row) { return row.share_of(row.instructions().multiply_adds); }},
         {{"load_store_share", "loads and stores"},
          [](auto& row) { return row.share_of(row.instructions().loads_and_stores()); }},
         {{"barrier_instruction_share", "barriers", Importance::detail},
          [](auto& row) { return row.share_of(row.instructions().barriers); }},
         {{"instructions_per_cycle", "IPC"},
          [](auto& row) { return modelled_cell(row.kernel.stalls.instructions_per_cycle); }}});
    constexpr auto stalls = names_of(Stall{});
    for (std::size_t i = 0; i < stalls.size(); ++i) {
        const auto stall = static_cast<Stall>(i);
        const bool leads = stall == Stall::selected || stall == Stall::long_scoreboard ||
                           stall == Stall::not_selected || stall == Stall::math_pipe_throttle;
        columns.push_back(
            {{fmt::format("{}_share", stalls[i]), words_of(stalls[i]),
              leads ? Importance::normal : Importance::detail},
             [i](auto& row) { return modelled_cell(100 * row.kernel.stalls.shares[i], "%"); }});
    }
    return columns;
}

Table kernels_of(const SimulatedNetwork& network) {
    std::vector<KernelOfStep> rows;
    for (const SimulatedStep& step : network.steps) {
        for (const KernelSimulation& kernel : step.kernels) {
            rows.push_back({network, step, kernel});
        }
    }
    Table table = table_of(kernel_columns(), rows,
                           {.title = "Kernels: instructions and how their warps spend the time",
                            .records = "kernels"});
    table.notes.emplace_back(
        "Shares of the time of resident warps, by a closed queueing network that was not fitted.");
    return table;
}

}  // namespace

Document simulation_document(const SimulatedNetwork& network, const SimulationOptions& options) {
    Document document{
        .title = fmt::format("{}, batch {}, on {}: simulated", printable(network.network),
                             network.batch, network.device),
        .kind = "simulation"};
    for (Table table : {caches_of(network, options), kernels_of(network)}) {
        add_origin(table, Origin::modelled);
        document.blocks.emplace_back(std::move(table));
    }
    return document;
}

Document trace_document(const std::string& name, const TraceCache& cache, CacheEngine engine,
                        const SimulatedTrace& found, const SimulatedTrace* check) {
    struct Row {
        CacheEngine engine;
        const SimulatedTrace& trace;
    };
    const double line = static_cast<double>(cache.line_bytes);
    const Columns<Row> columns = {
        {{"engine", "engine", Importance::essential}, &Row::engine},
        {{"accesses", "accesses", Importance::essential},
         [](auto& row) { return modelled_cell(static_cast<double>(row.trace.accesses)); }},
        {{"read_transactions", "reads"},
         [](auto& row) { return modelled_cell(row.trace.lines.reads); }},
        {{"read_hit_rate", "hits", Importance::essential},
         [](auto& row) { return share_cell(row.trace.lines.read_hits, row.trace.lines.reads); }},
        {{"write_transactions", "writes"},
         [](auto& row) { return modelled_cell(row.trace.lines.writes); }},
        {{"write_hit_rate", "write hits"},
         [](auto& row) { return share_cell(row.trace.lines.write_hits, row.trace.lines.writes); }},
        {{"read_bytes", "read"},
         [line](auto& row) { return modelled_cell(row.trace.lines.misses() * line, "B"); }},
        {{"written_bytes", "written"},
         [line](auto& row) { return modelled_cell(row.trace.lines.dirtied * line, "B"); }},
        {{"compulsory_misses", "compulsory"},
         [](auto& row) { return modelled_cell(row.trace.kinds.compulsory); }},
        {{"capacity_misses", "capacity"},
         [](auto& row) { return modelled_cell(row.trace.kinds.capacity); }},
        {{"conflict_misses", "conflict"},
         [](auto& row) { return modelled_cell(row.trace.kinds.conflict); }},
        {{"hit_rate_error", "hits within", Importance::detail}, [](auto& row) {
             return row.engine == CacheEngine::sampled
                        ? modelled_cell(100 * row.trace.hit_rate_error, "%")
                        : Cell(Missing{});
         }}};
    std::vector<Row> rows = {{engine, found}};
    if (check != nullptr) {
        rows.push_back({check_of(engine), *check});
    }
    Table table = table_of(columns, rows, {.records = "traces"});
    add_origin(table, Origin::modelled);
    table.notes.push_back(fmt::format(
        "Reads and writes are lines of {} bytes; read and written are bytes from and to "
        "the memory below.",
        cache.line_bytes));
    return {.title = fmt::format("{} in a cache of {} lines and {} ways", printable(name),
                                 cache.shape().lines, cache.ways),
            .blocks = {std::move(table)},
            .kind = "trace-simulation"};
}

}  // namespace strata
