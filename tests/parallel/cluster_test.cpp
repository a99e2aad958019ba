// SPDX-License-Identifier: MIT
#include "parallel/cluster.h"

#include "base/error.h"
#include "base/file.h"
#include "device/description.h"
#include "parallel/collective_table.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata::testing {

namespace {

constexpr std::string_view two_levels = R"(model = "two"
[[links]]
name = "near"
devices = 4
latency = ["1 us", "assumed"]
bandwidth = ["100 GB/s", "assumed"]
algorithms = ["ring"]
[[links]]
name = "far"
latency = ["10 us", "assumed"]
bandwidth = ["10 GB/s", "assumed"]
algorithms = ["ring"]
)";

TEST(Cluster, EveryBuiltInOneIsReadAndNamesKnownDevices) {
    EXPECT_GE(clusters().size(), 15U);
    for (const Cluster& cluster : clusters()) {
        for (const std::string& device : cluster.devices) {
            EXPECT_TRUE(description_called(device)) << cluster.name << " " << device;
            EXPECT_EQ(cluster_of(device).name, cluster.name);
        }
        // More bytes take longer, on two devices and on all of the first link.
        const int most = cluster.links.front().devices.value_or(8);
        for (const int devices : {2, most}) {
            Seconds before;
            for (const double bytes : {1e3, 1e5, 1e7, 1e9}) {
                const Seconds time =
                    time_of(cluster, Collective::all_reduce, devices, Bytes{bytes});
                EXPECT_GT(time, before) << cluster.name << " " << devices << " " << bytes;
                before = time;
            }
        }
    }
}

TEST(Cluster, TheFarLinkBoundsLargeMessages) {
    const Cluster cluster = parse_cluster(two_levels, "two.toml");
    const Seconds near = time_of(cluster, Collective::all_reduce, 4, Bytes{4e9});
    EXPECT_NEAR(near.value, 2 * 0.75 * 4e9 / 100e9, 1e-4);
    // Eight groups of four exchange a quarter of the bytes over the far link.
    const Seconds far = time_of(cluster, Collective::all_reduce, 32, Bytes{4e9});
    const double wire = 2 * 7.0 / 8 * 1e9 / 10e9;
    EXPECT_GT(far.value, wire);
    EXPECT_LT(far.value, wire + near.value / 4);
}

TEST(Cluster, GroupsOfEveryFewthDeviceUseFarLinks) {
    const Cluster cluster = parse_cluster(two_levels, "two.toml");
    const auto time = [&](const DeviceGroup& group) {
        return time_of(cluster, Collective::all_reduce, group, Bytes{4e9}).value;
    };
    // The nearest four; every fourth, one in each group of four; every other one, two in each.
    EXPECT_NEAR(time({.devices = 4, .all = 32}), 2 * 0.75 * 4e9 / 100e9, 1e-4);
    EXPECT_NEAR(time({.devices = 8, .stride = 4, .all = 32}), 2 * 7.0 / 8 * 4e9 / 10e9, 1e-2);
    EXPECT_LT(time({.devices = 16, .stride = 2, .all = 32}),
              time({.devices = 8, .stride = 4, .all = 32}));
    EXPECT_EQ(time({.devices = 1, .stride = 32, .all = 32}), 0);
    EXPECT_THROW(time({.devices = 4, .stride = 3, .all = 12}), Error);
    try {
        time({.devices = 3, .stride = 2, .all = 6});
        FAIL() << "six devices are not whole groups of four";
    } catch (const Error& error) {
        EXPECT_NE(std::string_view(error.what()).find("6 devices are not a multiple of that"),
                  std::string_view::npos)
            << error.what();
    }
    // A root is shared by all groups.
    const Cluster root = find_cluster("pcie-3-root");
    const auto pair = [&](int all) {
        return time_of(root, Collective::all_reduce, {.devices = 2, .all = all}, Bytes{1e8});
    };
    EXPECT_GT(pair(4), pair(2));
}

TEST(Cluster, RefusesPartsOfGroupsAndTooManyDevices) {
    const Cluster cluster = parse_cluster(two_levels, "two.toml");
    EXPECT_THROW(time_of(cluster, Collective::all_reduce, 6, Bytes{1}), Error);
    EXPECT_THROW(time_of(find_cluster("pcie-3-root"), Collective::all_reduce, 16, Bytes{1}), Error);
    EXPECT_THROW(find_cluster("token-ring"), Error);
    EXPECT_THROW(cluster_of("epyc-7763"), Error);
}

TEST(Cluster, IsReadAsItWasWritten) {
    for (const Cluster& cluster : clusters()) {
        const std::string text = to_toml(cluster);
        const Cluster again = parse_cluster(text, cluster.name + ".toml");
        EXPECT_EQ(to_toml(again), text);
        const Seconds before = time_of(cluster, Collective::all_reduce, 2, Bytes{1e7});
        EXPECT_NEAR(time_of(again, Collective::all_reduce, 2, Bytes{1e7}) / before, 1, 1e-3);
    }
}

TEST(Cluster, RefusesABrokenFileByItsPlace) {
    const std::string good(two_levels);
    const auto refuses = [](const std::string& text, const std::string& word) {
        try {
            parse_cluster(text, "x.toml");
            ADD_FAILURE() << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    refuses("model = \"none\"\nlinks = []\n", "links");
    refuses(replaced("\"100 GB/s\"", "\"-1 GB/s\""), "bandwidth");
    refuses(replaced("[\"1 us\", \"assumed\"]", "\"1 us\""), "latency");
    refuses(replaced("devices = 4\n", ""), "last");
    refuses(replaced("\"ring\"", "\"star\""), "algorithms");
    refuses(replaced("name = \"near\"", "nam = \"near\""), "nam");
    refuses(good +
                "measured = [{ collective = \"all-reduce\", devices = 2, lines = [] }]\n"
                "measured_source = \"x\"\n",
            "lines");
}

// Lines are fitted to three quarters of the points; nothing was fitted to the rest, which these
// tests do not see.
TEST(Cluster, MeasuredLinesAreNearThePublishedTimesTheyWereFittedTo) {
    const char* const shared = std::getenv("STRATA_SHARED_DIR");
    if (shared == nullptr) {
        GTEST_SKIP() << "STRATA_SHARED_DIR does not name the published data";
    }
    const auto text =
        *read_small_file(std::string(shared) + "/data/modern/collectives_aic.fit.csv");
    const std::pair<const char*, const char*> known[] = {
        {"a100-sxm", "dgx-a100"}, {"h100-sxm", "dgx-h100"}, {"b200-sxm", "dgx-b200"}};
    for (const auto& [device, name] : known) {
        const Cluster cluster = find_cluster(name);
        double sum = 0, count = 0;
        for (const CollectiveRow& row : parse_collectives(text, "collectives")) {
            if (row.device == device && row.library.starts_with("nccl") &&
                row.point.bytes >= Bytes{65536}) {
                const Seconds predicted =
                    time_of(cluster, row.point.collective, row.point.devices, row.point.bytes);
                sum += std::abs(predicted / row.point.time - 1);
                ++count;
            }
        }
        EXPECT_GT(count, 80) << device;
        EXPECT_LT(sum / count, 0.08) << device;
    }
}

}  // namespace

}  // namespace strata::testing
