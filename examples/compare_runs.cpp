// SPDX-License-Identifier: MIT
// compare_runs DATABASE BEFORE AFTER: compares two stored runs of one network (an id, a tag,
// "last", "last~1") and prints the layers that are surely faster or slower, then the whole
// iteration.
#include "analyze/compare.h"
#include "base/error.h"
#include "base/text.h"
#include "store/load.h"

#include <cstdio>
#include <string_view>

namespace {

// "conv1 + relu1", or "end to end" of the whole iteration.
std::string name_of_row(const strata::ComparedTime& row) {
    return row.layers.empty() ? "end to end" : strata::join(row.layers, " + ");
}

void print_row(const strata::ComparedTime& row) {
    if (!row.ratio || !row.verdict) {
        return;  // one of the sides has no time: its layer could not run there
    }
    std::printf("%-40s %-16s %6.3f (%.3f to %.3f)  %s\n", name_of_row(row).c_str(),
                row.pass.c_str(), row.ratio->value, row.ratio->low, row.ratio->high,
                strata::name_of(*row.verdict).data());
}

bool differs(const strata::ComparedTime& row) {
    return row.verdict == strata::Verdict::faster || row.verdict == strata::Verdict::slower;
}

// Returns the program's exit code.
int print(const strata::Comparison& comparison) {
    if (!comparison.refusal.empty()) {
        std::fprintf(stderr, "%s\n", comparison.refusal.c_str());
        return static_cast<int>(strata::ExitCode::usage);
    }
    for (const strata::SettingDifference& each : comparison.differences) {
        std::printf("%s: %s -> %s\n", each.name.c_str(), each.before.c_str(), each.after.c_str());
    }
    for (const strata::ComparedTime& row : comparison.rows) {
        if (differs(row)) {
            print_row(row);
        }
    }
    print_row(comparison.whole);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: compare_runs DATABASE BEFORE AFTER\n");
        return 2;
    }
    try {
        const strata::Run before = strata::load_named_run(argv[1], argv[2]);
        const strata::Run after = strata::load_named_run(argv[1], argv[3]);
        return print(strata::compare(before, after));
    } catch (const strata::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
}
