// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// One member of a parametrised family of networks (Wang et al. 2020, ParaDnn), written
// "fc:layers=64,nodes=512,inputs=2000,outputs=1000". It always holds every key of its family.
struct Generator {
    std::string family;
    std::map<std::string, std::int64_t, std::less<>> values = {};

    bool operator==(const Generator&) const = default;
};

// One size that a family's members differ in.
struct GeneratorKey {
    std::string_view name;
    std::int64_t standard = 1;    // where it is not given
    std::int64_t maximum = 1;     // the least is 1
    std::string_view alias = {};  // what others call it, taken for it
};

// A family: its keys in the order in which they are written, and what a member's layers are.
struct GeneratorFamily {
    std::string_view name;
    std::string_view origin;  // what it builds and where that was published
    std::span<const GeneratorKey> keys;
    Graph (*build)(const Generator& generator, std::int64_t batch);
};

// THE list of families.
std::span<const GeneratorFamily> generator_families();

// Whether the text names a family with a colon behind it; "fc:n32c9216k4096", the short form of an
// operator, has no equals sign and is none.
bool is_generator(std::string_view text);

// Keys that are not given have their standard values. Throws Error (usage) that names the family
// and the key: unknown (with the choice), given twice, without a value, or out of range.
Generator parse_generator(std::string_view text);

// Changes one key, as a sweep does. Throws Error (usage) as parse_generator.
void set_key(Generator& generator, std::string_view key, std::int64_t value);

std::int64_t value_of(const Generator& generator, std::string_view key);

// The canonical name: every key, in the family's order. Inverse of parse_generator.
std::string to_text(const Generator& generator);

// The network, named by the canonical text. Throws Error where the batch is not positive or the
// sizes do not fit each other.
Graph build(const Generator& generator, std::int64_t batch);

}  // namespace strata
