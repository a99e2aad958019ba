// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "device/device.h"
#include "parallel/collective.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A line of a collective's time over its bytes: latency + bytes / rate.
struct CollectiveLine {
    Seconds latency;
    Bandwidth rate;
};

// A collective of so many devices as measured: a library changes its protocol as messages grow, so
// the time is that of the lowest of a few lines.
struct MeasuredCollective {
    Collective collective = Collective::all_reduce;
    int devices = 2;
    std::vector<CollectiveLine> lines = {};
};

// The largest number of devices that a model takes.
inline constexpr int max_devices = 1 << 20;

Seconds time_of(std::span<const CollectiveLine> lines, Bytes bytes);

// What joins devices, or the groups of the level below.
struct Link {
    std::string name;            // "NVLink 4"
    std::optional<int> devices;  // the most that it joins; nothing: any number
    std::optional<Fact<Seconds>> latency;
    std::optional<Fact<Bandwidth>> bandwidth;     // of each device in each direction
    std::optional<Fact<Bandwidth>> root;          // shared by all messages at one time
    std::vector<CollectiveAlgorithm> algorithms;  // that its library uses; empty: the fastest
    std::vector<MeasuredCollective> measured;
    std::string measured_source;  // empty: nothing was
};

// How devices are joined, the nearest link first: a file of data/links.
struct Cluster {
    std::string name;                  // "dgx-h100", the file's stem
    std::string model;                 // "8 H100 with NVLink 4, InfiniBand NDR between nodes"
    std::vector<std::string> devices;  // whose usual cluster it is
    std::vector<Link> links;
};

// Throws Error, naming the place, for an unknown key, a missing source, an impossible value.
//
//     model = "four boards under one PCI Express root"
//     devices = ["titan-x"]
//     [[links]]
//     name = "PCI Express 3"
//     devices = 4
//     latency = ["10 us", "assumed"]
//     bandwidth = ["5.6 GB/s", "kim"]
//     [sources]
//     kim = "Kim et al., ISPASS 2017, slides: 250 MB take 45 ms"
Cluster parse_cluster(std::string_view toml, std::string_view origin);

// The same text again, with numbers of four digits.
std::string to_toml(const Cluster& cluster);

// The file of this user's own links of that name, measured or fitted by `strata calibrate
// --collectives`: links/NAME.toml in $XDG_DATA_HOME/strata (by default ~/.local/share). Throws
// Error if no home is known.
std::filesystem::path own_links_file(std::string_view name);

// The files of data/links; THE list is in src/parallel/CMakeLists.txt.
std::span<const EmbeddedFile> cluster_files();
std::vector<Cluster> clusters();

// The user's own of that name, one of them, or a file (a name with a dot or a slash). Throws Error
// that names similar ones.
Cluster find_cluster(std::string_view name);

// The usual cluster of a device. Throws Error if none is known.
Cluster cluster_of(std::string_view device);

// Every stride-th of so many devices; as many such groups as there are exchange at a time.
struct DeviceGroup {
    int devices = 1;
    int stride = 1;
    int all = 1;
};

// The time of a collective, the fastest of the algorithms or the given one. It is done level by
// level: reduced and scattered among near devices, exchanged between groups, gathered again, in
// pieces that follow each other. Counts of devices between measured ones are interpolated. Throws
// Error if the cluster does not join so many devices, or not in whole groups.
Seconds time_of(const Cluster& cluster, Collective collective, const DeviceGroup& group,
                Bytes bytes, std::optional<CollectiveAlgorithm> algorithm = {});
// Of the nearest devices, while no others exchange anything.
Seconds time_of(const Cluster& cluster, Collective collective, int devices, Bytes bytes,
                std::optional<CollectiveAlgorithm> algorithm = {});

// The time of a message between neighbours among so many devices: over the farthest link that joins
// them.
Seconds message_time(const Cluster& cluster, int devices, Bytes bytes);

}  // namespace strata
