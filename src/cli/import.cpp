// SPDX-License-Identifier: MIT
#include "import/dnnmark.h"

#include "base/enumeration.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "device/description.h"
#include "graph/plan.h"
#include "import/devices.h"
#include "import/formats.h"
#include "import/paradnn.h"
#include "import/run.h"
#include "op/convention.h"
#include "record/identity.h"
#include "run/execute.h"
#include "run/job.h"
#include "run/modelled.h"
#include "run/steps.h"
#include "store/database.h"
#include "store/kernels.h"
#include "store/save.h"
#include "view/import.h"
#include "view/kernels.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace strata {

namespace {

constexpr std::string_view paradnn_format = "paradnn";

struct ImportOptions {
    std::string file;
    std::string format;
    std::string device;
    std::string network;
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> iterations;
    std::vector<std::string> dims;
    std::string database;
    OutputOptions output;
};

void store(const Database& database, KernelSet& set) {
    if (store_kernels(database, set) == Stored::before) {
        say("the kernels of {} were imported before; nothing was added", printable(set.network));
    }
}

void import_kernels(const ImportOptions& options) {
    std::vector<KernelSet> sets = read_dnnmark_kernels(options.file);
    const Database database = Database::open(database_path(options.database));
    Document document{.title = "import", .kind = "import"};
    for (KernelSet& set : sets) {
        store(database, set);
        auto blocks =
            kernels_document(set, count_keys(database, set.id), kernel_census(database, set.id),
                             shared_kernels(database, set.id))
                .blocks;
        document.blocks.insert(document.blocks.end(), blocks.begin(), blocks.end());
    }
    emit(document, options.output);
}

// The network's request with the requested batch or, if the recording states it, the recorded one.
NetworkRequest request_for(const ImportOptions& options, const RecordedProfile& recording) {
    NetworkOptions asked;
    asked.dims = options.dims;
    return request_for(asked, options.network,
                       options.batch ? options.batch : recorded_batch(recording));
}

NetworkSteps network_for(const NetworkRequest& request, Mode mode) {
    Job job;
    job.request = request;
    job.execution.numerics.mode = mode;
    const auto plan = planned(std::move(job)).plan;
    return {.graph = plan->graph,
            .steps = step_results(*plan, scheduled_steps(*plan, "not recorded"), {})};
}

// "trace" of "runs/trace.json.gz".
std::string stem_of(const std::filesystem::path& file) {
    const std::filesystem::path stem = file.stem();
    return (file.extension() == ".gz" ? stem.stem() : stem).string();
}

// The run of one device's recording.
ImportedRun imported_run(const ImportOptions& options, RecordedProfile recording,
                         const std::string& hash) {
    const auto recorded = recorded_batch(recording);
    if (!options.batch && !recorded) {
        recording.doubts.push_back("the file does not state the batch: give it with --batch");
    }
    std::optional<NetworkSteps> network;
    ImportRequest request{.file = std::filesystem::path(options.file).filename().string(),
                          .network = stem_of(options.file),
                          .batch = options.batch.value_or(recorded.value_or(1)),
                          .iterations = options.iterations,
                          .content = {{"recording", hash}},
                          .created = now_utc()};
    if (!recording.devices.empty()) {
        request.content["device"] = label_of(recording.devices.front());
    }
    if (!options.network.empty()) {
        Job job;
        job.request = request_for(options, recording);
        request.content.merge(content_of(job));
        network = network_for(job.request, recorded_mode(recording));
        request.network = canonical_network(options.network);
        request.batch = batch_of(network->graph);
    }
    return imported_run(recording, request, network ? &*network : nullptr);
}

// A file's contents can violate the database's constraints only through a bug in the import.
std::size_t store(const ImportOptions& options, std::span<Run> runs) {
    const Database database = Database::open(database_path(options.database));
    try {
        return save_imported(database, runs);
    } catch (const BrokenConstraint& error) {
        throw Error(
            fmt::format("the contents of '{}' cannot be stored; this is a bug in strata, please "
                        "report it with the file; the database is intact ({})",
                        printable(options.file, 1000), error.what()));
    }
}

std::vector<ImportBook> books_of(const Ledger& ledger) {
    std::vector<ImportBook> books = {
        {.use = "used", .records = ledger.used().records, .time = ledger.used().time()},
        {.use = "context", .records = ledger.context().records, .time = ledger.context().time()}};
    for (const LeftOutAccount& account : ledger.accounts()) {
        books.push_back({.use = "left out",
                         .reason = std::string(name_of(account.reason)),
                         .what = account.what,
                         .records = account.account.records,
                         .time = account.account.time()});
    }
    return books;
}

void import_recording(const ImportOptions& options) {
    const ImportFormat& format = format_for(options.file, options.format);
    ByteSource source(options.file);
    RecordedProfile recording = format.read(source);
    const std::string hash = fmt::format("{:016x}", source.hash());
    std::vector<Run> runs;
    std::vector<std::vector<std::string>> by;
    const Ledger ledger = recording.ledger;
    for (RecordedProfile& part : by_device(std::move(recording))) {
        ImportedRun imported = imported_run(options, std::move(part), hash);
        runs.push_back(std::move(imported.run));
        by.push_back(std::move(imported.by));
    }
    const std::size_t anew = store(options, runs);
    if (anew < runs.size()) {
        say("{} was imported before as run {}; nothing was added",
            printable(std::filesystem::path(options.file).filename().string()), runs.front().id);
    }
    Document document{.title = "import", .kind = "import"};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Document one = import_document(runs[i], by[i]);
        if (runs.size() == 1) {
            document.title = one.title;
        } else {
            document.blocks.emplace_back(Heading{one.title});
        }
        document.blocks.insert(document.blocks.end(), one.blocks.begin(), one.blocks.end());
    }
    document.blocks.emplace_back(books_table(books_of(ledger)));
    emit(document, options.output);
}

