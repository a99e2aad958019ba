// SPDX-License-Identifier: MIT
#include "cli/predict_network.h"

#include "base/text.h"
#include "cli/results.h"
#include "device/host.h"
#include "predict/quantized.h"
#include "predict/sensitivity.h"
#include "run/campaign.h"
#include "run/modelled.h"
#include "store/database.h"
#include "store/save.h"
#include "view/device_times.h"
#include "view/predicted.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// The changes of --set: to the device's numbers, as runs store them, and to the variables of a
// template.
struct Changes {
    std::map<std::string, std::string> of_device;
    std::vector<std::string> of_template;
};

// TF32 is a way to multiply f32, and products in 8 bits are among numbers of 16. They are named
// here beside the types.
constexpr std::array<std::string_view, 6> predicted_types = {"f32", "tf32", "bf16",
                                                             "f16", "fp8",  "int8"};
constexpr const char* products_change = "products";
constexpr const char* framework_change = "framework";

std::string type_text(const Settings& settings) {
    if (const auto products = settings.device_changes.find(products_change);
        products != settings.device_changes.end()) {
        return products->second;
    }
    const Numerics& numerics = settings.execution.numerics;
    return std::string(numerics.single_precision == SinglePrecision::tf32
                           ? name_of(numerics.single_precision)
                           : name_of(numerics.dtype));
}

bool set_type(Settings& settings, std::string_view text) {
    if (std::ranges::find(predicted_types, text) == predicted_types.end()) {
        return false;
    }
    const bool is_narrowed = text == name_of(SinglePrecision::tf32);
    const bool is_fp8 = text == "fp8", is_int8 = text == "int8";
    Numerics& numerics = settings.execution.numerics;
    numerics.dtype = is_narrowed ? DataType::f32
                     : is_fp8    ? DataType::bf16
                     : is_int8   ? DataType::f16
                                 : parse_data_type(text);
    settings.device_changes.erase(products_change);
    if (is_fp8 || is_int8) {
        settings.device_changes[products_change] = text;
    }
    numerics.single_precision = is_narrowed ? SinglePrecision::tf32 : SinglePrecision::full;
    return true;
}

const Option& type_option() {
    static const Option option = [] {
        Option types = option_named("dtype");
        types.choices = [] { return std::span<const std::string_view>(predicted_types); };
        types.help =
            "element type; tf32 is f32 that is multiplied in TF32, fp8 and int8 are products in 8 "
            "bits among bf16 and f16; several are compared";
        types.text = type_text;
        types.set = set_type;
        types.requirement = {};
        return types;
    }();
    return option;
}

const Option& framework_option() {
    static const Option option = {
        .name = framework_change,
        .flag = "--framework",
        .group = OptionGroup::execution,
        .value = OptionValue::several,
        .choices = framework_names,
        .help =
            "what runs on a GPU's host: its time for each pass, and what it fuses; several are "
            "compared",
        .text =
            [](const Settings& settings) {
                const auto asked = settings.device_changes.find(framework_change);
                return asked == settings.device_changes.end() ? frameworks().front().name
                                                              : asked->second;
            },
        .set =
            [](Settings& settings, std::string_view text) {
                const bool is_known =
                    std::ranges::find(framework_names(), text) != framework_names().end();
                if (is_known) {
                    settings.device_changes[framework_change] = text;
                }
                return is_known;
            }};
    return option;
}

bool names_device_number(std::string_view key) {
    return key == "launch" || key == "cudnn" || key == "sms" || key == "tf32" ||
           key == framework_change || key == products_change ||
           std::ranges::find(device_fields(), key, &DeviceField::key) != device_fields().end();
}

Changes changes_in(const PredictNetworkOptions& options) {
    const bool is_template =
        std::ranges::any_of(options.network.networks,
                            [](const std::string& name) { return name.ends_with(".dnntemplate"); });
    Changes found;
    for (const std::string& text : options.network.variables) {
        const auto [key, value] = name_and_value(text, "--set");
        if (is_template && !names_device_number(key)) {
            found.of_template.push_back(text);
            continue;
        }
        std::string& told = found.of_device[key == "sms" ? "processors" : key];
        told += (told.empty() ? "" : ", ") + value;
    }
    return found;
}

// The device of this name; the host with the requested number of threads.
DeviceDescription device_called(const std::string& name, const std::vector<Settings>& asked) {
    const int threads = asked.front().execution.scheduling.threads;
    for (const Settings& settings : asked) {
        if (settings.execution.scheduling.threads != threads) {
            throw Error("a prediction takes one number of threads: give --threads one value",
                        ExitCode::usage);
        }
    }
    if (threads == 0) {
        return find_description(name);
    }
    auto host = host_name_in(name);
    if (!host) {
        throw Error(fmt::format("--threads is only for this machine, --device host; change the "
                                "cores of {} with --set processors={}",
                                printable(name), threads),
                    ExitCode::usage);
    }
    if (host->threads && *host->threads != threads) {
        throw Error(fmt::format("{} and --threads {} give different numbers of threads: omit one",
                                printable(name), threads),
                    ExitCode::usage);
    }
    host->threads = threads;
    return find_description(text_of(*host));
}

