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
// cores, on which operations are counted for one core, and a V100.
enum class ParadnnPlatform { tpu, gpu };
inline constexpr std::array<std::string_view, 2> names_of(ParadnnPlatform) {
    return {"tpu", "gpu"};
}

// One network of a sweep. What did not run has a reason and no rate.
struct ParadnnEntry {
    std::string
        network;  // as strata generates it: "fc:layers=32,nodes=512,inputs=8000,outputs=200"
    std::int64_t batch = 1;
    std::string failure = {};         // "OOM"; empty: it ran
    double steps_per_second = 0;      // of training
    std::optional<Flops> flops = {};  // of a step on all cores, as TensorFlow counted them
};

// A file of results: ParaDnn's JSON, lists by name, `labels`, `step_per_sec`, `fl` and `intensity`
// side by side, and `err_jobs` with `states` of what did not run (Wang, Wei and Brooks, "A
// systematic methodology for analysis of deep learning hardware and software platforms", MLSys
// 2020).
struct ParadnnResults {
    ParadnnPlatform platform = ParadnnPlatform::gpu;
    std::vector<ParadnnEntry> entries = {};  // what ran, then what did not
};

// Whether a file that begins like this is one.
bool is_paradnn(std::string_view head);

// Reads token by token. The intensities tell the platform, by operations over two bytes for each
// parameter (TPU) or four. Throws Error, one sentence with file and place, for lists that are
// missing, of different lengths or longer than a million, for a label of another form, and for a
// rate that is no positive number.
ParadnnResults read_paradnn(ByteSource& source);

// The flat lists of any of ParaDnn's files, of results, traces or operators, that are as long as
// its labels. Throws Error, one sentence with the file, for a file that is none of these or has
// more than 64 MB.
ReleasedTable read_released_table(ByteSource& source);

// Which of ReleasedTables it is.
std::string kind_of(const ReleasedTable& table);

// What a training step of the network has to do, counted by strata.
struct CountedStep {
    Flops flops = {};
    Bytes read = {};
    Bytes written = {};
};

// What a run of an entry is filed under: `device` is the platform's name, `content` the file's
// hash.
struct ParadnnFiling {
    std::string file = {};
    std::string device = {};
    std::string content = {};
    std::string created = {};  // UTC
};

// An imported run, whose single step stands for the whole iteration, because the file has nothing
// of layers; its operations are the recorded ones, else the counted. What did not run is a step
// that failed.
Run imported_run(const ParadnnEntry& entry, ParadnnPlatform platform, const ParadnnFiling& filing,
                 const CountedStep& counted);

// The same entry as a line for analyses.
Observation observation_of(const ParadnnEntry& entry);

}  // namespace strata
