// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// What of a network is counted, so that it can be held against a published number.
struct Counted {
    std::string network = {};  // as load_network takes it, or one of published_networks
    std::optional<std::int64_t> batch = {};  // absent: the network's own
    std::string layers = "*";                // glob of the layers that count
    std::string except = {};                 // glob of those among them that do not
    std::string what = "operations";         // a name in THE list of counts.h
    std::string convention = "multiply-add-2";
    std::string kernel = {};         // where kernels are counted: a name in executed_kernels()
    std::string passes = "forward";  // or another pass, "backward", "training"
    FirstLayerGradient first_layer_gradient = FirstLayerGradient::omitted;
};

// A formula of the source's own that no network stands behind, with its arguments by name.
struct Formula {
    std::string name;  // in THE list of formulas.h
    std::map<std::string, double> arguments = {};
};

// The values that a sweep takes along each of its axes.
using Grid = std::vector<std::vector<std::int64_t>>;

// One published number and how strata comes to it:
// times * (counted - minus) / over, or times * the formula, or times the combinations of a grid.
struct PublishedNumber {
    std::string name;
    double published = 0;
    double tolerance = 0;         // what the source's rounding or figure leaves open, absolute
    std::optional<double> exact;  // the digits behind a rounded number, by the source's own formula
    std::string differs;          // why ours is another number; empty where it is the same
    Counted counted;
    std::optional<Counted> minus;
    std::optional<Counted> over;
    std::optional<Formula> formula;
    Grid grid;
    double times = 1;
};

// The numbers of one table, figure or log of a publication: a file of data/published.
struct Reproduction {
    std::string name;
    std::string title;
    std::string source;
    std::vector<std::string> remarks;  // where the source disagrees with itself, a sentence each
    std::vector<PublishedNumber> numbers;
};

// How our number stands to the published one.
enum class Verdict {
    equal,        // to the last digit of what is published, or of what stands behind it
    within,       // as near as the source's rounding or figure can tell
    differs,      // not, and it is known why
    unexplained,  // not, and it is not known why: we are wrong, or they are
};
inline constexpr std::array<std::string_view, 4> names_of(Verdict) {
    return {"equal", "within", "differs", "unexplained"};
}

// A number and what strata counts.
struct Comparison {
    PublishedNumber number;
    double ours = 0;
    Verdict verdict = Verdict::unexplained;
};

// Ours less the number that it is held against: the exact one where the source has it.
double difference_of(const Comparison& comparison);

// A reproduction carried out.
struct Reproduced {
    Reproduction reproduction;
    std::vector<Comparison> comparisons;  // as its numbers
};

// Whether every number agrees or is known to differ.
bool agrees(const Reproduced& reproduced);

// Counts everything a reproduction asks for. Throws Error where it names what does not exist.
Reproduced reproduce(const Reproduction& reproduction);

}  // namespace strata
