// SPDX-License-Identifier: MIT
#include "view/parallel.h"

#include "base/text.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// " Of their step, 41 % is communication that nothing hides, most of it for fc6."; the largest
// loss, if it is worth naming.
std::string loss_sentence(const DividedStep& one) {
    struct Loss {
        Seconds time;
        std::string what;
    };
    const ParallelStep& step = one.step;
    std::string layer;
    const auto most = std::ranges::max_element(step.layers, {}, &LayerExchange::exposed);
    if (most != step.layers.end() && most->exposed > Seconds{}) {
        layer = fmt::format(
            ", most of it for {}",
            printable(one.layers[static_cast<std::size_t>(most - step.layers.begin())]));
    }
    const Loss losses[] = {{step.exposed, "communication that nothing hides" + layer},
                           {step.bubble, "the pipeline's bubble"},
                           {step.waiting, "waiting for the slowest"},
                           {step.encoding, "encoding gradients"}};
    const Loss& largest = *std::ranges::max_element(losses, {}, &Loss::time);
    const double share = largest.time / step.time;
    constexpr double worth_naming = 0.005;
    return share < worth_naming
               ? ""
               : fmt::format(" Of their step, {:.0f} % is {}.", 100 * share, largest.what);
}

std::string lead_of(std::span<const DividedStep> steps) {
    const DividedStep* best = nullptr;
    for (const DividedStep& one : steps) {
        const bool is_better =
            one.reason.empty() && one.plan.devices > 1 && one.single_examples_per_s > 0 &&
            (best == nullptr || one.plan.devices > best->plan.devices ||
             (one.plan.devices == best->plan.devices && one.speedup() > best->speedup()));
        if (is_better) {
            best = &one;
        }
    }
    if (best == nullptr) {
        return "";
    }
    return fmt::format(
        "{}, batch {}, {} over {}, {} parallel, overlap {}, {} bits: {} {} {:.3g} times as fast as "
        "one.{}",
        printable(best->settings.network), best->settings.batch, best->device,
        printable(best->links), name_of(best->plan.strategy), name_of(best->plan.overlap),
        best->plan.gradient_bits, best->plan.devices,
        best->origin == Origin::modelled ? "devices are predicted to be" : "ranks were",
        best->speedup(), loss_sentence(*best));
}

// What a row is of.
std::vector<Column> plan_columns(std::span<const DividedStep> steps) {
    const auto varies = [&](auto&& of) {
        return std::ranges::any_of(steps,
                                   [&](const auto& one) { return of(one) != of(steps.front()); });
    };
    const auto column = [](const char* key, const char* title, bool is_shown) {
        return is_shown ? Column{key, title, Importance::essential} : data_column(key);
    };
    using One = const DividedStep&;
    return {column("network", "network", varies([](One one) { return one.settings.network; })),
            column("batch", "batch", varies([](One one) { return one.settings.batch; })),
            data_column("dtype"),
            column("device", "device", varies([](One one) { return one.device; })),
            data_column("links"),
            column("parallel", "parallel", varies([](One one) { return one.plan.strategy; })),
            column("zero_stage", "ZeRO", varies([](One one) { return one.plan.zero; })),
            {"devices", "devices", Importance::essential},
            column("overlap", "overlap", varies([](One one) { return one.plan.overlap; })),
            column("gradient_bits", "bits", varies([](One one) { return one.plan.gradient_bits; })),
            column("compression", "compression", varies([](One one) { return one.compression; })),
            column("bucket_bytes", "bucket", varies([](One one) { return one.plan.bucket; })),
            data_column("micro_batches")};
}

std::vector<Cell> plan_cells(const DividedStep& one) {
    return {one.settings.network,
            count_cell(static_cast<double>(one.settings.batch)),
            text_of(one.settings, "dtype"),
            one.device,
            one.links,
            std::string(name_of(one.plan.strategy)),
            count_cell(one.plan.strategy == Strategy::fsdp ? 3 : one.plan.zero),
            count_cell(one.plan.devices),
            std::string(name_of(one.plan.overlap)),
            count_cell(one.plan.gradient_bits),
            text_or_missing(one.compression),
            bytes_cell(one.plan.bucket),
            count_cell(one.plan.micro_batches)};
}

std::vector<Cell> step_cells(const DividedStep& one) {
    if (!one.reason.empty()) {
        return std::vector<Cell>(13, Cell(Missing{one.reason}));
    }
    const ParallelStep& step = one.step;
    const Provenance origin = times_of(one.origin);
    std::vector<Cell> cells = {
        time_cell(step.time, origin), number_cell(one.examples_per_s(), "1/s", origin),
        Missing{"one worker was not measured"}, Missing{"one worker was not measured"}};
    if (one.single_examples_per_s > 0) {
        cells[2] = number_cell(one.speedup(), "", origin);
        cells[3] = percent_cell(one.speedup() / one.plan.devices, origin);
    }
    for (const Seconds part : {step.compute, step.exposed, step.hidden(), step.encoding,
                               step.bubble, step.waiting, step.other}) {
        cells.push_back(time_cell(part, origin));
    }
    cells.push_back(step.memory > Bytes{} ? bytes_cell(step.memory, origin)
                                          : Cell(Missing{"not measured"}));
    cells.push_back(one.fits ? flag_cell(*one.fits)
                             : Cell(Missing{"the device's memory is not known"}));
    return cells;
}

