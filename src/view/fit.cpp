// SPDX-License-Identifier: MIT
#include "view/fit.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "view/cells.h"
#include "view/columns.h"
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
    const Columns<FittingBatch> columns = {
        {data_column("network"), [&](auto&) { return network; }},
        {{"mode", "mode", Importance::essential}, &FittingBatch::mode},
        {{"batch", "largest batch", Importance::essential},
         [](auto& each) { return each.capacity.largest.batch; }},
        {{"needed_bytes", "needs", Importance::essential},
         [](auto& each) { return bytes_cell(each.capacity.largest.needs, Provenance::modelled); }},
        {{"memory_bytes", "of", Importance::detail},
         [](auto& each) { return each.capacity.memory; }},
        {people_column("limit", "limited by"), [](auto& each) { return limit_of(each.capacity); }},
        {data_column("limit"), [](auto& each) { return each.capacity.largest.limit; }},
        {data_column("reason"), [](auto& each) { return text_or_missing(each.capacity.refusal); }}};
    Table table = table_of(columns, batches, {.records = "fits"});
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
