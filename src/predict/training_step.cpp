// SPDX-License-Identifier: MIT
#include "predict/training_step.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr double bytes_of_f32 = 4;

// One core; the cores of a chip share the memory's bandwidth equally.
struct Core {
    double clock;
    double arrays;
    Bandwidth memory;
};

Core core_of(const DeviceDescription& device) {
    if (device.kind != DeviceKind::tpu || !device.matrix_lanes || !device.boost_clock ||
        !device.processors || !device.dram_bandwidth) {
        throw Error(
            fmt::format("{} is no TPU with matrix_lanes, processors, boost_clock and "
                        "dram_bandwidth, where training steps can be predicted",
                        device.name));
    }
    return {device.boost_clock->value.value, device.matrix_lanes->value.value / (128.0 * 128.0),
            device.dram_bandwidth->value / device.processors->value.value};
}

// The time of a layer from a inputs to c units, by its products and its traffic.
Seconds layer_time(std::int64_t a, std::int64_t c, bool is_first, double samples, const Core& core,
                   const TrainingStepRates& rates) {
    const auto rows = static_cast<std::int64_t>(samples);
    const auto cycles = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        return overlapped_cycles({.m = m, .n = n, .k = k}, {});
    };
    const double all = cycles(rows, c, a) + (is_first ? 0 : cycles(rows, a, c)) +
                       cycles(a, c, rows);  // forward, data gradient, weight gradient
    const double ins = static_cast<double>(a), units = static_cast<double>(c);
    const Bytes traffic{bytes_of_f32 * (rates.weight_copies * ins * units +
                                        rates.activation_copies * samples * (ins + units))};
    return std::max(Seconds{all / (core.clock * core.arrays * rates.product.efficiency)},
                    traffic / (core.memory * rates.product.dram_efficiency));
}

// The numbers in "layer_L-node_n-input_I-output_O-bs_B", joined by commas.
std::string fields_of_label(std::string_view label, std::string_view origin) {
    constexpr std::array<std::string_view, 5> names = {"layer", "node", "input", "output", "bs"};
    const auto parts = split(label, '-');
    std::string fields;
    for (std::size_t i = 0; i < names.size() && parts.size() == names.size(); ++i) {
        const auto pair = split(parts[i], '_');
        if (pair.size() != 2 || pair[0] != names[i] || !parse_integer(pair[1])) {
            fields.clear();
            break;
        }
        fields += fmt::format("{},", *parse_integer(pair[1]));
    }
    if (fields.empty()) {
        throw Error(
            fmt::format("{}: the label '{}' is not of the form "
                        "layer_L-node_n-input_I-output_O-bs_B",
                        printable(origin), printable(label)));
    }
    return fields;
}

}  // namespace

double TrainingStepProblem::parameters() const {
    const double n = static_cast<double>(nodes), hidden = static_cast<double>(layers);
    const double ins = static_cast<double>(inputs), outs = static_cast<double>(outputs);
    return (ins + 1) * n + (hidden - 1) * (n + 1) * n + (n + 1) * outs;
}

Flops TrainingStepProblem::flops() const {
    const double n = static_cast<double>(nodes), ins = static_cast<double>(inputs);
    const double others =
        static_cast<double>(layers - 1) * n * n + n * static_cast<double>(outputs);
    return Flops{2 * static_cast<double>(batch) * (2 * ins * n + 3 * others)};
}

TrainingStepPrediction predict_training_step(const TrainingStepProblem& problem,
                                             const DeviceDescription& device,
                                             const TrainingStepRates& rates) {
    const Core core = core_of(device);
    const double samples =
        std::ceil(static_cast<double>(problem.batch) / static_cast<double>(problem.cores));
    const double layers = static_cast<double>(problem.layers);
    const auto layer = [&](std::int64_t a, std::int64_t c, bool is_first) {
        return layer_time(a, c, is_first, samples, core, rates);
    };
    const Bytes parameters{bytes_of_f32 * problem.parameters()};
    TrainingStepPrediction found;
    found.launch = rates.step + (layers + 1) * rates.product.launch;
    found.products = layer(problem.inputs, problem.nodes, true) +
                     (layers - 1) * layer(problem.nodes, problem.nodes, false) +
                     layer(problem.nodes, problem.outputs, false);
    found.optimizer =
        parameters * rates.optimizer_passes / (core.memory * rates.product.dram_efficiency);
    found.all_reduce = parameters / rates.all_reduce;
    const double entering = static_cast<double>(problem.inputs) +
                            rates.label_elements * static_cast<double>(problem.outputs);
    found.infeed =
        rates.infeed_wait +
        Bytes{bytes_of_f32 * static_cast<double>(problem.batch) * entering} / rates.infeed;
    const Seconds board = found.launch + found.products + found.optimizer + found.all_reduce;
    const Seconds longer = std::max(board, found.infeed);
    found.time = longer * std::pow(std::pow(board / longer, rates.overlap) +
                                       std::pow(found.infeed / longer, rates.overlap),
                                   1 / rates.overlap);
    return found;
}

std::string paradnn_csv(std::string_view json, std::string_view device, std::string_view origin) {
    const auto results = nlohmann::json::parse(json, nullptr, false);
    const auto list = [&](const char* name) -> const nlohmann::json& {
        if (!results.is_object() || !results.contains(name) || !results[name].is_array()) {
            throw Error(fmt::format("{}: has no list '{}'; give results of ParaDnn, or a table",
                                    printable(origin), name));
        }
        return results[name];
    };
    const auto& labels = list("labels");
    const auto& rates = list("step_per_sec");
    if (labels.size() != rates.size()) {
        throw Error(fmt::format("{}: has {} labels and {} step_per_sec", printable(origin),
                                labels.size(), rates.size()));
    }
    std::string csv = "device,layers,nodes,inputs,outputs,batch,milliseconds\n";
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!labels[i].is_string() || !rates[i].is_number() || !(rates[i].get<double>() > 0)) {
            throw Error(
                fmt::format("{}: entry {} of labels and step_per_sec is no text and no "
                            "positive number",
                            printable(origin), i + 1));
        }
        csv += fmt::format("{},{}{:.6g}\n", device,
                           fields_of_label(labels[i].get_ref<const std::string&>(), origin),
                           1e3 / rates[i].get<double>());
    }
    return csv;
}

}  // namespace strata
