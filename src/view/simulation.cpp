// SPDX-License-Identifier: MIT
#include "view/simulation.h"

#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>

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

// The cells that identify a row, its layer and pass last.
std::vector<Cell> place_of(const SimulatedNetwork& network, const SimulatedStep& step) {
    return {printable(network.network), Number{.value = static_cast<double>(network.batch)},
            network.device, printable(step.layer), std::string(name_of(step.pass))};
}

// One level of a pass.
struct LevelRow {
    const char* level;
    double reads, writes;
    Cell read_hits, write_hits;
    const MissKinds* kinds;  // null for a level that always hits
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
                        Missing{"written through"}, &sum.l1->kinds, Missing{}});
    }
    const SectorCounts& l2 = sum.l2.sectors;
    rows.push_back({"L2", l2.reads, l2.writes, share_cell(l2.read_hits, l2.reads),
                    share_cell(l2.write_hits, l2.writes), &sum.l2.kinds,
                    difference_of(sum.l2, checked_l2(step)),
                    share_cell(sum.l2.hits_error, l2.accesses())});
    rows.push_back(
        {"DRAM", sum.dram_reads, sum.dram_writes, Missing{}, Missing{}, nullptr, Missing{}});
    return rows;
}

Table levels_table(const SimulationOptions& options) {
    Table table{.columns = {data_column("network"),
                            data_column("batch"),
                            data_column("device"),
                            {"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"level", "level", Importance::essential},
                            {"read_transactions", "reads", Importance::normal},
                            {"read_hit_rate", "hits", Importance::essential},
                            {"write_transactions", "writes", Importance::normal},
                            {"write_hit_rate", "write hits", Importance::normal},
                            {"read_bytes", "read", Importance::normal},
                            {"written_bytes", "written", Importance::normal},
                            {"read_b_per_s", "read at", Importance::normal},
                            {"written_b_per_s", "written at", Importance::normal},
                            {"compulsory_misses", "compulsory", Importance::detail},
                            {"capacity_misses", "capacity", Importance::detail},
                            {"conflict_misses", "conflict", Importance::detail},
                            {"simulated_share", "simulated", Importance::detail}},
                .records = "levels"};
    if (options.engine == CacheEngine::sampled) {
        table.columns.push_back({"hit_rate_error", "hits within", Importance::essential});
    }
    if (options.checks_engine) {
        table.columns.push_back({"engine_difference", "other engine", Importance::essential});
    }
    table.columns.push_back({"reason", "reason", Importance::normal});
    return table;
}

void append_level(std::vector<Cell>& cells, const LevelRow& level, Seconds time, double simulated,
                  const SimulationOptions& options) {
    for (Cell& cell : std::vector<Cell>{level.level, modelled_cell(level.reads), level.read_hits,
                                        modelled_cell(level.writes), level.write_hits,
                                        modelled_cell(bytes_of_sectors(level.reads), "B"),
                                        modelled_cell(bytes_of_sectors(level.writes), "B"),
                                        rate_cell(bytes_of_sectors(level.reads), time),
                                        rate_cell(bytes_of_sectors(level.writes), time)}) {
        cells.push_back(std::move(cell));
    }
    const auto kind = [&](double MissKinds::*misses) {
        return level.kinds == nullptr ? Cell(Missing{}) : modelled_cell(level.kinds->*misses);
    };
    cells.push_back(kind(&MissKinds::compulsory));
    cells.push_back(kind(&MissKinds::capacity));
    cells.push_back(kind(&MissKinds::conflict));
    cells.push_back(modelled_cell(100 * simulated, "%"));
    if (options.engine == CacheEngine::sampled) {
        cells.push_back(level.error);
    }
    if (options.checks_engine) {
        cells.push_back(level.difference);
    }
    cells.emplace_back("");
}

Table caches_of(const SimulatedNetwork& network, const SimulationOptions& options) {
    Table table = levels_table(options);
    for (const SimulatedStep& step : network.steps) {
        std::vector<Cell> place = place_of(network, step);
        if (!step.reason.empty()) {
            std::vector<Cell> cells = std::move(place);
            cells.resize(table.columns.size(), Missing{step.reason});
            cells.back() = step.reason;
            table.rows.push_back(std::move(cells));
            continue;
        }
        const SimulatedKernel sum = sum_of(step.kernels);
        Seconds time;
        for (const KernelSimulation& kernel : step.kernels) {
            time += kernel.time;
        }
        for (const LevelRow& level : levels_of(step, sum)) {
            std::vector<Cell> cells = place;
            append_level(cells, level, time, sum.simulated, options);
            table.rows.push_back(std::move(cells));
        }
    }
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

Table kernels_of(const SimulatedNetwork& network) {
    Table table{.title = "Kernels: instructions and how their warps spend the time",
                .columns = {data_column("network"),
                            data_column("batch"),
                            data_column("device"),
                            {"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"name", "kernel", Importance::essential},
                            {"repeats", "repeats", Importance::detail},
                            {"blocks", "blocks", Importance::detail},
                            {"modelled_s", "time", Importance::normal},
                            {"queued_s", "by queues", Importance::detail},
                            {"warp_instructions", "instructions", Importance::normal},
                            {"multiply_add_share", "multiply-adds", Importance::detail},
                            {"load_store_share", "loads and stores", Importance::normal},
                            {"barrier_instruction_share", "barriers", Importance::detail},
                            {"instructions_per_cycle", "IPC", Importance::normal}},
                .records = "kernels"};
    constexpr auto stalls = names_of(Stall{});
    for (const std::string_view stall : stalls) {
        const bool leads = stall == "selected" || stall == "long_scoreboard" ||
                           stall == "not_selected" || stall == "math_pipe_throttle";
        table.columns.push_back({fmt::format("{}_share", stall), words_of(stall),
                                 leads ? Importance::normal : Importance::detail});
    }
    for (const SimulatedStep& step : network.steps) {
        for (const KernelSimulation& kernel : step.kernels) {
            const Instructions& all = kernel.instructions;
            std::vector<Cell> cells = place_of(network, step);
            for (Cell& cell : std::vector<Cell>{
                     kernel.name, modelled_cell(kernel.runs), modelled_cell(kernel.traffic.blocks),
                     modelled_cell(kernel.time.value, "s"),
                     modelled_cell(kernel.runs * kernel.stalls.time.value, "s"),
                     modelled_cell(all.total()), share_cell(all.multiply_adds, all.total()),
                     share_cell(all.loads_and_stores(), all.total()),
                     share_cell(all.barriers, all.total()),
                     modelled_cell(kernel.stalls.instructions_per_cycle)}) {
                cells.push_back(std::move(cell));
            }
            for (const double share : kernel.stalls.shares) {
                cells.push_back(modelled_cell(100 * share, "%"));
            }
            table.rows.push_back(std::move(cells));
        }
    }
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
    Table table{.columns = {{"engine", "engine", Importance::essential},
                            {"accesses", "accesses", Importance::essential},
                            {"read_transactions", "reads", Importance::normal},
                            {"read_hit_rate", "hits", Importance::essential},
                            {"write_transactions", "writes", Importance::normal},
                            {"write_hit_rate", "write hits", Importance::normal},
                            {"read_bytes", "read", Importance::normal},
                            {"written_bytes", "written", Importance::normal},
                            {"compulsory_misses", "compulsory", Importance::normal},
                            {"capacity_misses", "capacity", Importance::normal},
                            {"conflict_misses", "conflict", Importance::normal},
                            {"hit_rate_error", "hits within", Importance::detail}},
                .records = "traces"};
    const auto add = [&](CacheEngine of, const SimulatedTrace& one) {
        const double line = static_cast<double>(cache.line_bytes);
        table.rows.push_back(
            {std::string(name_of(of)), modelled_cell(static_cast<double>(one.accesses)),
             modelled_cell(one.lines.reads), share_cell(one.lines.read_hits, one.lines.reads),
             modelled_cell(one.lines.writes), share_cell(one.lines.write_hits, one.lines.writes),
             modelled_cell(one.lines.misses() * line, "B"),
             modelled_cell(one.lines.dirtied * line, "B"), modelled_cell(one.kinds.compulsory),
             modelled_cell(one.kinds.capacity), modelled_cell(one.kinds.conflict),
             of == CacheEngine::sampled ? modelled_cell(100 * one.hit_rate_error, "%")
                                        : Cell(Missing{})});
    };
    add(engine, found);
    if (check != nullptr) {
        add(check_of(engine), *check);
    }
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
