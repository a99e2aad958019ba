// SPDX-License-Identifier: MIT
#include "networks/onnx/export.h"
#include "backend/inputs.h"
#include "base/enumeration.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"
#include "view/json.h"
#include "view/measured_problems.h"
#include "view/report.h"
#include "view/steps.h"
#include "view/tracks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace strata {

namespace {

struct ExportOptions {
    std::vector<std::string> subjects = {"last"};  // runs or, for --onnx, a network
    std::string database;
    std::string onnx;
    NetworkOptions network;
    std::uint64_t seed = 1;
    bool inference = false;
    bool chrome = false;
    bool perfetto = false;
    std::string problems;
    double shortest = empty_steps_of_shortest;
    OutputOptions output;
};

void require_one(const ExportOptions& options, std::string_view form, std::string_view instead) {
    if (options.subjects.size() > 1) {
        throw Error(fmt::format("{}, not {}: {}", form, options.subjects.size(), instead),
                    ExitCode::usage);
    }
}

void export_json(std::span<const Run> runs, const OutputOptions& output) {
    auto exported = nlohmann::ordered_json::array();
    for (const Run& run : runs) {
        exported.push_back(run_json(run, {}, conventions().front(), output.selection()));
    }
    emit_json("run",
              {{"runs", std::move(exported)},
               {"sweeps", nlohmann::ordered_json::array()},
               {"grids", nlohmann::ordered_json::array()},
               {"pairs", nlohmann::ordered_json::array()}},
              output);
}

void export_perfetto(std::span<const Run> runs, const OutputOptions& output) {
    if (output.file.empty() && terminal_width() > 0) {
        throw Error(
            "--perfetto writes binary data that a terminal cannot show: give a file with -o",
            ExitCode::usage);
    }
    emit_bytes(perfetto_trace(runs), output);
}

// Problems with their times, for `strata predict --problems`, `accuracy` and `calibrate --from`.
void export_problems(std::span<const Run> runs, const ExportOptions& options) {
    const auto kind = value_named<ProblemKind>(options.problems);
    if (!kind) {
        throw Error(fmt::format("--problems {}: give one of {}", printable(options.problems),
                                fmt::join(names_of(ProblemKind{}), ", ")),
                    ExitCode::usage);
    }
    const MeasuredProblems found = measured_problems(runs, *kind, options.shortest);
    const std::string left_out = left_out_sentence(found, *kind);
    if (found.problems == 0) {
        throw Error(left_out.empty() ? fmt::format("these runs have no {}", name_of(*kind))
                                     : fmt::format("no step can be used: {}", left_out));
    }
    if (!left_out.empty()) {
        say("{}", left_out);
    }
    emit(found.csv, options.output);
}

// The steps as a table, or the content of `strata report` as a page or as its charts only.
void export_one(std::span<const Run> runs, const ExportOptions& options) {
    const OutputOptions& output = options.output;
    if (output.html || output.gnuplot) {
        emit(report_document(runs), output);
        return;
    }
    require_one(options, "a table holds the steps of one run",
                "give several with --json, --html, --chrome or --perfetto");
    OutputOptions table = output;
    table.csv = !output.markdown;
    emit(steps_document(findings_of(runs.front())), table);
}

void export_runs(const ExportOptions& options) {
    std::vector<Run> runs;
    for (const std::string& name : options.subjects) {
        runs.push_back(load_named_run(database_path(options.database), name));
    }
    if (!options.problems.empty()) {
        export_problems(runs, options);
    } else if (options.chrome) {
        emit(chrome_trace_json(runs), options.output);
    } else if (options.perfetto) {
        export_perfetto(runs, options.output);
    } else if (options.output.json) {
        export_json(runs, options.output);
    } else {
        export_one(runs, options);
    }
}

// A weight without stored values gets its initial value in a run with this seed.
void export_network(const ExportOptions& options) {
    require_one(options, "an ONNX file holds one network", "export each with a separate command");
    const auto batches = batches_of(options.network);
    if (batches.size() > 1) {
        throw Error("an ONNX file holds one batch: give --batch a single number", ExitCode::usage);
    }
    const auto batch = batches.empty() ? std::nullopt : std::optional(batches[0]);
    const Graph graph = load_network(request_for(options.network, options.subjects.front(), batch),
                                     options.inference ? Mode::inference : Mode::training);
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
    add_option(verb, "--seed", options.seed, "seed of the weights without values in the network")
        ->type_name("N");
}

}  // namespace

void add_export(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* verb = app.add_subcommand("export",
                                        "Write stored runs as CSV (the default), JSON or a "
                                        "timeline, or a network as ONNX.");
    verb->footer(
        "strata export last --json -o run.json\n"
        "strata export last~1 last --perfetto -o both.pftrace   # on parallel tracks\n"
        "strata export 1 2 3 --problems convolutions -o convolutions.csv   # to fit rates to\n"
        "strata export alexnet --batch 32 --onnx alexnet.onnx");
    verb->add_option("runs", options->subjects,
                     "ids, last, last~1, or FILE:ID; with --onnx a network as in strata show")
        ->type_name("RUN");
    add_database_option(*verb, options->database);
    auto* chrome =
        add_switch(*verb, "--chrome", options->chrome, "a timeline in Chrome's trace format");
    add_switch(*verb, "--perfetto", options->perfetto,
               "a timeline in Perfetto's own format (.pftrace), for ui.perfetto.dev")
        ->excludes(chrome);
    add_option(*verb, "--problems", options->problems,
               "a table of the runs' products, convolutions or attention on a GPU, each with its "
               "time, for strata predict --problems, accuracy and calibrate --from")
        ->type_name("KIND");
    add_option(*verb, "--shortest", options->shortest,
               "with --problems: how many times as long as an empty one a step must take; the time "
               "stamps of shorter ones are a larger part of their times")
        ->check(CLI::Range(1.0, 1e6))
        ->type_name("N");
    add_output_options(*verb, options->output);
    add_onnx_options(*verb, *options);
    for (const char* form : {"--json", "--csv", "--md", "--html", "--gnuplot"}) {
        for (const char* file : {"--chrome", "--perfetto", "--problems", "--onnx"}) {
            verb->get_option(file)->excludes(verb->get_option(form));
        }
    }
    for (const char* file : {"--chrome", "--perfetto", "--onnx"}) {
        verb->get_option("--problems")->excludes(verb->get_option(file));
    }
    verb->callback(
        [options] { options->onnx.empty() ? export_runs(*options) : export_network(*options); });
}

}  // namespace strata
