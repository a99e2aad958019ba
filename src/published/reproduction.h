// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The quantity of a network that is counted, to be compared with a published number.
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

// How a number came to be in the published column.
enum class Basis {
    printed,    // in the text, a table or a slide of the publication
    digitised,  // read off one of its figures
    artifact,   // in the authors' files: logs, databases, records
    derived,  // somebody's arithmetic on such numbers: agreement says nothing about the publication
};
inline constexpr std::array<std::string_view, 4> names_of(Basis) {
    return {"printed", "digitised", "artifact", "derived"};
}

// How strata comes to its own number.
enum class Method {
    counted,   // from the network and a convention
    modelled,  // by a formula that was fitted to the numbers it stands beside
    computed,  // from the measurements that the authors released
};
inline constexpr std::array<std::string_view, 3> names_of(Method) {
    return {"counted", "modelled", "computed"};
}

// A quantity computed from measurements that the authors released, which strata does not contain:
// the reader names their files.
struct FromRelease {
    std::string data;             // what was measured: "tpu"
    std::string over = {};        // what its throughput is divided by, network by network: "gpu"
    std::string quantity;         // "weight of batch", "r squared", "count", "largest", ...
    std::string metric = "rate";  // of one run; of two, always their throughputs' ratio
    // Of a file's rows as they are, instead of a metric: its columns multiplied and divided, from
    // left to right, as in "intensity * memory_bandwidth / flops_perc".
    std::string column = {};
    std::string kind = {};             // rows of operators of this kind alone; "!while": of others
    std::optional<double> below = {};  // what "share below" and "count below" compare with
};

// One published number and how strata comes to it: times * (counted - minus) / over.
struct PublishedNumber {
    std::string name;
    Basis basis = Basis::derived;
    std::string where;  // in the source: "p. 10, table"
    double published = 0;
    double tolerance = 0;  // what the source's rounding or figure leaves open, absolute
    std::string differs;   // why ours is another number; empty where it is the same
    Method method = Method::counted;
    Counted counted;                     // where the method is counted or modelled
    std::optional<FromRelease> release;  // where it is computed
    std::optional<Counted> minus;
    std::optional<Counted> over;
    double times = 1;
};

// The numbers of one table, figure or log of a publication: a file of data/published.
struct Reproduction {
    std::string name;
    std::string title;
    std::string source;
    std::string model;                 // what was fitted to which numbers; empty where nothing was
    std::vector<std::string> remarks;  // where the source disagrees with itself, a sentence each
    std::vector<PublishedNumber> numbers;
};

// How our number compares with the published one.
enum class Agreement {
    equal,        // to the last digit
    within,       // as near as the source's rounding or figure can tell
    differs,      // not, and it is known why
    unexplained,  // not, and it is not known why: we are wrong, or they are
};
inline constexpr std::array<std::string_view, 4> names_of(Agreement) {
    return {"equal", "within", "differs", "unexplained"};
}

// A published number and strata's own.
struct ComparedNumber {
    std::string quantity;
    Basis basis = Basis::derived;
    std::string where;
    double published = 0;
    double tolerance = 0;
    double ours = 0;
    Method method = Method::counted;
    Agreement verdict = Agreement::unexplained;
    std::string reason;  // why it differs; empty otherwise
};

// A reproduction carried out.
struct Reproduced {
    Reproduction reproduction;
    std::vector<ComparedNumber> comparisons;  // as its numbers
};

// Whether every number agrees or is known to differ.
bool agrees(const Reproduced& reproduced);

// How many numbers of one basis, found by one method, have each verdict.
struct Tally {
    Basis basis = Basis::derived;
    Method method = Method::counted;
    std::array<std::size_t, names_of(Agreement{}).size()> verdicts = {};  // by value of Agreement
};

// In the order of the enumerations, without those that no number has.
std::vector<Tally> tallies_of(std::span<const Reproduced> reproduced);

// Whether some of its numbers are computed from released files.
bool needs_release(const Reproduction& reproduction);

// Computes a quantity from the released files.
using ReleaseReader = std::function<double(const FromRelease& asked)>;

// Counts everything a reproduction asks for, and has `release` compute what is computed. Throws
// Error where it names what does not exist. Requires: a reader where needs_release.
Reproduced reproduce(const Reproduction& reproduction, const ReleaseReader& release = {});

}  // namespace strata
