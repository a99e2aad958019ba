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

// The counted quantity of a network, to compare with a published number.
struct Counted {
    std::string network = {};  // a name that load_network takes, or a PublishedNetwork
    std::optional<std::int64_t> batch = {};  // absent: the network's own
    std::string layers = "*";                // glob of the layers that count
    std::string except = {};                 // glob of exceptions among them
    std::string what = "operations";         // a name in THE list of counts.h
    std::string convention = "multiply-add-2";
    std::string kernel = {};         // for counted kernels: of find_executed_kernel()
    std::string passes = "forward";  // or another pass, "backward", "training"
    FirstLayerGradient first_layer_gradient = FirstLayerGradient::omitted;
};

// The basis of a number in the published column.
enum class Basis {
    printed,    // in the text, a table or a slide of the publication
    digitised,  // read off a figure
    artifact,   // in the authors' files: logs, databases, records
    derived,    // arithmetic on such numbers: agreement says nothing about the publication
};
inline constexpr std::array<std::string_view, 4> names_of(Basis) {
    return {"printed", "digitised", "artifact", "derived"};
}

// How strata obtains its own number.
enum class Method {
    counted,   // from the network and a convention
    modelled,  // by a formula fitted to the numbers it is compared with
    computed,  // from the measurements that the authors released
};
inline constexpr std::array<std::string_view, 3> names_of(Method) {
    return {"counted", "modelled", "computed"};
}

// A quantity computed from measurements that the authors released. Strata does not contain them:
// the user names the files.
struct FromRelease {
    std::string data;             // the measured platform: "tpu"
    std::string over = {};        // divisor of its throughput, network by network: "gpu"
    std::string quantity;         // "weight of batch", "r squared", "count", "largest", ...
    std::string metric = "rate";  // for one run; for two, always the ratio of their throughputs
    // Instead of a metric, for raw rows of a file: columns multiplied and divided from left to
    // right, as in "intensity * memory_bandwidth / flops_perc".
    std::string column = {};
    std::string kind = {};             // only rows of operators of this kind; "!while": of others
    std::optional<double> below = {};  // threshold of "share below" and "count below"
};

// How much faster several devices train a network than one, modelled from the time of one.
struct FromSpeedup {
    std::string device = {};
    std::string links = {};
    int devices = 2;
    double single_ms = 0;  // of a step of the whole batch on one device
    std::string overlap = "off";
    int gradient_bits = 32;
    double overhead_ms = 0;  // of the framework, for each step of several devices
};

// One published number and how strata obtains it: times * (counted - minus) / over.
struct PublishedNumber {
    std::string name;
    Basis basis = Basis::derived;
    std::string where;  // in the source: "p. 10, table"
    double published = 0;
    double tolerance = 0;  // uncertainty of the source's rounding or figure, absolute
    std::string differs;   // why ours differs; empty if it is the same
    Method method = Method::counted;
    Counted counted;                     // if the method is counted or modelled
    std::optional<FromRelease> release;  // if it is computed
    std::optional<FromSpeedup> speedup;  // if it is modelled from a step of several devices
    std::optional<FromSpeedup> above;    // ours is then 1 if the speed-up exceeds this one, else 0
    std::optional<Counted> minus;
    std::optional<Counted> over;
    double times = 1;
};

// The numbers of one table, figure or log of a publication: a file of data/published.
struct Reproduction {
    std::string name;
    std::string title;
    std::string source;
    std::string model;                 // what was fitted to which numbers; empty if nothing was
    std::vector<std::string> remarks;  // inconsistencies within the source, one sentence each
    std::vector<PublishedNumber> numbers;
};

// How our number compares with the published one.
enum class Agreement {
    equal,        // to the last digit
    within,       // within the source's rounding or reading precision
    differs,      // differs for a known reason
    unexplained,  // differs for an unknown reason: we are wrong, or they are
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

// The result of a reproduction.
struct Reproduced {
    Reproduction reproduction;
    std::vector<ComparedNumber> comparisons;  // in the order of its numbers
};

// Whether every number agrees or is known to differ.
bool agrees(const Reproduced& reproduced);

// How many numbers of one basis and one method have each verdict.
struct Tally {
    Basis basis = Basis::derived;
    Method method = Method::counted;
    std::array<std::size_t, names_of(Agreement{}).size()> verdicts = {};  // by value of Agreement
};

// In the order of the enumerations, without empty combinations.
std::vector<Tally> tallies_of(std::span<const Reproduced> reproduced);

// Models a speed-up for a network at a batch.
using SpeedupModel = std::function<double(const Counted& network, const FromSpeedup& asked)>;

// Computes a quantity from the released files.
using ReleaseReader = std::function<double(const FromRelease& asked)>;

// Counts everything that a reproduction requests, and has `release` and `speedup` compute the
// rest. Throws Error if it names something that does not exist. Requires: a reader if
// a number is computed from released files, a model if one is a speed-up.
Reproduced reproduce(const Reproduction& reproduction, const ReleaseReader& release = {},
                     const SpeedupModel& speedup = {});

}  // namespace strata
