// SPDX-License-Identifier: MIT
#include "networks/onnx/export.h"
#include "backend/inputs.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"
#include "view/chrome_trace.h"
#include "view/json.h"
#include "view/steps.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace strata {

namespace {

struct ExportOptions {
    std::string subject = "last";  // a run or, for --onnx, a network
    std::string database;
    std::string onnx;
    NetworkOptions network;
    std::uint64_t seed = 1;
    bool inference = false;
    bool chrome = false;
    OutputOptions output;
};

void export_run(const ExportOptions& options) {
    const Run run = load_named_run(database_path(options.database), options.subject);
    if (options.chrome) {
        emit(chrome_trace_json(run), options.output);
        return;
    }
    if (options.output.json) {
        emit_json("run",
                  {{"runs", {run_json(run, {}, conventions().front(), options.output.selection())}},
                   {"sweeps", nlohmann::ordered_json::array()},
                   {"grids", nlohmann::ordered_json::array()},
                   {"pairs", nlohmann::ordered_json::array()}},
                  options.output);
        return;
    }
    OutputOptions output = options.output;
    output.csv = !output.markdown;
    emit(steps_document(findings_of(run)), output);
}

// A weight without stored values gets the initial value that a run with this seed would give it.
void export_network(const ExportOptions& options) {
    const auto batches = batches_of(options.network);
    if (batches.size() > 1) {
        throw Error("an ONNX file holds one batch: give --batch a single number", ExitCode::usage);
    }
    const auto batch = batches.empty() ? std::nullopt : std::optional(batches[0]);
    Graph graph = load_network(request_for(options.network, options.subject, batch));
    if (options.inference) {
        graph = for_inference(std::move(graph));
    }
    export_onnx(graph, options.onnx, [&](TensorId tensor, std::span<float> values) {
        fill_initial_values(graph, tensor, options.seed, values);
    });
}

void add_onnx_options(CLI::App& verb, ExportOptions& options) {
    begin_group(verb, "A network as ONNX");
    verb.add_option("--onnx", options.onnx, "write the network to this file")->type_name("FILE");
    add_option(verb, "-b,--batch", options.network.batches, "examples per step")->type_name("N");
    verb.add_option("--dim", options.network.dims, "value of a symbolic dimension of the file")
        ->type_name("NAME=VALUE");
    verb.add_option("--set", options.network.variables, "value of a variable of the template")
        ->type_name("NAME=VALUE");
    add_switch(verb, "--inference", options.inference, "leave out the loss");
    add_option(verb, "--seed", options.seed,
               "seed of the weights for which the network has no values")
        ->type_name("N");
}

}  // namespace

void add_export(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* verb = app.add_subcommand("export",
                                        "Write a stored run as CSV (the default) or JSON, its "
                                        "trace as a timeline, or a network as ONNX.");
    verb->footer(
        "strata export last --json -o run.json\n"
        "strata export last --chrome -o trace.json\n"
        "strata export alexnet --batch 32 --onnx alexnet.onnx");
    verb->add_option("run", options->subject,
                     "an id, last, last~1, or FILE:ID; with --onnx a network as in strata show")
        ->type_name("RUN");
    add_database_option(*verb, options->database);
    add_switch(*verb, "--chrome", options->chrome,
               "the run's trace, for chrome://tracing or ui.perfetto.dev");
    add_output_options(*verb, options->output);
    add_onnx_options(*verb, *options);
    verb->callback(
        [options] { options->onnx.empty() ? export_run(*options) : export_network(*options); });
}

}  // namespace strata
