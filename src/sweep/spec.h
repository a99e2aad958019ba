// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "base/quantity.h"
#include "record/settings.h"
#include "run/experiment.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A family of generated networks (networks/generate/generator.h) and the values of its sizes; sizes
// that are not given have one value, the family's default.
struct SweptFamily {
    std::string family;            // "fc"
    std::vector<Variation> sizes;  // every key of the family, in its order; none is empty
};

// Limits for each point: a safeguard that does not affect what is measured.
struct SweepLimits {
    std::optional<Bytes> memory = {};  // such a point is skipped
    std::optional<Seconds> time = {};  // of one point in total: it is ended
};

// What a sweep measures or predicts: every combination of a family's sizes, batch, settings, and
// backend or device.
struct SweepSpec {
    std::string name;         // its file's name, without folder and suffix
    std::string title = {};   // a few words; may be empty
    std::string source = {};  // where the grid was published; may be empty
    std::vector<SweptFamily> families;
    std::vector<std::int64_t> batches;
    std::vector<Settings> settings;     // dtypes x modes x threads, with the options shared by all
    std::vector<std::string> backends;  // measured on these; or, if there are none,
    std::vector<std::string> devices;   // predicted for these
    std::uint64_t seed = 1;             // of the order of measurement
    std::int64_t anchor_every = 50;     // points between two measurements of the anchor; 0: none
    SweepLimits limits = {};

    bool is_predicted() const { return !devices.empty(); }
};

// The most points of a sweep and values of a range: more are a typing error.
inline constexpr std::int64_t max_sweep_points = 10'000'000;

// Reads a specification, TOML:
//
//   batch = { from = 64, to = 16384, factor = 2 }    # geometric; a last value beyond `to` is left
//   out mode = ["training", "inference"] backend = "onednn"                               # or
//   device = ["v100", "p100"] options = { precision = "5%" }                   # of strata run,
//   for all points
//
//   [[network]]
//   family = "fc"
//   layers = [4, 8, 16]
//   inputs = { from = 2000, to = 8000, step = 2000 } # linear, also with count = 4
//
// `origin` is named in errors. Throws Error (usage) of one sentence: an unknown key or family, an
// empty range, a value that the family refuses, more than max_sweep_points.
SweepSpec parse_sweep(std::string_view toml, std::string_view origin);

// The sweep in the file of that path, or the grid of that name that is part of strata. Throws Error
// (usage) if there is neither.
SweepSpec find_sweep(const std::string& name);

// The files of data/sweeps.
std::span<const EmbeddedFile> sweep_files();

// Everything that determines the points, their settings and their order, as text: equal texts are
// the same sweep.
std::string identity_of(const SweepSpec& spec);

}  // namespace strata