std::vector<PredictedDevice> devices_for(const PredictNetworkOptions& options) {
    if (options.devices.empty()) {
        throw Error("name the device to predict with --device; strata list devices names them",
                    ExitCode::usage);
    }
    std::vector<PredictedDevice> found;
    for (const std::string& name : options.devices) {
        found.emplace_back(device_called(name, options.asked));
    }
    return found;
}

Experiment experiment_for(const PredictNetworkOptions& options, const Changes& changes) {
    NetworkOptions network = options.network;
    network.variables = changes.of_template;
    Job common;
    common.request = request_for(network, {}, {});
    common.device_changes = changes.of_device;
    return experiment_of({.common = std::move(common),
                          .networks = network.networks,
                          .batches = batches_of(network),
                          .settings = options.asked,
                          .variations = variations_of(network)});
}

std::string title_of(const Job& job, const PredictedDevice& device) {
    const Framework* const framework = device.model(job).framework();
    return fmt::format("{}, batch {}, {}, {}, modelled on {}{}", printable(job.request.network),
                       batch_of(job.plan->graph), name_of(job.execution.numerics.mode),
                       type_text(settings_of(job)), device.model(job).device().model,
                       framework == nullptr ? "" : ", " + framework->name);
}

// A job on a device: the run and its explanation.
struct Predicted {
    NetworkPrediction prediction;
    Run run;
};

// f32 is multiplied in TF32 only by devices that have it.
void require_tf32(const Job& job, const DeviceDescription& device) {
    if (job.execution.numerics.single_precision == SinglePrecision::tf32 && !device.tf32_peak) {
        throw Error(
            fmt::format("{} does not multiply in TF32: choose another --dtype, or state its "
                        "tf32_peak in a description of your own",
                        printable(device.name)),
            ExitCode::usage);
    }
}

// Of products in 8 bits, and of some frameworks, no training was measured.
void require_inference(const Job& job, const DeviceModel& model) {
    if (job.execution.numerics.mode != Mode::training) {
        return;
    }
    if (job.device_changes.contains(products_change)) {
        throw Error("products in 8 bits are predicted in inference only: add --inference",
                    ExitCode::usage);
    }
    if (const Framework* framework = model.framework(); framework && framework->infers_only) {
        throw Error(fmt::format("no measured training says how long {} takes: add --inference, or "
                                "name another --framework",
                                framework->name),
                    ExitCode::usage);
    }
}

// Products in 8 bits are those of some layers with weights.
void require_narrowed(const Job& job) {
    const auto products = job.device_changes.find(products_change);
    if (products == job.device_changes.end()) {
        return;
    }
    const DataType narrow = product_type(products->second);
    const auto& tensors = job.plan->graph.tensors;
    if (std::ranges::none_of(tensors,
                             [&](const GraphTensor& one) { return one.tensor.dtype == narrow; })) {
        throw Error(
            fmt::format(
                "{} has no fully connected layer or product with weights but its last one, "
                "which {} does not narrow{}",
                printable(job.request.network), products->second,
                narrow == DataType::s8 ? "; --framework tensorrt narrows convolutions, too" : ""),
            ExitCode::usage);
    }
}

Predicted predicted(Job job, const PredictedDevice& device) {
    const DeviceModel& model = device.model(job);
    set_device(job, model.device());
    Predicted found{.prediction = predict_network(*job.plan, job.execution, model), .run = {}};
    found.run = modelled_run(job, model, found.prediction);
    return found;
}

void explain(const PredictNetworkOptions& options, const Experiment& experiment,
             const std::vector<PredictedDevice>& devices) {
    std::vector<Document> documents;
    for (const Group& group : experiment.groups) {
        for (const Job& job : group) {
            for (const PredictedDevice& device : devices) {
                const Predicted found = predicted(job, device);
                const PredictedNetwork network{job.plan->graph, found.prediction, device.model(job),
                                               title_of(job, device)};
                if (!options.explained.empty()) {
                    documents.push_back(explanation_document(network, options.explained));
                }
                if (options.shows_sensitivity) {
                    documents.push_back(sensitivity_document(
                        network, sensitivity_of(*job.plan, job.execution, network.device),
                        upgrades_of(*job.plan, job.execution, network.device, upgrade_factors)));
                }
            }
        }
    }
    emit(documents, options.output);
}

DeviceTime device_time(const Job& job, const Predicted& found, const PredictedDevice& device) {
    const DeviceModel& model = device.model(job);
    DeviceTime one = device_time(found.run, job.plan->graph, found.prediction, model);
    one.device = device.name();
    const ModelledMemory memory = memory_of(*job.plan, found.prediction, model.device());
    one.memory = memory.needed();
    if (memory.of_device) {
        one.fits = memory.fits();
    }
    return one;
}

