// SPDX-License-Identifier: MIT
#include "base/file.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/predict_network.h"
#include "cli/predict_parallel.h"
#include "cli/verbs.h"
#include "parallel/collective_table.h"
#include "predict/device_change.h"
#include "predict/gpu_rates.h"
#include "predict/stated_error.h"
#include "view/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace strata {

namespace {

struct PredictOptions {
    std::string problems;
    PredictNetworkOptions network;
    ParallelOptions parallel;

    // The device of all problems; empty: each has its own.
    std::string device() const {
        return network.devices.empty() ? std::string() : network.devices.front();
    }
};

// A device with its rates, or the reason why it is not described.
struct KnownDevice {
    std::optional<DeviceDescription> description;
    DeviceRates rates;
    DeviceRates own;  // the part of them that was fitted to this device
    bool is_changed = false;
    std::map<std::pair<std::string, bool>, IntervalRule> intervals = {};  // by class and kernel
};

KnownDevice known(DeviceDescription description, const std::vector<std::string>& changes) {
    KnownDevice device{.description = {},
                       .rates = rates_for_problems(description),
                       .own = rates_of(description.name)};
    for (const std::string& text : changes) {
        change(description, text);
    }
    device.is_changed = is_changed(description);
    device.description = std::move(description);
    return device;
}

// The interval's rule of problems like this one.
const IntervalRule& interval_rule(const ProblemRow& row, KnownDevice& device) {
    const std::pair key(row.problem_class, names_kernel(row));
    const auto at = device.intervals.find(key);
    return at != device.intervals.end()
               ? at->second
               : device.intervals
                     .emplace(key, IntervalRule(resembled_by(row, *device.description, device.own,
                                                             device.rates, device.is_changed)))
                     .first->second;
}

PredictedRow predicted(const ProblemRow& row, KnownDevice& device) {
    PredictedRow found{.row = &row};
    if (!device.description) {
        found.reason = row.device.empty()
                           ? "no device is named; give --device"
                           : fmt::format("'{}' is not described", printable(row.device));
    } else {
        try {
            found.time = predict_row(row, *device.description, device.rates);
            const IntervalRule& rule = interval_rule(row, device);
            found.interval = rule.interval(*found.time);
            found.basis = rule.basis(*found.time);
        } catch (const Error& error) {
            found.reason = error.what();
        }
    }
    return found;
}

void predict_problems(const PredictOptions& options) {
    if (!options.network.network.networks.empty() || options.network.devices.size() > 1) {
        throw Error("--problems takes no network and at most one device", ExitCode::usage);
    }
    if (std::ranges::any_of(options.network.asked, [](const Settings& settings) {
            return !settings.device_changes.empty();
        })) {
        throw Error(
            "--problems takes no --framework, and the type of each row from the table: omit them",
            ExitCode::usage);
    }
    const std::string only_device = options.device();
    ProblemTable table = read_problem_file(options.problems);
    std::map<std::string, KnownDevice> devices;
    std::vector<PredictedRow> predictions;
    for (ProblemRow& row : table.rows) {
        const std::string& name = only_device.empty() ? row.device : only_device;
        auto at = devices.find(name);
        if (at == devices.end()) {
            auto description = only_device.empty() ? description_called(name)
                                                   : std::optional(find_description(name));
            at = devices
                     .emplace(name, description ? known(*std::move(description),
                                                        options.network.network.variables)
                                                : KnownDevice())
                     .first;
        }
        if (name != row.device) {
            row = without_kernel(std::move(row));  // it ran on another device
        }
        predictions.push_back(predicted(row, at->second));
    }
    emit(predictions_document(table, predictions), options.network.output);
}

struct AccuracyOptions {
    std::vector<std::string> files;
    std::vector<std::string> devices;
    bool shows_intervals = false;
    std::string written;
    std::string source;
    OutputOptions output;
};

// Measured problems of several files.
struct MeasuredFiles {
    std::vector<ProblemTable> tables;
    std::vector<const ProblemRow*> rows;
};

MeasuredFiles read_measured(const std::vector<std::string>& names) {
    MeasuredFiles found;
    for (const std::string& name : names) {
        found.tables.push_back(read_problem_file(name));
    }
    for (const ProblemTable& table : found.tables) {
        for (const ProblemRow& row : table.rows) {
            found.rows.push_back(&row);
        }
    }
    return found;
}

template <class Row>
void require_some(const std::vector<Row>& rows) {
    if (rows.empty()) {
        throw Error(
            "none of the rows has a time, a described device and a problem that can be "
            "predicted");
    }
}

std::vector<AccuracyRow> accuracy_of_files(const std::vector<std::string>& names) {
    const MeasuredFiles files = read_measured(names);
    auto found = accuracy_of(files.rows);
    require_some(found);
    return found;
}

// Keeps the rows of these devices; all rows if none is given.
template <class Row>
void keep_devices(std::vector<Row>& rows, std::span<const std::string> devices) {
    for (const std::string& device : devices) {
        if (std::ranges::find(rows, device, &Row::device) == rows.end()) {
            throw Error(fmt::format("there are no measured times of {}; leave --device out to see "
                                    "all devices that have some",
                                    printable(device)),
                        ExitCode::usage);
        }
    }
    if (!devices.empty()) {
        std::erase_if(rows, [&](const Row& row) {
            return std::ranges::find(devices, row.device) == devices.end();
        });
    }
}

// Of tables of problems, of networks and of collectives.
std::vector<ResidualRow> residuals_of_files(const std::vector<std::string>& names) {
    std::vector<std::string> of_problems;
    std::vector<MeasuredTime> times;
    for (const std::string& name : names) {
        const auto file = MappedFile::open(name);
        const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                                    file->bytes().size());
        auto found = read_measured_networks(text, name);
        if (!found) {
            found = left_out_collectives(text, name);
        }
        if (found) {
            times.insert(times.end(), found->begin(), found->end());
        } else {
            of_problems.push_back(name);
        }
    }
    const MeasuredFiles files = read_measured(of_problems);
    std::vector<ResidualRow> rows = residuals_of(files.rows);
    std::ranges::copy(residuals_of(times), std::back_inserter(rows));
    require_some(rows);
    return rows;
}