Origin origin_of(std::span<const DividedStep> steps) {
    return steps.empty() ? Origin::modelled : steps.front().origin;
}

Table step_table(std::span<const DividedStep> steps) {
    Table table{.columns = plan_columns(steps), .records = "divisions"};
    const auto any = [&](Seconds ParallelStep::*part) {
        return std::ranges::any_of(
            steps, [&](const DividedStep& one) { return one.step.*part > Seconds{}; });
    };
    const auto part_column = [](const char* key, const char* title, bool is_shown) {
        return is_shown ? Column{key, title, Importance::normal} : data_column(key);
    };
    const std::vector<Column> columns = {
        {"time_s", "step", Importance::essential},
        {"examples_per_s", "examples/s", Importance::normal},
        {"speedup", "speed-up", Importance::essential},
        {"efficiency", "efficiency", Importance::normal},
        {"compute_s", "compute", Importance::normal},
        {"exposed_s", "exposed", Importance::essential},
        {"hidden_s", "hidden", Importance::normal},
        part_column("encoding_s", "encoding", any(&ParallelStep::encoding)),
        part_column("bubble_s", "bubble", any(&ParallelStep::bubble)),
        part_column("slowest_s", "waiting", any(&ParallelStep::waiting)),
        part_column("other_s", "other", any(&ParallelStep::other)),
        {"predicted_memory_bytes", "memory", Importance::normal},
        {"fits", "fits", Importance::normal}};
    std::ranges::copy(columns, std::back_inserter(table.columns));
    for (const DividedStep& one : steps) {
        std::vector<Cell> row = plan_cells(one);
        std::ranges::move(step_cells(one), std::back_inserter(row));
        table.rows.push_back(std::move(row));
    }
    table.notes.emplace_back(
        "step = compute + exposed + encoding + bubble + waiting. exposed: communication during "
        "which a device computes nothing; hidden: the rest of it. memory: of one device.");
    add_origin(table, origin_of(steps));
    return table;
}

Table layer_table(std::span<const DividedStep> steps) {
    Table table{
        .title = "Communication by layer", .columns = plan_columns(steps), .records = "layers"};
    const std::vector<Column> columns = {{"layer", "layer", Importance::essential},
                                         {"compute_s", "compute", Importance::normal},
                                         {"exchanged_bytes", "exchanged", Importance::normal},
                                         {"exchange_s", "exchange", Importance::normal},
                                         {"exposed_s", "exposed", Importance::essential},
                                         {"hidden_s", "hidden", Importance::normal},
                                         origin_of(steps) == Origin::modelled
                                             ? data_column("slowest_s")
                                             : Column{"slowest_s", "waiting"}};
    std::ranges::copy(columns, std::back_inserter(table.columns));
    for (const DividedStep& one : steps) {
        const Provenance origin = times_of(one.origin);
        for (std::size_t i = 0; i < one.step.layers.size(); ++i) {
            const LayerExchange& layer = one.step.layers[i];
            std::vector<Cell> row = plan_cells(one);
            row.emplace_back(one.layers[i]);
            row.push_back(time_cell(layer.compute, origin));
            row.push_back(bytes_cell(layer.bytes));
            row.push_back(time_cell(layer.exchange, origin));
            row.push_back(time_cell(layer.exposed, origin));
            row.push_back(time_cell(layer.hidden(), origin));
            row.push_back(time_cell(layer.waiting, origin));
            table.rows.push_back(std::move(row));
        }
    }
    table.notes.emplace_back("A bucket's times are divided among its layers by their bytes.");
    add_origin(table, origin_of(steps));
    return table;
}

}  // namespace

Document parallel_document(std::span<const DividedStep> steps, LayerParts layers) {
    Document document{.title = "divided steps", .blocks = {}, .kind = "divided-steps"};
    if (std::string lead = lead_of(steps); !lead.empty()) {
        document.blocks.emplace_back(Lead{std::move(lead)});
    }
    document.blocks.emplace_back(step_table(steps));
    Table by_layer = layer_table(steps);
    if (layers == LayerParts::omitted) {
        by_layer.rows.clear();
        for (Column& column : by_layer.columns) {
            column.audience = Audience::data;
        }
        by_layer.notes.clear();
        by_layer.title.clear();
    }
    document.blocks.emplace_back(std::move(by_layer));
    return document;
}

}  // namespace strata
