// SPDX-License-Identifier: MIT
// The ONNX project's node tests:  onnx_nodes FOLDER FLOOR [--backend NAME] [--verbose] [CASE...]
// Reports passed / supported / all. Ends with 1 where a supported case fails that is not among the
// known differences, or fewer than FLOOR pass.
#include "backend/module.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "base/text.h"
#include "tests/onnx_nodes/node_case.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace strata {
namespace {

struct Options {
    std::filesystem::path folder;
    std::size_t floor = 0;
    std::string backend = "reference";
    bool verbose = false;
    std::vector<std::string> cases;  // none: all
};

Options parse(std::span<char*> arguments) {
    Options options;
    options.folder = arguments[1];
    options.floor = static_cast<std::size_t>(parse_integer(arguments[2]).value_or(0));
    for (std::size_t i = 3; i < arguments.size(); ++i) {
        const std::string argument = arguments[i];
        if (argument == "--verbose") {
            options.verbose = true;
        } else if (argument == "--backend" && i + 1 < arguments.size()) {
            options.backend = arguments[++i];
        } else {
            options.cases.push_back(argument);
        }
    }
    return options;
}

std::vector<std::filesystem::path> folders_of(const Options& options) {
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(options.folder)) {
        const std::string name = entry.path().filename().string();
        if (options.cases.empty() ||
            std::ranges::find(options.cases, name) != options.cases.end()) {
            folders.push_back(entry.path());
        }
    }
    std::ranges::sort(folders);
    return folders;
}

// The results of all cases.
struct Report {
    std::array<std::size_t, 4> passed = {};  // by what had to be known
    std::size_t failed = 0;
    std::size_t known = 0;  // differ for a reason that is written down
    std::size_t all = 0;
    std::map<std::string, std::size_t> reasons;  // of those not supported, by operator or cause

    std::size_t passed_in_all() const { return passed[0] + passed[1] + passed[2] + passed[3]; }
};

// A case that runs with a different result, and why that is accepted.
struct KnownDifference {
    std::string_view name;
    std::string_view reason;
};
constexpr std::string_view masked = "a row whose keys are all masked is their mean here, 0 in ONNX";
constexpr std::string_view infinite = "the remainder is made of a quotient, and infinity has none";
constexpr std::string_view trained =
    "the file asks for training, and an inference drops nothing and takes the running statistics";
constexpr std::array known_differences = {
    KnownDifference{"test_attention_23_boolmask_fullymasked_row_nan_robustness", masked},
    KnownDifference{"test_attention_causal_boolmask_nan_robustness", masked},
    KnownDifference{"test_batchnorm_epsilon_training_mode", trained},
    KnownDifference{"test_batchnorm_example_training_mode", trained},
    KnownDifference{"test_mod_float_edge_cases_fmod_0_float32", infinite},
    KnownDifference{"test_mod_float_edge_cases_fmod_0_float64", infinite},
    KnownDifference{"test_training_dropout", trained},
    KnownDifference{"test_training_dropout_default", trained},
};

std::optional<std::string_view> known_difference(std::string_view name) {
    const auto found = std::ranges::find(known_differences, name, &KnownDifference::name);
    return found == known_differences.end() ? std::nullopt : std::optional(found->reason);
}

void note(Report& report, const NodeCase& one, const NodeResult& result, const Options& options) {
    ++report.all;
    const auto known = known_difference(one.name);
    if (known && result.verdict == CaseOutcome::passed) {
        ++report.failed;  // so that the list stays true
        fmt::print("FAILED {}: it passes and must leave the known differences\n", one.name);
    } else if (result.verdict == CaseOutcome::passed) {
        ++report.passed[static_cast<std::size_t>(result.known)];
    } else if (known && result.verdict == CaseOutcome::failed) {
        ++report.known;
        fmt::print("differs {}: {}; {}\n", one.name, result.reason, *known);
    } else if (result.verdict == CaseOutcome::failed) {
        ++report.failed;
        fmt::print("FAILED {}: {}\n", one.name, result.reason);
    } else {
        ++report.reasons[result.reason.substr(0, result.reason.find(':'))];
    }
    if (options.verbose && result.verdict == CaseOutcome::unsupported) {
        fmt::print("unsupported {}: {}\n", one.name, result.reason);
    }
}

void print(const Report& report) {
    const std::size_t passed = report.passed_in_all();
    fmt::print("not supported:");
    for (const auto& [reason, count] : report.reasons) {
        fmt::print(" {} ({})", printable(reason, 60), count);
    }
    fmt::print("\npassed {} / supported {} / all {}\n", passed,
               passed + report.failed + report.known, report.all);
    for (std::size_t i = 0; i < report.passed.size(); ++i) {
        fmt::print("  {}: {}\n", names_of(Known{})[i], report.passed[i]);
    }
}

int run(const Options& options) {
    const auto backend = options.backend == "reference" ? make_reference_backend()
                                                        : open_backend_module(options.backend);
    Report report;
    for (const auto& folder : folders_of(options)) {
        const NodeCase one = read_node_case(folder);
        note(report, one, run_node_case(one, *backend), options);
    }
    print(report);
    if (report.passed_in_all() < options.floor) {
        fmt::print("fewer than {} pass\n", options.floor);
    }
    return report.failed > 0 || report.passed_in_all() < options.floor ? 1 : 0;
}

}  // namespace
}  // namespace strata

int main(int count, char** arguments) {
    if (count < 3) {
        fmt::print(stderr,
                   "usage: onnx_nodes FOLDER FLOOR [--backend NAME] [--verbose] [CASE...]\n");
        return 2;
    }
    try {
        return strata::run(strata::parse({arguments, static_cast<std::size_t>(count)}));
    } catch (const strata::Error& error) {
        fmt::print(stderr, "onnx_nodes: {}\n", error.what());
        return 2;
    }
}
