// SPDX-License-Identifier: MIT
#include "view/parallel.h"

#include "base/text.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/columns.h"
#include "view/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

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

// ", overlap on, 1-bit gradients", as far as they have an effect.
std::string exchange_text(const DividedStep& one) {
    std::string text;
    if (may_overlap(one.plan)) {
        text += fmt::format(", overlap {}", name_of(one.plan.overlap));
    }
    if (exchanges_gradients(one.plan)) {
        text += one.compression.empty() ? fmt::format(", {}-bit gradients", one.plan.gradient_bits)
                                        : fmt::format(", compression {}", one.compression);
    }
    return text;
}

// "data parallel, 8 sharing each layer, 4 stages"
std::string strategy_text(const ParallelPlan& plan) {
    std::string text = fmt::format("{} parallel", name_of(plan.strategy));
    if (plan.tensor > 1 && plan.strategy != Strategy::tensor) {
        text += fmt::format(", {} sharing each layer", plan.tensor);
    }
    if (plan.stages > 1 && (plan.tensor > 1 || plan.replicas() > 1)) {
        text += fmt::format(", {} stages", plan.stages);
    }
    return text;
}

std::string lead_of(std::span<const DividedStep> steps) {
    const DividedStep* best = nullptr;
    for (const DividedStep& one : steps) {
        const bool is_better =
            one.reason.empty() && one.plan.devices > 1 && one.single_examples_per_s > 0 &&
            one.origin == steps.front().origin &&
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
        "{}, batch {}, {} over {}, {}{}: {} {} {:.3g} times as fast as one.{}",
        printable(best->settings.network), best->settings.batch, best->device,
        printable(best->links), strategy_text(best->plan), exchange_text(*best), best->plan.devices,
        best->origin == Origin::modelled ? "devices are predicted to be" : "ranks were",
        best->speedup(), loss_sentence(*best));
}

// What a row is of; people see what differs between rows. A setting without an effect is missing.
Columns<DividedStep> plan_columns(std::span<const DividedStep> steps) {
    constexpr const char* no_effect = "no effect";
    using One = const DividedStep&;
    const auto varied_if = [&](const char* key, const char* title, auto has, auto of) {
        const auto with = [&](One one) { return has(one); };
        const auto first = std::ranges::find_if(steps, with);
        const bool varies = std::any_of(first, steps.end(),
                                        [&](One one) { return has(one) && of(one) != of(*first); });
        return ColumnOf<DividedStep>(
            varies ? Column{key, title, Importance::essential} : data_column(key),
            [=](One one) { return has(one) ? as_cell(of(one)) : Cell(Missing{no_effect}); });
    };
    const auto varied = [&](const char* key, const char* title, auto of) {
        return varied_if(
            key, title, [](One) { return true; }, of);
    };
    const auto exchanges = [](One one) { return exchanges_gradients(one.plan); };
    return {
        varied("network", "network", [](One one) { return one.settings.network; }),
        varied("batch", "batch", [](One one) { return one.settings.batch; }),
        {data_column("dtype"), [](One one) { return text_of(one.settings, "dtype"); }},
        varied("device", "device", [](One one) { return one.device; }),
        {data_column("links"), &DividedStep::links},
        varied_if(
            "parallel", "parallel", [](One one) { return one.plan.devices > 1; },
            [](One one) { return one.plan.strategy; }),
        varied_if("zero_stage", "ZeRO", exchanges, [](One one) { return one.plan.zero; }),
        {{"devices", "devices", Importance::essential}, [](One one) { return one.plan.devices; }},
        varied("tensor_devices", "sharing", [](One one) { return one.plan.tensor; }),
        varied("stages", "stages", [](One one) { return one.plan.stages; }),
        varied_if(
            "overlap", "overlap", [](One one) { return may_overlap(one.plan); },
            [](One one) { return one.plan.overlap; }),
        varied_if(
            "gradient_bits", "bits",
            [=](One one) { return exchanges(one) && one.compression.empty(); },
            [](One one) { return one.plan.gradient_bits; }),
        varied_if(
            "compression", "compression",
            [=](One one) { return exchanges(one) && !one.compression.empty(); },
            [](One one) { return one.compression; }),
        varied_if(
            "bucket_bytes", "bucket", [](One one) { return has_buckets(one.plan); },
            [](One one) { return one.plan.bucket; }),
        {data_column("micro_batches"), [](One one) { return one.plan.micro_batches; }},
        varied("origin", "origin", [](One one) { return one.origin; })};
}

