// SPDX-License-Identifier: MIT
#include "view/fit.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "view/cells.h"
#include "view/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::string limit_of(const Capacity& capacity) {
    if (capacity.largest.batch == 0) {
        return "memory: not even one example fits";
    }
    switch (capacity.largest.limit) {
        case BatchLimit::memory:
            return "memory";
        case BatchLimit::network:
            return "the network: " + capacity.refusal;
        case BatchLimit::none:
            return "no limit found up to here";
    }
    return {};
}

}  // namespace

Document fit_document(const std::string& network, const Execution& execution,
                      std::span<const FittingBatch> batches) {
    Table table{.records = "fits"};
    table.columns = {data_column("network"),
                     {"mode", "mode", Importance::essential},
                     {"batch", "largest batch", Importance::essential},
                     {"needed_bytes", "needs", Importance::essential},
                     {"memory_bytes", "of", Importance::detail},
                     people_column("limit", "limited by"),
                     data_column("limit"),
                     data_column("reason")};
    for (const FittingBatch& each : batches) {
        const LargestBatch& largest = each.capacity.largest;
        table.rows.push_back({network, std::string(name_of(each.mode)),
                              count_cell(static_cast<double>(largest.batch)),
                              bytes_cell(largest.needs, Provenance::modelled),
                              bytes_cell(each.capacity.memory), limit_of(each.capacity),
                              std::string(name_of(largest.limit)),
                              text_or_missing(each.capacity.refusal)});
    }
    add_origin(table, Origin::modelled);
    table.notes = {
        "Modelled: the peak by liveness, without the library's scratch memory. strata show NETWORK "
        "--memory shows where it is needed."};
    Execution training = execution;
    training.numerics.mode = Mode::training;
    const bool has_training = std::ranges::any_of(
        batches, [](const FittingBatch& each) { return each.mode == Mode::training; });
    if (std::string note = masters_note(training); has_training && !note.empty()) {
        table.notes.push_back(std::move(note));
    }
    const Bytes memory = batches.empty() ? Bytes{} : batches.front().capacity.memory;
    const bool trains = !batches.empty() && batches.front().mode == Mode::training;
    return {.title = fmt::format(
                "{} in {}, {}{}", printable(network), byte_size_text(memory),
                name_of(execution.numerics.dtype),
                trains ? fmt::format(", {}", name_of(execution.numerics.optimizer)) : ""),
            .blocks = {std::move(table)},
            .kind = "fit"};
}

}  // namespace strata
