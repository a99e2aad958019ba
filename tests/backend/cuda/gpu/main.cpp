// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/check.h"

#include "backend/cuda/engine.h"
#include "base/text.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

// gpu_check [--out FILE.csv] [--from N] [NAME...]
// gpu_check [--quick] --list: the checks; with --quick those of the quick run, with their limits in
// seconds.
// Runs what only a GPU can show and adds it to a CSV file. Exit 0: all checks passed; 1: some
// failed; 3: the device is unusable for this process, and FILE.csv.next holds the case to continue
// with; 77: no GPU.

namespace strata::testing {

namespace {

constexpr int unusable = 3;
constexpr int skipped = 77;

struct Options {
    bool list = false;
    bool quick = false;
    std::string out;
    std::size_t from = 0;
    std::vector<std::string> names;
};

Options parse(std::span<char*> arguments) {
    Options options;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--list") {
            options.list = true;
        } else if (argument == "--quick") {
            options.quick = true;
        } else if (argument == "--out" && i + 1 < arguments.size()) {
            options.out = arguments[++i];
        } else if (argument == "--from" && i + 1 < arguments.size()) {
            options.from = static_cast<std::size_t>(parse_number(arguments[++i]).value_or(0));
        } else {
            options.names.emplace_back(argument);
        }
    }
    return options;
}

void list_checks(bool quick) {
    for (const Check& check : gpu_checks()) {
        if (!quick) {
            fmt::print("{:<20} {}\n", check.name, check.shows);
        } else if (check.quick_seconds > 0) {
            fmt::print("{:<20} {:>3} {}\n", check.name, check.quick_seconds, check.shows);
        }
    }
}

// A field of CSV; failures are sentences with commas.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + "\"";
}

class Report {
public:
    explicit Report(std::string path) : path_(std::move(path)) {
        const bool is_new = !std::filesystem::exists(path_);
        file_.open(path_, std::ios::app);
        if (is_new) {
            file_ << "check,subject,value,unit,failure\n" << std::flush;
        }
    }

    void add(const Check& check, const Finding& finding) {
        failures_ += finding.failure.empty() ? 0 : 1;
        const std::string value =
            finding.unit.empty() ? std::string() : fmt::format("{:.6g}", finding.value);
        file_ << check.name << ',' << quoted(finding.subject) << ',' << value << ',' << finding.unit
              << ',' << quoted(finding.failure) << '\n'
              << std::flush;
        fmt::print("  {} {} {} {} {}\n", finding.failure.empty() ? "ok    " : "FAILED",
                   finding.subject, value, finding.unit, finding.failure);
        std::fflush(stdout);
    }
    void go_on_with(std::size_t next) const { std::ofstream(path_ + ".next") << next << '\n'; }
    int failures() const { return failures_; }

private:
    std::string path_;
    std::ofstream file_;
    int failures_ = 0;
};

bool is_wanted(const Options& options, const Check& check) {
    return options.names.empty() ||
           std::ranges::find(options.names, check.name) != options.names.end();
}

// Whether the device still works for this process: after an illegal address it does not.
bool works() {
    return cudaDeviceSynchronize() == cudaSuccess;
}

// A failure within a check is its result; the other checks still run.
int run_check(const Check& check, const Options& options, Report& report) {
    std::size_t at = options.from;
    const Sink sink = [&](const Finding& finding) { report.add(check, finding); };
    fmt::print("{}\n", check.name);
    std::fflush(stdout);
    try {
        check.run(
            options.from,
            [&](std::size_t number) {
                if (!works()) {
                    throw Error("the device is unusable after the case before");
                }
                at = number;
            },
            sink);
    } catch (const std::exception& error) {
        sink({"the check itself", 0, "", error.what()});
    }
    if (!works()) {
        report.go_on_with(at + 1);
        return unusable;
    }
    return 0;
}

int run_checks(const Options& options) {
    Report report(options.out.empty() ? "gpu_check.csv" : options.out);
    for (const Check& check : gpu_checks()) {
        if (is_wanted(options, check) && run_check(check, options, report) == unusable) {
            return unusable;
        }
    }
    fmt::print("{} failures\n", report.failures());
    return report.failures() == 0 ? 0 : 1;
}

int main_of(std::span<char*> arguments) {
    const Options options = parse(arguments);
    if (options.list) {
        list_checks(options.quick);
        return 0;
    }
    try {
        cuda::open_gpu();
    } catch (const Error& error) {
        fmt::print("skipped: {}\n", error.what());
        return skipped;
    }
    return run_checks(options);
}

}  // namespace

}  // namespace strata::testing

int main(int count, char** arguments) {
    return strata::testing::main_of({arguments, static_cast<std::size_t>(count)});
}