// A value of a step, or why the step has no time.
template <class Value>
ColumnOf<DividedStep> timed_column(Column column, Value value) {
    return {std::move(column), [value](const DividedStep& one) {
                return one.reason.empty() ? as_cell(value(one)) : Cell(Missing{one.reason});
            }};
}

// A value that compares with one worker.
template <class Value>
ColumnOf<DividedStep> gain_column(Column column, Value value) {
    return timed_column(std::move(column), [value](const DividedStep& one) {
        return one.single_examples_per_s > 0 ? value(one)
                                             : Cell(Missing{"one worker was not measured"});
    });
}

// A part of the step's time.
template <class Part>
ColumnOf<DividedStep> part_column(Column column, Part part) {
    return timed_column(std::move(column), [part](const DividedStep& one) {
        return time_cell(std::invoke(part, one.step), times_of(one.origin));
    });
}

// An end of a predicted step's interval; for data only if no step has one, as measured ones.
ColumnOf<DividedStep> end_column(std::span<const DividedStep> steps, const char* key,
                                 const char* title, Seconds PredictedInterval::*end) {
    const bool has_any =
        std::ranges::any_of(steps, [](const DividedStep& one) { return one.interval.has_value(); });
    return timed_column(
        has_any ? Column{key, title} : data_column(key), [end](const DividedStep& one) {
            return optional_cell(one.interval, [end](const PredictedInterval& found) {
                return time_cell(found.*end, Provenance::modelled);
            });
        });
}

// The same, for data only if no step has such a part.
ColumnOf<DividedStep> part_if_any(std::span<const DividedStep> steps, const char* key,
                                  const char* title, Seconds ParallelStep::*part) {
    const bool has_any = std::ranges::any_of(
        steps, [&](const DividedStep& one) { return one.step.*part > Seconds{}; });
    return part_column(has_any ? Column{key, title} : data_column(key), part);
}

// A part of the memory, for data.
ColumnOf<DividedStep> memory_column(const char* key, Bytes DeviceMemory::*part) {
    return timed_column(data_column(key), [part](const DividedStep& one) {
        return one.step.memory.all() > Bytes{}
                   ? bytes_cell(one.step.memory.*part, times_of(one.origin))
                   : Cell(Missing{"not measured"});
    });
}

// How many layers with products devices share, or each computes for itself.
template <class Count>
ColumnOf<DividedStep> shared_column(const char* key, Count count) {
    return {data_column(key), [count](const DividedStep& one) {
                return one.plan.tensor > 1 && one.reason.empty()
                           ? as_cell(static_cast<std::int64_t>(count(one)))
                           : Cell(Missing{"no layer is divided"});
            }};
}

// How far a prediction is from the same step as measured.
ColumnOf<DividedStep> off_column(std::span<const DividedStep> steps) {
    const bool has_any =
        std::ranges::any_of(steps, [](const DividedStep& one) { return one.measured.has_value(); });
    return timed_column(has_any ? Column{"off_measured", "off", Importance::essential}
                                : data_column("off_measured"),
                        [](const DividedStep& one) {
                            return optional_cell(
                                one.measured,
                                [&](Seconds measured) {
                                    return percent_cell(one.step.time / measured - 1,
                                                        Provenance::modelled);
                                },
                                "no prediction beside its measurement");
                        });
}

