// SPDX-License-Identifier: MIT
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "device/detect.h"
#include "device/device.h"
#include "measure/ceilings.h"
#include "run/steps.h"
#include "view/device.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct CalibrateOptions {
    int threads = 0;
    bool if_missing = false;
    OutputOptions output;
};

void calibrate(const CalibrateOptions& options) {
    if (options.if_missing && own_device()) {
        return;
    }
    Execution execution;
    execution.threads = options.threads;
    Device device;
    {
        ProgressLine line;
        device =
            measure_ceilings(detect_host(), thread_count(execution), {},
                             [&](const std::string& what) { line.show("measuring " + what, 0); });
    }
    const auto path = own_device_file();
    write_device(path, device);
    emit(device_document(device), options.output);
    fmt::print(stderr, "wrote {}\n", path.string());
}

}  // namespace

void add_calibrate(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<CalibrateOptions>();
    CLI::App* verb = app.add_subcommand(
        "calibrate", "Measure this machine's ceilings: arithmetic by type, caches, memory.");
    verb->footer("Example: strata calibrate\nRuns made afterwards are judged by these ceilings.");
    add_option(*verb, "--threads", options->threads, "threads; 0 takes all this process may use")
        ->check(whole_number(0));
    add_switch(*verb, "--if-missing", options->if_missing, "only where it was never done");
    add_output_options(*verb, options->output);
    verb->callback([options] { calibrate(*options); });
}

}  // namespace strata