// Shows the residuals that intervals come from, of the given tables or of those that are part of
// strata; or writes them.
void state_intervals(const AccuracyOptions& options) {
    StatedResiduals stated = stated_residuals();
    if (!options.files.empty()) {
        stated = {.source = options.source, .rows = residuals_of_files(options.files)};
    }
    if (!options.written.empty()) {
        replace_file(options.written, to_toml(stated));
        return;
    }
    keep_devices(stated.rows, options.devices);
    emit(intervals_document(stated), options.output);
}

// States the accuracy on the given tables, or on those that are part of strata.
void state_accuracy(const AccuracyOptions& options) {
    const bool is_stated = options.files.empty();
    auto rows = is_stated ? stated_accuracy().rows : accuracy_of_files(options.files);
    keep_devices(rows, options.devices);
    if (options.output.json) {
        emit(accuracy_json(rows), options.output);
    } else {
        emit(accuracy_document(rows, is_stated ? stated_accuracy().source : ""), options.output);
    }
}

}  // namespace

void add_predict(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<PredictOptions>();
    CLI::App* verb = app.add_subcommand(
        "predict",
        "Predict networks, or tables of single operators, on devices that are not present.");
    verb->footer(
        "strata predict alexnet --device gtx-1080 --batch 128\n"
        "strata predict resnet-50 --device k40,gtx-1080,v100,h100 --inference\n"
        "strata predict vgg-16 --device h100 --batch 64 --explain 'conv1*'\n"
        "strata predict bert-base --device v100 --sensitivity\n"
        "strata predict alexnet --device titan-x --batch 256 --devices 1,2,4 --overlap on,off\n"
        "strata predict alexnet --device v100 --set dram_bandwidth=2x --set sms=200\n"
        "strata predict --problems gemm.csv --device h100 --set dram_bandwidth=2x");
    add_option(*verb, "--problems", options->problems,
               "instead of a network: a table with the columns device, op, batch, m, n, k "
               "(products), device, n, c, hw, k, rs, stride, pad (convolutions), device, op, rows, "
               "columns (other operators), precision, batch, heads, queries, keys, width "
               "(attention), layers, nodes, inputs, outputs, batch (training steps on TPUs), or "
               "those of DeepBench's products, convolutions and recurrent layers")
        ->type_name("CSV");
    add_option(*verb, "--device", options->network.devices,
               "devices to predict for, several side by side; for a table, replaces its devices; "
               "see `strata list devices`")
        ->delimiter(',')
        ->type_name("NAME");
    add_predicted_network_options(*verb, options->network);
    add_parallel_options(*verb, options->parallel);
    add_output_options(*verb, options->network.output);
    verb->callback([options, &exit] {
        if (options->parallel.are_asked()) {
            exit = predict_divided(options->network, options->parallel);
        } else if (options->problems.empty()) {
            exit = predict_networks(options->network);
        } else {
            predict_problems(*options);
        }
    });
}

void add_accuracy(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<AccuracyOptions>();
    CLI::App* verb = app.add_subcommand(
        "accuracy",
        "Show the error of predictions against measured times, by device and class of problem.");
    verb->footer(
        "strata accuracy --device v100-pcie\n"
        "strata accuracy gemm.csv streaming.csv");
    verb->add_option("files", options->files,
                     "tables as for strata predict, with measured milliseconds; by default the "
                     "published times that are part of strata")
        ->type_name("CSV");
    verb->add_option("--device", options->devices, "show only these devices")
        ->delimiter(',')
        ->type_name("NAME");
    add_switch(*verb, "--intervals", options->shows_intervals,
               "show how measured times lie around predicted ones, which the intervals of "
               "predictions come from");
    add_option(*verb, "--write", options->written,
               "write that to a file instead, as data/residuals.toml has it")
        ->type_name("FILE");
    add_option(*verb, "--source", options->source, "what the tables are, for --write")
        ->type_name("TEXT");
    add_output_options(*verb, options->output);
    verb->callback([options] {
        if (options->shows_intervals || !options->written.empty()) {
            state_intervals(*options);
        } else {
            state_accuracy(*options);
        }
    });
}

}  // namespace strata
