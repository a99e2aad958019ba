// SPDX-License-Identifier: MIT
#include "store/kernels.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "record/identity.h"
#include "store/query.h"
#include "store/tables.h"

#include <fmt/format.h>

#include <utility>

namespace strata {

namespace {

std::string described(const LaunchShape& launch) {
    return fmt::format("{},{},{},{},{},{},{},{},{}", launch.grid.x, launch.grid.y, launch.grid.z,
                       launch.block.x, launch.block.y, launch.block.z, launch.registers,
                       launch.static_shared.value, launch.dynamic_shared.value);
}

// All stored values of a kernel, one per line: lengths precede the names, so line breaks in them
// cannot make two kernels look equal.
std::string described(const TrackedKernel& kernel) {
    const KernelKey& key = kernel.key;
    std::string text =
        fmt::format("{}:{} {} {}:{} {}\n{}:{} {}\n", key.device.size(), key.device, key.batch,
                    key.full_name.size(), key.full_name, key.invocation, kernel.layer.size(),
                    kernel.layer, kernel.pass ? name_of(*kernel.pass) : "");
    text += kernel.launch ? described(*kernel.launch) : "";
    text += kernel.time ? fmt::format(" {}", kernel.time->count()) : "";
    for (const MetricResult& metric : kernel.metrics) {
        text += fmt::format("\n{}:{} {} {}", metric.name.size(), metric.name,
                            metric.value ? fmt::format("{}", *metric.value) : "-", metric.reason);
    }
    return text;
}

std::string content_hash(const KernelSet& set) {
    if (set.run != 0) {
        return fmt::format("run {}", set.run);  // traces of different runs differ
    }
    std::uint64_t hash = hash_of(set.network);
    for (const TrackedKernel& kernel : set.kernels) {
        hash = hash_of(described(kernel), hash);
    }
    return fmt::format("{}:{:016x}", set.kernels.size(), hash);
}

void refuse_repeated_keys(const KernelSet& set) {
    if (const auto key = repeated_key(set)) {
        throw Error(fmt::format(
            "{}: kernel {} of {} at batch {} has invocation {} twice; the "
            "these identify the kernels of one iteration",
            set.source.empty() ? set.network : printable(set.source, 1000),
            printable(key->full_name), printable(key->device), key->batch, key->invocation));
    }
}

std::optional<std::int64_t> stored_before(const Database& database, const std::string& content) {
    Statement find(database, "SELECT id FROM kernel_set WHERE content = ?");
    return find.start(content).next() ? std::optional(find.integer(0)) : std::nullopt;
}

void insert_set(TableWriter& to, KernelSet& set, const std::string& content) {
    if (set.created.empty()) {
        set.created = now_utc();
    }
    to.add<kernel_set_table>(RowId{}, set, KernelSetContent{content});
    set.id = to.database().last_inserted_id();
    OfKernelSet key{.id = {}, .kernel_set = set.id, .position = 0};
    for (const TrackedKernel& kernel : set.kernels) {
        to.add<kernel_table>(key, kernel);
        ++key.position;
        const OfKernel id{to.database().last_inserted_id()};
        for (const MetricResult& metric : kernel.metrics) {
            to.add<kernel_metric_table>(id, metric);
        }
    }
}

}  // namespace

void store_kernels_within(TableWriter& to, KernelSet& set) {
    const std::string content = content_hash(set);
    Statement(to.database(), "DELETE FROM kernel_set WHERE content = ?").run(content);
    insert_set(to, set, content);
}

Stored store_kernels(const Database& database, KernelSet& set) {
    refuse_repeated_keys(set);
    const std::string content = content_hash(set);
    Transaction transaction(database);
    if (const auto id = stored_before(database, content)) {
        set.id = *id;
        return Stored::before;
    }
    TableWriter writer(database);
    insert_set(writer, set, content);
    transaction.commit();
    return Stored::anew;
}

KeyCount count_keys(const Database& database, std::int64_t set) {
    Statement sums(database,
                   "SELECT sum(kernels), sum(keys), sum(name_keys) FROM kernel_census WHERE "
                   "kernel_set = ?");
    sums.start(set).next();
    return {sums.integer(0), sums.integer(1), sums.integer(2)};
}

Table kernel_census(const Database& database, std::int64_t set) {
    const std::string counts =
        "origin, device, batch, kernels, forward, backward_data, backward_weights, updates, "
        "unattributed, "
        "names, full_names, time_s FROM kernel_census";
    Table table = query(
        database,
        set == 0
            ? "SELECT kernel_set, network, " + counts + " ORDER BY kernel_set DESC, device, batch"
            : fmt::format("SELECT kernel_set, {} WHERE kernel_set = {} ORDER BY device, batch",
                          counts, set),
        Numbers::scaled);
    table.title = "kernels by device and batch";
    table.records = "kernels";
    return table;
}

Table shared_kernels(const Database& database, std::int64_t set) {
    Table table = query(database,
                        fmt::format("SELECT kernel_set, origin, device, batch, pass, name, "
                                    "variants, layers, kernels, time_s "
                                    "FROM kernel_use WHERE kernel_set = {} AND layers > 1 "
                                    "ORDER BY layers DESC, device, batch, pass, name",
                                    set),
                        Numbers::scaled);
    table.title = "kernels that serve several layers";
    table.records = "shared_kernels";
    return table;
}

KernelSet load_kernels(const Database& database, std::int64_t id) {
    const Transaction reading(database, Intent::read);
    auto row = row_of<kernel_set_table>(database, "WHERE id = ?", id);
    if (!row) {
        throw Error(fmt::format(
            "kernel set {} of database {} does not exist; strata list kernels shows the stored "
            "sets",
            id, printable(database.file().string(), 1000)));
    }
    KernelSet set = std::move(std::get<KernelSet>(*row));
    set.id = id;
    RowReader<kernel_metric_table> metrics(database, "WHERE kernel = ? ORDER BY 2");
    for (auto& [key, kernel] :
         rows_of<kernel_table>(database, "WHERE kernel_set = ? ORDER BY position", id)) {
        for (metrics.start(*key.id); metrics.next();) {
            kernel.metrics.push_back(std::get<MetricResult>(metrics.row()));
        }
        set.kernels.push_back(std::move(kernel));
    }
    return set;
}

}  // namespace strata