// A training step of the network, by the sum of its layers' passes.
CountedStep counted_step(const ParadnnEntry& entry) {
    const auto plan = plan_of(
        load_network({.network = entry.network, .batch = entry.batch, .dims = {}, .variables = {}}),
        {});
    const UpdateCost update = cost_of(plan->numerics.optimizer);
    CountedStep counted;
    for (const Task& task : plan->schedule.tasks) {
        const Op& op = plan->graph.layers[task.layer].op;
        const Signature& signature = plan->signatures[task.layer];
        const Work work = work_of(op, signature, task.pass, update);
        counted.flops += count(op, signature, task.pass, conventions().front(), update);
        counted.read += work.read;
        counted.written += work.written;
    }
    return counted;
}

// The ceilings of the platform, which ParaDnn's files do not name.
DeviceDescription paradnn_device(const ImportOptions& options, ParadnnPlatform platform) {
    return find_description(!options.device.empty()            ? options.device
                            : platform == ParadnnPlatform::tpu ? "tpu-v2-8"
                                                               : "v100");
}

void import_paradnn(const ImportOptions& options) {
    ByteSource source(options.file);
    const ParadnnResults results = read_paradnn(source);
    const DeviceDescription device = paradnn_device(options, results.platform);
    const Device ceilings = ceilings_of(device);
    const ParadnnFiling filing{.file = std::filesystem::path(options.file).filename().string(),
                               .device = device.name,
                               .content = fmt::format("{:016x}", source.hash()),
                               .created = now_utc()};
    std::vector<Run> runs;
    for (const ParadnnEntry& entry : results.entries) {
        Run& run =
            runs.emplace_back(imported_run(entry, results.platform, filing, counted_step(entry)));
        run.device = ceilings;
    }
    const Database database = Database::open(database_path(options.database));
    const std::size_t anew = save_imported(database, runs);
    emit(import_sweep_document(runs, anew, device.model), options.output);
}

bool is_paradnn_import(const ImportOptions& options) {
    return options.format == paradnn_format ||
           (options.format.empty() && is_paradnn(head_of(options.file)));
}

void import_file(const ImportOptions& options) {
    if (is_paradnn_import(options)) {
        import_paradnn(options);
        return;
    }
    if (!options.device.empty()) {
        throw Error("--device is only for ParaDnn's results, which do not name their device",
                    ExitCode::usage);
    }
    const bool is_dictionary = options.format.empty() && is_sqlite_file(options.file) &&
                               !is_nsight_systems_file(options.file);
    if (is_dictionary) {
        import_kernels(options);
    } else {
        import_recording(options);
    }
}

std::string format_names() {
    std::vector<std::string> names;
    for (const ImportFormat& format : import_formats()) {
        names.emplace_back(format.name);
    }
    names.emplace_back(paradnn_format);
    return join(names, "|");
}

}  // namespace

void add_import(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ImportOptions>();
    CLI::App* verb = app.add_subcommand(
        "import",
        "Import what another tool recorded: profiles of PyTorch, TensorFlow, ONNX Runtime and "
        "oneDNN, kernels of Nsight Systems, Nsight Compute, nvprof and rocprof, DNNMark's logs "
        "and kernel databases, ParaDnn's results.");
    verb->footer("strata import trace.json.gz --network model.onnx");
    verb->add_option("file", options->file, "file that the tool wrote; its format is recognised")
        ->required()
        ->type_name("FILE");
    add_option(*verb, "--network", options->network,
               "match it with the layers of this network: a file or a name, as for run")
        ->type_name("NETWORK");
    add_option(*verb, "--batch", options->batch,
               "examples per iteration, if the file does not state them")
        ->check(whole_number(1))
        ->type_name("N");
    add_option(*verb, "--device", options->device,
               "device of ParaDnn's results: tpu-v2-8 or v100, as published")
        ->type_name("DEVICE");
    add_option(*verb, "--dim", options->dims, "value of a symbolic dimension of the network")
        ->type_name("NAME=VALUE");
    add_option(*verb, "--iterations", options->iterations,
               "number of iterations in the file, if they are not detected")
        ->check(whole_number(1))
        ->type_name("N");
    add_option(*verb, "--format", options->format, "the file's format, if it is not recognised")
        ->type_name(format_names());
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options] { import_file(*options); });
}

}  // namespace strata
