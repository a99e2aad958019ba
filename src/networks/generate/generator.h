// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// One member of a parametrised family of networks (Wang et al. 2020, ParaDnn), written
// "fc:layers=64,nodes=512,inputs=2000,outputs=1000". It always has every key of its family.
struct Generator {
    std::string family;
    std::map<std::string, std::int64_t, std::less<>> values = {};

    bool operator==(const Generator&) const = default;
};

// A size in which a family's members differ.
struct GeneratorKey {
    std::string_view name;
    std::int64_t standard = 1;    // the default
    std::int64_t maximum = 1;     // the minimum is 1
    std::string_view alias = {};  // another accepted name
};

// A family: its keys in the order in which they are written, and a member's layers.
struct GeneratorFamily {
    std::string_view name;
    std::string_view origin;  // what it builds and where that was published
    std::span<const GeneratorKey> keys;
    void (*build)(const Generator& generator, std::int64_t batch, LayerSink& sink);
};

// THE list of families.
std::span<const GeneratorFamily> generator_families();

// Whether the text begins with a family's name and a colon. "fc:n32c9216k4096", the short form of
// an operator, has no equals sign, so it is not a generator.
bool is_generator(std::string_view text);

// Missing keys have their default values. Throws Error (usage) that names the family and the key if
// the key is unknown (with the choice), given twice, without a value, or out of range.
Generator parse_generator(std::string_view text);

// Changes one key, as a sweep does. Throws Error (usage) as parse_generator.
void set_key(Generator& generator, std::string_view key, std::int64_t value);

std::int64_t value_of(const Generator& generator, std::string_view key);

// The canonical name: every key, in the family's order. Inverse of parse_generator.
std::string to_text(const Generator& generator);

// The network, named by the canonical text. Throws Error if the batch is not positive or the sizes
// are inconsistent.
Graph build(const Generator& generator, std::int64_t batch);

// The same, written to a sink.
void build(const Generator& generator, std::int64_t batch, LayerSink& sink);

}  // namespace strata
