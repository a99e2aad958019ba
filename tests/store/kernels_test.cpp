// SPDX-License-Identifier: MIT
#include "store/kernels.h"

#include "store/query.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TrackedKernel kernel(const std::string& full_name, const std::string& layer, Pass pass) {
    return {.key = {.device = "pascal", .batch = 16, .full_name = full_name},
            .name = full_name.substr(0, full_name.find('<')),
            .layer = layer,
            .pass = pass};
}

// One kernel with every fact known, one with only its identity, one without a layer.
KernelSet sample_set() {
    KernelSet set{.created = "2026-11-21T13:15:00Z",
                  .origin = Origin::measured,
                  .network = "alexnet",
                  .kernels = {kernel("sgemm<6>", "conv1", Pass::forward),
                              kernel("sgemm<8>", "conv2", Pass::backward_weights),
                              {.key = {.device = "pascal", .batch = 16, .full_name = "memset"},
                               .name = "memset"}}};
    set.kernels[0].launch = LaunchShape{.grid = {2, 3, 4},
                                        .block = {128, 1, 1},
                                        .registers = 64,
                                        .static_shared = {1024},
                                        .dynamic_shared = {512}};
    set.kernels[0].time = Nanoseconds(12345);
    set.kernels[0].metrics = {
        {.name = "dram_bytes", .unit = "B", .value = 0.0},
        {.name = "l1_hit_rate", .unit = "%", .reason = "the chip has no such counter"}};
    return set;
}

class KernelsTest : public ::testing::Test {
protected:
    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
};

TEST_F(KernelsTest, ASetLoadsAsItWasStored) {
    KernelSet set = sample_set();
    EXPECT_EQ(store_kernels(database_, set), Stored::anew);
    const KernelSet loaded = load_kernels(database_, set.id);
    EXPECT_EQ(loaded.kernels, set.kernels);
    EXPECT_EQ(loaded.network, set.network);
    EXPECT_EQ(loaded.created, set.created);
    EXPECT_EQ(loaded.origin, set.origin);
}

TEST_F(KernelsTest, TheSameSetIsStoredOnce) {
    KernelSet set = sample_set(), again = sample_set(), other = sample_set();
    again.created = "2027-01-01T00:00:00Z";
    other.kernels[0].time = Nanoseconds(12346);
    store_kernels(database_, set);
    EXPECT_EQ(store_kernels(database_, again), Stored::before);
    EXPECT_EQ(again.id, set.id);
    EXPECT_EQ(store_kernels(database_, other), Stored::anew);
}

TEST_F(KernelsTest, KernelsThatShareAKeyAreRefusedAndNothingIsStored) {
    KernelSet set = sample_set();
    set.kernels.push_back(set.kernels[0]);
    const std::string sentence = error_of([&] { store_kernels(database_, set); });
    EXPECT_NE(sentence.find("sgemm<6>"), std::string::npos) << sentence;
    EXPECT_TRUE(kernel_census(database_).rows.empty());
}

TEST_F(KernelsTest, BareNamesDistinguishFewerKernels) {
    KernelSet set = sample_set();
    store_kernels(database_, set);
    const KeyCount count = count_keys(database_, set.id);
    EXPECT_EQ(count.kernels, 3);
    EXPECT_EQ(count.keys, 3);
    EXPECT_EQ(count.name_keys, 2);
}

TEST_F(KernelsTest, ATimeThatOneKernelLacksIsMissingFromTheSum) {
    KernelSet set = sample_set();
    store_kernels(database_, set);
    const Table table = query(database_, "SELECT time_s FROM kernel_census", Numbers::scaled);
    EXPECT_TRUE(std::holds_alternative<Missing>(table.rows.at(0).at(0)));
}

TEST_F(KernelsTest, AMissingMetricIsNotZeroAndHasAReason) {
    EXPECT_NE(error_of([&] {
                  database_.execute(
                      "INSERT INTO kernel_metric (kernel, metric, unit) VALUES "
                      "(1, 1, 'B')");
              }),
              "no error");
}

TEST_F(KernelsTest, AMissingSetIsNamed) {
    const std::string sentence = error_of([&] { load_kernels(database_, 9); });
    EXPECT_NE(sentence.find("kernel set 9"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace strata