Columns<DividedStep> time_columns(std::span<const DividedStep> steps) {
    using One = const DividedStep&;
    return {
        part_column({"time_s", "step", Importance::essential}, &ParallelStep::time),
        off_column(steps),
        end_column(steps, "low_s", "p10", &PredictedInterval::low),
        end_column(steps, "high_s", "p90", &PredictedInterval::high),
        {data_column("basis"),
         [](One one) { return text_or_missing(one.interval ? one.interval->basis : ""); }},
        timed_column(
            {"examples_per_s", "examples/s"},
            [](One one) { return number_cell(one.examples_per_s(), "1/s", times_of(one.origin)); }),
        gain_column({"speedup", "speed-up", Importance::essential},
                    [](One one) { return number_cell(one.speedup(), "", times_of(one.origin)); }),
        gain_column({"efficiency", "efficiency"},
                    [](One one) {
                        return percent_cell(one.speedup() / one.plan.devices, times_of(one.origin));
                    }),
        part_column({"compute_s", "compute"}, &ParallelStep::compute),
        part_column({"exposed_s", "exposed", Importance::essential}, &ParallelStep::exposed),
        part_column({"hidden_s", "hidden"}, &ParallelStep::hidden),
        part_if_any(steps, "encoding_s", "encoding", &ParallelStep::encoding),
        part_if_any(steps, "bubble_s", "bubble", &ParallelStep::bubble),
        part_if_any(steps, "slowest_s", "waiting", &ParallelStep::waiting),
        part_if_any(steps, "other_s", "other", &ParallelStep::other),
        timed_column({"predicted_memory_bytes", "memory"},
                     [](One one) {
                         return one.step.memory.all() > Bytes{}
                                    ? bytes_cell(one.step.memory.all(), times_of(one.origin))
                                    : Cell(Missing{"not measured"});
                     }),
        timed_column({"fits", "fits"},
                     [](One one) {
                         return one.fits ? flag_cell(*one.fits)
                                         : Cell(Missing{"the device's memory is not known"});
                     }),
        memory_column("parameters_bytes", &DeviceMemory::parameters),
        memory_column("kept_gradients_bytes", &DeviceMemory::gradients),
        memory_column("optimizer_bytes", &DeviceMemory::optimizer),
        memory_column("passes_bytes", &DeviceMemory::passes),
        shared_column("split_layers", [](One one) { return one.split_layers; }),
        shared_column("whole_layers", [](One one) { return one.whole_layers.size(); })};
}

Origin origin_of(std::span<const DividedStep> steps) {
    return steps.empty() ? Origin::modelled : steps.front().origin;
}

// "24 layers with products are divided; each device computes all of conv1, fc3 and 4 more."
std::string sharing_note(std::span<const DividedStep> steps) {
    const auto shares = std::ranges::find_if(
        steps, [](const DividedStep& one) { return one.plan.tensor > 1 && one.reason.empty(); });
    if (shares == steps.end()) {
        return "";
    }
    const auto [whole, split] = std::pair(shares->whole_layers, shares->split_layers);
    std::string note = fmt::format("sharing: of {}'s layers with products, {} are divided",
                                   printable(shares->settings.network), split);
    if (whole.empty()) {
        return note + ", all of them.";
    }
    constexpr std::size_t named = 3;
    for (std::size_t i = 0; i < std::min(whole.size(), named); ++i) {
        note += fmt::format("{} {}", i == 0 ? "; each device computes all of" : ",",
                            printable(whole[i]));
    }
    return note + (whole.size() > named ? fmt::format(" and {} more.", whole.size() - named) : ".");
}

// "3 of 8 need more memory than titan-x has, 12 GB."; empty if all fit.
std::string memory_note(std::span<const DividedStep> steps) {
    const auto is_too_large = [](const DividedStep& one) { return one.fits == false; };
    const auto first = std::ranges::find_if(steps, is_too_large);
    if (first == steps.end()) {
        return "";
    }
    const auto all =
        std::ranges::count_if(steps, [](const DividedStep& one) { return one.fits.has_value(); });
    return fmt::format("{} of {} need more memory than {} has, {:.3g} GB: they could not run.",
                       std::ranges::count_if(steps, is_too_large), all, first->device,
                       first->device_memory->value * 1e-9);
}

