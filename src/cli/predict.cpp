// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "cli/options.h"
#include "cli/predict_network.h"
#include "cli/predict_parallel.h"
#include "cli/verbs.h"
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
};

KnownDevice known(DeviceDescription description, const std::vector<std::string>& changes) {
    DeviceRates rates = rates_for_problems(description);
    for (const std::string& text : changes) {
        change(description, text);
    }
    return {std::move(description), std::move(rates)};
}

// Drops the kernel of a row: it ran on another device.
void forget_kernel(ProblemRow& row) {
    if (auto* product = std::get_if<GemmRow>(&row.problem)) {
        product->kernel.reset();
    }
    if (auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        convolution->kernel.reset();
    }
}

PredictedRow predicted(const ProblemRow& row, const KnownDevice& device) {
    PredictedRow found{.row = &row};
    if (!device.description) {
        found.reason = row.device.empty()
                           ? "no device is named; give --device"
                           : fmt::format("'{}' is not described", printable(row.device));
    } else {
        try {
            found.time = predict_row(row, *device.description, device.rates);
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
            forget_kernel(row);
        }
        predictions.push_back(predicted(row, at->second));
    }
    emit(predictions_document(table, predictions), options.network.output);
}

struct AccuracyOptions {
    std::vector<std::string> files;
    std::vector<std::string> devices;
    OutputOptions output;
};

std::vector<AccuracyRow> accuracy_of_files(const std::vector<std::string>& names) {
    std::vector<ProblemTable> tables;
    std::vector<const ProblemRow*> rows;
    for (const std::string& name : names) {
        tables.push_back(read_problem_file(name));
    }
    for (const ProblemTable& table : tables) {
        for (const ProblemRow& row : table.rows) {
            rows.push_back(&row);
        }
    }
    auto found = accuracy_of(rows);
    if (found.empty()) {
        throw Error(
            "none of the rows has a time, a described device and a problem that can be "
            "predicted");
    }
    return found;
}

// Keeps the rows of these devices; all rows if none is given.
void keep_devices(std::vector<AccuracyRow>& rows, std::span<const std::string> devices) {
    for (const std::string& device : devices) {
        if (std::ranges::find(rows, device, &AccuracyRow::device) == rows.end()) {
            throw Error(fmt::format("there are no measured times of {}; leave --device out to see "
                                    "all devices that have some",
                                    printable(device)),
                        ExitCode::usage);
        }
    }
    if (!devices.empty()) {
        std::erase_if(rows, [&](const AccuracyRow& row) {
            return std::ranges::find(devices, row.device) == devices.end();
        });
    }
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
    add_output_options(*verb, options->output);
    verb->callback([options] { state_accuracy(*options); });
}

}  // namespace strata
