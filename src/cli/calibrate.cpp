// SPDX-License-Identifier: MIT
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "device/detect.h"
#include "device/device.h"
#include "measure/ceilings.h"
#include "run/steps.h"
#include "view/device.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace strata {

namespace {

struct CalibrateOptions {
    std::string backend;
    int threads = 0;
    bool if_missing = false;
    OutputOptions output;
};

bool has_ceilings(const BackendInfo& backend) {
    return (backend.device_memory ? device_of(backend.device_model) : own_device()).has_value();
}

// What was measured, and the file that keeps it.
struct Calibrated {
    Device device;
    std::filesystem::path file;
};

Calibrated calibrate_processors(const CalibrateOptions& options, ProgressLine& line) {
    Execution execution;
    execution.threads = options.threads;
    return {measure_ceilings(detect_host(), thread_count(execution), {},
                             [&](const std::string& what) { line.show("measuring " + what, 0); }),
            own_device_file()};
}

// Of the backend's own device, or, where it has none, of this machine's processors.
Calibrated calibrate_backend(const CalibrateOptions& options, ProgressLine& line) {
    const auto backend = find_backend(options.backend).make();
    if (options.if_missing && has_ceilings(backend->info())) {
        return {};
    }
    auto device = backend->measure_device(
        [&](const std::string& what) { line.show("measuring " + what, 0); });
    if (!device) {
        return calibrate_processors(options, line);
    }
    const auto file = device_file_of(device->model);
    return {*std::move(device), file};
}

void calibrate(const CalibrateOptions& options) {
    if (options.backend.empty() && options.if_missing && own_device()) {
        return;
    }
    Calibrated done;
    {
        ProgressLine line;
        done = options.backend.empty() ? calibrate_processors(options, line)
                                       : calibrate_backend(options, line);
    }
    if (done.file.empty()) {
        return;
    }
    write_device(done.file, done.device);
    emit(device_document(done.device), options.output);
    fmt::print(stderr, "wrote {}\n", done.file.string());
}

}  // namespace

void add_calibrate(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<CalibrateOptions>();
    CLI::App* verb = app.add_subcommand(
        "calibrate", "Measure this machine's ceilings: arithmetic by type, caches, memory.");
    verb->footer(
        "strata calibrate                  # runs made afterwards are judged by these ceilings\n"
        "strata calibrate --backend cuda");
    add_option(*verb, "--backend", options->backend, "measure the device of this backend instead")
        ->type_name(join(backend_names(), "|"));
    add_option(*verb, "--threads", options->threads, "threads; 0 takes all this process may use")
        ->check(whole_number(0))
        ->type_name("N");
    add_switch(*verb, "--if-missing", options->if_missing, "only where it was never done");
    add_output_options(*verb, options->output);
    verb->callback([options] { calibrate(*options); });
}

}  // namespace strata
