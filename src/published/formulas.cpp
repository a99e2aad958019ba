// SPDX-License-Identifier: MIT
#include "published/formulas.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// Kim et al. 2017: a step on n devices takes T(n) = T1 / n + 2 log2(n) * transfer, the parameters
// going once along a tree and back; the speedup T1 / T(n). T1 grows with the batch.
double data_parallel_speedup(const std::map<std::string, double>& arguments) {
    const double alone = arguments.at("step_ms") * arguments.at("batch") / 256;
    const double devices = arguments.at("devices");
    const double transfers = 2 * std::log2(devices) * arguments.at("transfer_ms");
    return alone / (alone / devices + transfers);
}

// Levinthal's Transformer as printed: six layers of encoder and decoder, three attentions each of
// L^2 d + L d^2 / heads multiply-adds and 64 L d^2 operations of feed-forward layers. Attention
// times V is missing, the projections are divided by the heads, the feed-forward layers doubled.
double levinthal_transformer(const std::map<std::string, double>& arguments) {
    const double length = arguments.at("length"), width = arguments.at("width");
    const double attention =
        length * length * width + length * width * width / arguments.at("heads");
    return arguments.at("layers") * (3 * 2 * attention + 64 * length * width * width);
}

struct FormulaEntry {
    std::string_view name;
    std::vector<std::string> arguments;
    double (*value)(const std::map<std::string, double>& arguments);
};

// THE list.
const std::array formulas = {
    FormulaEntry{"kim2017-data-parallel-speedup",
                 {"step_ms", "batch", "devices", "transfer_ms"},
                 data_parallel_speedup},
    FormulaEntry{
        "levinthal-transformer", {"layers", "length", "width", "heads"}, levinthal_transformer},
};

const FormulaEntry& find_formula(std::string_view name) {
    const auto found = std::ranges::find(formulas, name, &FormulaEntry::name);
    if (found == formulas.end()) {
        throw Error(fmt::format("\"{}\" is no formula that is known", printable(name)));
    }
    return *found;
}

}  // namespace

double evaluate(const Formula& formula) {
    const FormulaEntry& entry = find_formula(formula.name);
    for (const std::string& argument : entry.arguments) {
        if (!formula.arguments.contains(argument)) {
            throw Error(
                fmt::format("the formula {} needs a value of \"{}\"", entry.name, argument));
        }
    }
    return entry.value(formula.arguments);
}

}  // namespace strata
