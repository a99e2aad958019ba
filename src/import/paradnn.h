// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "import/source.h"
#include "record/observation.h"
#include "record/released_table.h"
#include "record/run.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The platforms of ParaDnn's released results, which its files do not name: a Cloud TPU v2 of eight
// cores, with operations counted for one core, and a V100.
enum class ParadnnPlatform { tpu, gpu };
inline constexpr std::array<std::string_view, 2> names_of(ParadnnPlatform) {
    return {"tpu", "gpu"};
}

// One network of a sweep. If it did not run, it has a reason and no rate.
struct ParadnnEntry {
    std::string network;  // in strata's notation: "fc:layers=32,nodes=512,inputs=8000,outputs=200"
    std::int64_t batch = 1;
    std::string failure = {};         // "OOM"; empty: it ran
    double steps_per_second = 0;      // of training
    std::optional<Flops> flops = {};  // operations of a step on all cores, as counted by TensorFlow
};

// A file of results: ParaDnn's JSON with the parallel lists `labels`, `step_per_sec`, `fl` and
// `intensity`, and `err_jobs` with `states` for networks that did not run (Wang, Wei and Brooks, "A
// systematic methodology for analysis of deep learning hardware and software platforms", MLSys
// 2020).
struct ParadnnResults {
    ParadnnPlatform platform = ParadnnPlatform::gpu;
    std::vector<ParadnnEntry> entries = {};  // networks that ran, then those that did not
};

// Whether a file with this beginning has the format.
bool is_paradnn(std::string_view head);

// Reads token by token. The intensities identify the platform: they assume two bytes per parameter
// (TPU) or four. Throws Error, one sentence with file and place, for lists that are missing, of
// different lengths or longer than a million, for a label of another form, and for a rate that is
// not a positive number.
ParadnnResults read_paradnn(ByteSource& source);

// The flat lists, as long as the labels, of any of ParaDnn's files of results, traces or
// operators. Throws Error, one sentence with the file, for any other file and one over 64
// MB.
ReleasedTable read_released_table(ByteSource& source);

// Which of the ReleasedTables it is.
std::string kind_of(const ReleasedTable& table);

// The work of a training step of the network, counted by strata.
struct CountedStep {
    Flops flops = {};
    Bytes read = {};
    Bytes written = {};
};

// The identity of a run of an entry: `device` is the platform's name, `content` the file's
// hash.
struct ParadnnFiling {
    std::string file = {};
    std::string device = {};
    std::string content = {};
    std::string created = {};  // UTC
};

// An imported run, whose single step is the whole iteration, because the file has no layers; its
// operations are the recorded ones, else the counted. A network that did not run has a failed
// step.
Run imported_run(const ParadnnEntry& entry, ParadnnPlatform platform, const ParadnnFiling& filing,
                 const CountedStep& counted);

// The same entry as an observation for analyses.
Observation observation_of(const ParadnnEntry& entry);

}  // namespace strata
