// SPDX-License-Identifier: MIT
#include "view/device_times.h"

#include "analyze/advice.h"
#include "base/text.h"
#include "predict/stated_error.h"
#include "record/completeness.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace strata {

namespace {

constexpr Provenance by_model = Provenance::modelled;

// Steps of one operator, by the terms that bind their kernels.
struct OperatorTerms {
    std::string operation;
    Seconds time;
    ByTerm<Seconds> bound;
};

std::vector<PredictedOperator> operators_of(const Graph& graph,
                                            const NetworkPrediction& prediction) {
    std::vector<OperatorTerms> found;
    for (const PredictedStep& step : prediction.steps) {
        if (!step.has_time() || step.kernels.empty()) {
            continue;
        }
        const std::string operation = kind_of(graph.layers[step.layer].op);
        auto at = std::ranges::find(found, operation, &OperatorTerms::operation);
        if (at == found.end()) {
            at = found.insert(found.end(), {operation, {}, {}});
        }
        at->time += step.time();
        for (const KernelPrediction& kernel : step.kernels) {
            at->bound[kernel.binding()] += kernel.time;
        }
    }
    std::vector<PredictedOperator> times;
    for (const OperatorTerms& one : found) {
        const auto most =
            std::ranges::max_element(all_terms, {}, [&](Term term) { return one.bound[term]; });
        times.push_back({.operation = one.operation,
                         .time = one.time,
                         .binding = *most,
                         .binding_share = std::min(one.bound[*most] / one.time, 1.0)});
    }
    std::ranges::stable_sort(times, std::greater<>(), &PredictedOperator::time);
    return times;
}

std::optional<double> error_of(const NetworkPrediction& prediction, const DeviceModel& model) {
    double known = 0, error = 0;
    for (const RateShare& one : shares_by_rates(prediction, model)) {
        if (one.error) {
            known += one.share;
            error += one.share * *one.error;
        }
    }
    return known >= 0.9 ? std::optional(error / known) : std::nullopt;
}

// Whether two predicted values differ by more than their devices' predictions are off. An error
// that nothing states counts as 100 %.
bool surely_differ(const DeviceTime& a, const DeviceTime& b, double ratio) {
    const double off = std::hypot(a.error.value_or(1), b.error.value_or(1));
    return std::abs(std::log(ratio)) > std::log1p(off);
}

using Devices = std::vector<const DeviceTime*>;

// "h100 is predicted to be fastest with 5.2 ms, 2.1 times as fast as a100-80", or that they cannot
// be told apart. Requires: two devices, the fastest first.
std::string speed_sentence(const Devices& by_time) {
    const DeviceTime &first = *by_time[0], &second = *by_time[1];
    const double ratio = *second.time / *first.time;
    if (surely_differ(first, second, ratio)) {
        return fmt::format("{} is predicted to be fastest with {}, {:.3g} times as fast as {}.",
                           first.device, duration(*first.time), ratio, second.device);
    }
    return fmt::format(
        "{} and {} are predicted to take {} and {}, too close for such predictions to tell apart.",
        first.device, second.device, duration(*first.time), duration(*second.time));
}

// " t4 costs least of the devices with a known price, 0.41 USD for a million examples."; empty if
// fewer than two have one, or the predictions cannot tell.
std::string price_sentence(const Devices& devices) {
    Devices priced;
    std::ranges::copy_if(devices, std::back_inserter(priced),
                         [](const DeviceTime* one) { return one->dollars.has_value(); });
    std::ranges::stable_sort(priced, {}, [](const DeviceTime* one) { return *one->dollars; });
    if (priced.size() < 2 ||
        !surely_differ(*priced[0], *priced[1], *priced[1]->dollars / *priced[0]->dollars)) {
        return "";
    }
    return fmt::format(" {} costs least{}, {:.2g} USD for a million examples.", priced[0]->device,
                       priced.size() == devices.size() ? "" : " of the devices with a known price",
                       *priced[0]->dollars);
}

// " Not compared: t4 (too little memory)."; empty if all devices are.
std::string left_out_sentence(std::span<const DeviceTime> devices) {
    std::vector<std::string> names;
    for (const DeviceTime& one : devices) {
        if (!one.can_run()) {
            names.push_back(fmt::format("{} ({})", one.device,
                                        one.time ? "too little memory" : "no prediction"));
        }
    }
    return names.empty() ? "" : fmt::format(" Not compared: {}.", join(names, ", "));
}

// The devices that one network and its settings were predicted on. Empty if fewer than two of them
// can be compared.
std::string sentence_on(std::span<const DeviceTime> devices) {
    Devices by_time;
    for (const DeviceTime& one : devices) {
        if (one.can_run()) {
            by_time.push_back(&one);
        }
    }
    if (by_time.size() < 2) {
        return "";
    }
    std::ranges::stable_sort(by_time, {}, [](const DeviceTime* one) { return *one->time; });
    const Settings& settings = devices.front().settings;
    const std::string others = other_settings_line(settings);
    return fmt::format("{}, batch {}, {}, {}{}{}: {}{}{}", printable(settings.network),
                       settings.batch, text_of(settings, "mode"), text_of(settings, "dtype"),
                       others.empty() ? "" : ", ", others, speed_sentence(by_time),
                       price_sentence(by_time), left_out_sentence(devices));
}

// What tells one comparison of devices from the next: everything but the device.
auto asked_of(const DeviceTime& one) {
    return std::tuple(one.settings.network, one.settings.batch, text_of(one.settings, "mode"),
                      text_of(one.settings, "dtype"), other_settings_line(one.settings));
}

// People see what was asked for only if it is not the same in all rows.
std::vector<Column> asked_columns(std::span<const DeviceTime> times) {
    const bool is_one = std::ranges::all_of(
        times, [&](const DeviceTime& one) { return asked_of(one) == asked_of(times.front()); });
    if (is_one) {
        return {data_column("network"), data_column("batch"), data_column("mode"),
                data_column("dtype"), data_column("other_settings")};
    }
    return {{"network", "network", Importance::essential},
            {"batch", "batch", Importance::essential},
            {"mode", "mode", Importance::detail},
            {"dtype", "dtype", Importance::detail},
            {"other_settings", "other settings", Importance::normal}};
}

std::vector<Cell> asked_cells(const DeviceTime& one) {
    return {one.settings.network, count_cell(static_cast<double>(one.settings.batch)),
            text_of(one.settings, "mode"), text_of(one.settings, "dtype"),
            other_settings_line(one.settings)};
}

Cell modelled_cell(const std::optional<double>& value, const char* unit, const char* reason) {
    return optional_cell(
        value, [&](double number) { return number_cell(number, unit, by_model); }, reason);
}

Table whole_table(std::span<const DeviceTime> times) {
    Table table{.columns = asked_columns(times), .records = "devices"};
    const std::vector<Column> columns = {
        {"device", "device", Importance::essential},
        {"time_s", "time", Importance::essential},
        {"low_s", "p10", Importance::normal},
        {"high_s", "p90", Importance::normal},
        data_column("basis"),
        {"stated_error", "error", Importance::normal},
        {"examples_per_s", "examples/s", Importance::normal},
        {"dollars_per_million", "USD per million", Importance::normal},
        {"joules_per_million", "energy per million", Importance::detail},
        {"predicted_memory_bytes", "memory", Importance::normal},
        {"fits", "fits", Importance::normal},
        {"run", "run", Importance::normal}};
    std::ranges::copy(columns, std::back_inserter(table.columns));
    for (const DeviceTime& one : times) {
        const double batch = static_cast<double>(one.settings.batch);
        std::vector<Cell> row = asked_cells(one);
        row.emplace_back(one.device);
        row.push_back(optional_cell(
            one.time, [](Seconds time) { return time_cell(time, by_model); }, one.reason.c_str()));
        const auto end_cell = [&](Seconds PredictedInterval::*end) {
            return optional_cell(
                one.interval,
                [&](const PredictedInterval& found) { return time_cell(found.*end, by_model); },
                one.reason.c_str());
        };
        row.push_back(end_cell(&PredictedInterval::low));
        row.push_back(end_cell(&PredictedInterval::high));
        row.push_back(text_or_missing(one.interval ? one.interval->basis : ""));
        row.push_back(optional_cell(
            one.error, [](double error) { return percent_cell(error, Provenance::derived); },
            "not stated for these rates"));
        row.push_back(modelled_cell(
            one.time ? std::optional(batch / one.time->value) : std::nullopt, "1/s", ""));
        row.push_back(modelled_cell(one.dollars, "", "no source states its price"));
        row.push_back(modelled_cell(one.joules, "J", "no source states its power"));
        row.push_back(bytes_cell(one.memory, by_model));
        row.push_back(one.fits ? flag_cell(*one.fits)
                               : Cell(Missing{"the device's memory is not known"}));
        row.push_back(Verbatim{std::to_string(one.run), static_cast<double>(one.run)});
        table.rows.push_back(std::move(row));
    }
    table.notes.emplace_back(
        "p10, p90: eight of ten measured times would lie between them. error: how far predictions "
        "by the same rates are from measured times on average, weighted "
        "by their part of the time. energy: at most, at the device's maximum power.");
    add_origin(table, Origin::modelled);
    return table;
}

Seconds sum_of(const DeviceTime& device) {
    Seconds sum;
    for (const PredictedOperator& part : device.operators) {
        sum += part.time;
    }
    return sum;
}

// Devices of one network, operator by operator: those first that take longest anywhere.
void add_operators(std::span<const DeviceTime> devices, Table& table) {
    struct Row {
        const DeviceTime* device;
        const PredictedOperator* part;
    };
    std::vector<std::pair<Seconds, std::vector<Row>>> by_operator;
    for (const DeviceTime& device : devices) {
        for (const PredictedOperator& part : device.operators) {
            auto at = std::ranges::find_if(by_operator, [&](const auto& each) {
                return each.second.front().part->operation == part.operation;
            });
            if (at == by_operator.end()) {
                at = by_operator.insert(by_operator.end(), {Seconds{}, {}});
            }
            at->first = std::max(at->first, part.time);
            at->second.push_back({&device, &part});
        }
    }
    std::ranges::stable_sort(by_operator, std::greater<>(),
                             [](const auto& each) { return each.first; });
    for (const auto& [longest, rows] : by_operator) {
        for (const auto& [device, part] : rows) {
            std::vector<Cell> row = asked_cells(*device);
            row.emplace_back(part->operation);
            row.emplace_back(device->device);
            row.push_back(time_cell(part->time, by_model));
            row.push_back(device->time ? percent_cell(part->time / sum_of(*device), by_model)
                                       : Cell(Missing{device->reason}));
            row.emplace_back(std::string(name_of(part->binding)));
            row.push_back(percent_cell(part->binding_share, by_model));
            table.rows.push_back(std::move(row));
        }
    }
}

Table operator_table(std::span<const DeviceTime> times) {
    Table table{.title = "By operator", .columns = asked_columns(times), .records = "operators"};
    const std::vector<Column> columns = {{"operator", "operator", Importance::essential},
                                         {"device", "device", Importance::essential},
                                         {"time_s", "time", Importance::essential},
                                         {"share", "share", Importance::normal},
                                         {"term", "binds", Importance::essential},
                                         {"binding_share", "for", Importance::normal}};
    std::ranges::copy(columns, std::back_inserter(table.columns));
    table.notes.emplace_back(
        "binds: the longest term of the kernels that take the share of the operator's time under "
        "'for'; --explain says more.");
    return table;
}

}  // namespace

