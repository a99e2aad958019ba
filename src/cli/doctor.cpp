// SPDX-License-Identifier: MIT
#include "view/doctor.h"
#include "cli/diagnosis.h"
#include "cli/options.h"
#include "cli/verbs.h"

#include <memory>

namespace strata {

namespace {

struct DoctorOptions {
    std::string database;
    OutputOptions output;
};

}  // namespace

void add_doctor(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::App* verb = app.add_subcommand(
        "doctor", "Show what this machine can measure, what it cannot, why, and how to fix it.");
    verb->footer("strata doctor");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options] {
        const auto findings = examine_machine(options->database);
        emit(options->output.is_data() ? doctor_records(findings) : doctor_document(findings),
             options->output);
    });
}

}  // namespace strata
