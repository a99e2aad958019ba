// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/check.h"

#include "backend/cuda/gpu_machine.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

// gpu_check [--list] [--out FILE.csv] [--seconds N] [NAME...]
// Runs what only a GPU can show and leaves it as CSV. Exit 0: all as it should be; 1: something is
// not; 77: no GPU.

namespace strata::testing {

namespace {

constexpr int skipped = 77;

struct Options {
    bool list = false;
    std::string out;
    double seconds = 420;
    std::vector<std::string> names;
};

Options parse(std::span<char*> arguments) {
    Options options;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--list") {
            options.list = true;
        } else if (argument == "--out" && i + 1 < arguments.size()) {
            options.out = arguments[++i];
        } else if (argument == "--seconds" && i + 1 < arguments.size()) {
            options.seconds = parse_number(arguments[++i]).value_or(options.seconds);
        } else {
            options.names.emplace_back(argument);
        }
    }
    return options;
}

void list_checks() {
    for (const Check& check : gpu_checks()) {
        fmt::print("{:<18} {}\n", check.name, check.shows);
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
    explicit Report(const std::string& path) : file_(path) {
        file_ << "check,subject,value,unit,failure\n";
    }

    void add(const Check& check, const Finding& finding) {
        failures_ += finding.failure.empty() ? 0 : 1;
        const std::string value =
            finding.unit.empty() ? std::string() : fmt::format("{:.6g}", finding.value);
        file_ << check.name << ',' << quoted(finding.subject) << ',' << value << ',' << finding.unit
              << ',' << quoted(finding.failure) << '\n'
              << std::flush;
        if (!finding.failure.empty() || !finding.unit.empty()) {
            fmt::print("  {} {} {} {}\n", finding.subject, value, finding.unit, finding.failure);
        }
    }
    int failures() const { return failures_; }

private:
    std::ofstream file_;
    int failures_ = 0;
};

// What went wrong in a check is its result; the others still run.
std::vector<Finding> findings_of(const Check& check) {
    try {
        return check.run();
    } catch (const std::exception& error) {
        return {{"the check itself", 0, "", error.what()}};
    }
}

bool is_wanted(const Options& options, const Check& check) {
    return options.names.empty() ||
           std::ranges::find(options.names, check.name) != options.names.end();
}

int run_checks(const Options& options) {
    using Clock = std::chrono::steady_clock;
    Report report(options.out.empty() ? "gpu_check.csv" : options.out);
    const auto begin = Clock::now();
    for (const Check& check : gpu_checks()) {
        const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
        if (!is_wanted(options, check)) {
            continue;
        }
        if (passed > options.seconds) {
            fmt::print("{}: not reached in {:.0f} s\n", check.name, options.seconds);
            continue;
        }
        fmt::print("{} ({:.0f} s)\n", check.name, passed);
        std::fflush(stdout);
        for (const Finding& finding : findings_of(check)) {
            report.add(check, finding);
        }
    }
    fmt::print("{} failures\n", report.failures());
    return report.failures() == 0 ? 0 : 1;
}

int main_of(std::span<char*> arguments) {
    const Options options = parse(arguments);
    if (options.list) {
        list_checks();
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