DeviceTime device_time(const Run& run, const Graph& graph, const NetworkPrediction& prediction,
                       const DeviceModel& model) {
    const DeviceDescription& device = model.device();
    DeviceTime one{.settings = run.settings,
                   .device = device.name,
                   .run = run.id,
                   .time = {},
                   .operators = operators_of(graph, prediction),
                   .memory = {}};
    if (is_incomplete(run)) {
        one.reason = holes_text(run);
        return one;
    }
    one.time = prediction.time();
    one.error = error_of(prediction, model);
    one.interval = run.interval;
    const double seconds = one.time->value / static_cast<double>(run.settings.batch) * 1e6;
    if (device.price) {
        one.dollars = device.price->value.value * seconds / 3600;
    }
    if (device.power) {
        one.joules = device.power->value.value * seconds;
    }
    return one;
}

Document device_times_document(std::span<const DeviceTime> times) {
    Document document{.title = "predictions", .blocks = {}, .kind = "device-times"};
    Table operators = operator_table(times);
    for (std::size_t first = 0; first < times.size();) {
        std::size_t end = first + 1;
        while (end < times.size() && asked_of(times[end]) == asked_of(times[first])) {
            ++end;
        }
        const auto devices = times.subspan(first, end - first);
        if (std::string sentence = sentence_on(devices); !sentence.empty()) {
            document.blocks.emplace_back(Paragraph{std::move(sentence)});
        }
        add_operators(devices, operators);
        first = end;
    }
    document.blocks.emplace_back(whole_table(times));
    add_origin(operators, Origin::modelled);
    document.blocks.emplace_back(std::move(operators));
    return document;
}

}  // namespace strata