Table step_table(std::span<const DividedStep> steps) {
    Columns<DividedStep> columns = plan_columns(steps);
    std::ranges::copy(time_columns(steps), std::back_inserter(columns));
    Table table = table_of(columns, steps, {.records = "divisions"});
    table.notes.emplace_back(
        "step = compute + exposed + encoding + bubble + waiting + other; parts that no row has are "
        "not shown. exposed: communication during which a device computes nothing; hidden: the "
        "rest of it. memory: of one device.");
    if (std::ranges::any_of(steps, [](const DividedStep& one) {
            return one.origin == Origin::modelled && one.step.encoding > Seconds{};
        })) {
        table.notes.emplace_back(
            "encoding: what gradients must move through memory, at its peak; the overhead of "
            "frameworks is not in it.");
    }
    for (const std::string& note : {sharing_note(steps), memory_note(steps)}) {
        if (!note.empty()) {
            table.notes.push_back(note);
        }
    }
    return table;
}

// A layer's part in the communication of a step.
struct LayerOfDivision {
    const DividedStep& divided;
    const LayerExchange& exchange;
    const std::string& name;
};

template <class Part>
ColumnOf<LayerOfDivision> exchange_column(Column column, Part part) {
    return {std::move(column), [part](const LayerOfDivision& row) {
                return time_cell(std::invoke(part, row.exchange), times_of(row.divided.origin));
            }};
}

Columns<LayerOfDivision> layer_columns(std::span<const DividedStep> steps) {
    Columns<LayerOfDivision> columns;
    for (const ColumnOf<DividedStep>& of_plan : plan_columns(steps)) {
        columns.push_back({of_plan.column, [cell = of_plan.cell](const LayerOfDivision& row) {
                               return cell(row.divided);
                           }});
    }
    const Columns<LayerOfDivision> of_layer = {
        {{"layer", "layer", Importance::essential},
         [](const LayerOfDivision& row) { return row.name; }},
        exchange_column({"compute_s", "compute"}, &LayerExchange::compute),
        {{"exchanged_bytes", "exchanged"},
         [](const LayerOfDivision& row) { return row.exchange.bytes; }},
        exchange_column({"exchange_s", "exchange"}, &LayerExchange::exchange),
        exchange_column({"exposed_s", "exposed", Importance::essential}, &LayerExchange::exposed),
        exchange_column({"hidden_s", "hidden"}, &LayerExchange::hidden),
        exchange_column(origin_of(steps) == Origin::modelled ? data_column("slowest_s")
                                                             : Column{"slowest_s", "waiting"},
                        &LayerExchange::waiting)};
    std::ranges::copy(of_layer, std::back_inserter(columns));
    return columns;
}

Table layer_table(std::span<const DividedStep> steps) {
    std::vector<LayerOfDivision> rows;
    for (const DividedStep& one : steps) {
        for (std::size_t i = 0; i < one.step.layers.size(); ++i) {
            rows.push_back({one, one.step.layers[i], one.layers[i]});
        }
    }
    Table table = table_of(layer_columns(steps), rows,
                           {.title = "Communication by layer", .records = "layers"});
    table.notes.emplace_back("A bucket's times are divided among its layers by their bytes.");
    return table;
}

}  // namespace

Document parallel_document(std::span<const DividedStep> steps, LayerParts layers) {
    Document document{.title = "divided steps", .blocks = {}, .kind = "divided-steps"};
    if (std::string lead = lead_of(steps); !lead.empty()) {
        document.blocks.emplace_back(Lead{std::move(lead)});
    }
    Table by_layer = layer_table(steps);
    if (layers == LayerParts::shown) {
        document.blocks.emplace_back(std::move(by_layer));
        document.blocks.emplace_back(step_table(steps));
        return document;
    }
    by_layer.rows.clear();
    for (Column& column : by_layer.columns) {
        column.audience = Audience::data;
    }
    by_layer.notes.clear();
    by_layer.title.clear();
    document.blocks.emplace_back(step_table(steps));
    document.blocks.emplace_back(std::move(by_layer));
    return document;
}

}  // namespace strata