// Each run is stored as soon as it is predicted.
ExitCode side_by_side(const PredictNetworkOptions& options, const Experiment& experiment,
                      const std::vector<PredictedDevice>& devices) {
    const Database database = Database::open(database_path(options.database));
    std::vector<DeviceTime> times;
    ExitCode code = ExitCode::done;
    for (const Group& group : experiment.groups) {
        for (const Job& job : group) {
            for (const PredictedDevice& device : devices) {
                Predicted found = predicted(job, device);
                save_run(database, found.run);
                times.push_back(device_time(job, found, device));
                code = graver(code, exit_code_of(std::span(&found.run, 1)));
            }
        }
    }
    emit(device_times_document(times), options.output);
    return code;
}

ExitCode as_runs(const PredictNetworkOptions& options, const Experiment& experiment,
                 const PredictedDevice& device) {
    const Database database = Database::open(database_path(options.database));
    ResultPrinter printer({.output = options.output,
                           .by = parse_groupings(options.by),
                           .filter = {options.layers, options.passes},
                           .shows_all = options.shows_all});
    ExitCode code = ExitCode::done;
    std::vector<Run> compared;  // of one network and batch, which differ in their settings
    for (const Group& group : experiment.groups) {
        std::vector<Run> runs;
        for (const Job& job : group) {
            Predicted found = predicted(job, device);
            save_run(database, found.run);
            runs.push_back(std::move(found.run));
        }
        printer.add(runs, std::nullopt);
        code = graver(code, exit_code_of(runs));
        compared.insert(compared.end(), runs.begin(), runs.end());
        if (compared.size() == experiment.settings.size() && group.size() == 1) {
            printer.add_pairs(compared);
            compared.clear();
        }
    }
    printer.finish();
    return code;
}

void add_listed_options(CLI::App& verb, PredictNetworkOptions& options) {
    begin_group(verb, "Execution");
    add_listed(verb, type_option(), options.asked);
    add_listed(verb, framework_option(), options.asked);
    for (const char* name :
         {"threads", "mode", "optimizer", "algorithm", "first_layer_gradient", "bias", "fuse"}) {
        add_listed(verb, option_named(name), options.asked);
    }
    verb.add_option_function<std::string>(
            "--mode",
            [&options](const std::string& text) {
                options.asked = with_values(options.asked, option_named("mode"), {text});
            },
            "training, or inference (forward only)")
        ->check(CLI::IsMember(std::vector<std::string>{"training", "inference"}))
        ->type_name(choices_of<Mode>());
}

}  // namespace

const DeviceModel& PredictedDevice::model(const Job& job) const {
    std::unique_ptr<DeviceModel>& model = models_[job.device_changes];
    if (!model) {
        model = model_of(device_, changes_in(job.device_changes));
    }
    return *model;
}

void add_predicted_network_options(CLI::App& verb, PredictNetworkOptions& options) {
    add_network_options(verb, options.network);
    verb.get_option("network")->required(false);
    verb.get_option("--set")
        ->description(
            "change a number of the device, such as l2=128MiB, dram_bandwidth=2x, sms=200, "
            "launch=3us, cudnn=5 or tf32=convolutions; or set a variable of the template")
        ->type_name("KEY=VALUE");
    add_vary_option(verb, options.network);
    add_listed_options(verb, options);
    begin_group(verb, "Selection");
    add_listed(verb, option_named("slice"), options.asked);
    add_option(verb, "--layer", options.layers, "show only layers matching this glob")
        ->type_name("GLOB");
    add_option(verb, "--pass", options.passes, "show only these passes, separated by commas")
        ->type_name("forward|backward-data|backward-weights|update");
    add_by_option(verb, options.by);
    add_all_option(verb, options.shows_all);
    add_option(verb, "--explain", options.explained,
               "explain the times of the layers that match this glob: kernels, terms, limits")
        ->type_name("GLOB");
    add_switch(verb, "--sensitivity", options.shows_sensitivity,
               "show the value of each resource of the device, and which upgrade pays");
    add_database_option(verb, options.database);
}

RequestedPredictions requested_predictions(const PredictNetworkOptions& options) {
    if (options.network.networks.empty()) {
        throw Error("name a network to predict, or a table with --problems", ExitCode::usage);
    }
    RequestedPredictions requested{.devices = devices_for(options),
                                   .experiment = experiment_for(options, changes_in(options))};
    for (const Group& group : requested.experiment.groups) {
        for (const Job& job : group) {
            require_narrowed(job);
            for (const PredictedDevice& device : requested.devices) {
                require_tf32(job, device.model(job).device());
                require_inference(job, device.model(job));
            }
        }
    }
    return requested;
}

ExitCode predict_networks(const PredictNetworkOptions& options) {
    const auto [devices, experiment] = requested_predictions(options);
    if (!options.explained.empty() || options.shows_sensitivity) {
        explain(options, experiment, devices);
        return ExitCode::done;
    }
    if (devices.size() > 1) {
        return side_by_side(options, experiment, devices);
    }
    return as_runs(options, experiment, devices.front());
}

}  // namespace strata
