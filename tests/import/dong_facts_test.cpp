// SPDX-License-Identifier: MIT
// Facts of Dong et al.'s own database (DNNMark, branch experiments-nvidia-gpu), queried in ours
// after importing it.
#include "import/dnnmark_kernels.h"
#include "store/kernels.h"
#include "store/query.h"
#include "tests/support/shared_directory.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

class DongFacts : public testing::Test {
protected:
    void SetUp() override {
        const auto file = shared_directory() / "data/dnnmark/alexnet_kernel.db";
        if (!std::filesystem::exists(file)) {
            GTEST_SKIP() << "the published kernel database is not here: " << file;
        }
        auto sets = read_dnnmark_kernels(file);
        ASSERT_EQ(sets.size(), 1u);
        set_ = std::move(sets[0]);
        store_kernels(database_, set_);
    }

    std::int64_t number(const std::string& sql) const {
        const Table table = query(database_, sql, Numbers::verbatim);
        return static_cast<std::int64_t>(std::get<Verbatim>(table.rows.at(0).at(0)).value);
    }
    std::int64_t census(const std::string& what, const std::string& device, int batch) const {
        return number("SELECT " + what + " FROM kernel_census WHERE device = '" + device +
                      "' AND batch = " + std::to_string(batch));
    }

    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
    KernelSet set_;
};

TEST_F(DongFacts, TwoDevicesThreeBatchesAndFortyNineKernelsEachMake294) {
    EXPECT_EQ(set_.kernels.size(), 294u);
    EXPECT_EQ(number("SELECT count(*) FROM kernel_census"), 6);
    EXPECT_EQ(number("SELECT count(*) FROM kernel_census WHERE kernels = 49 AND forward = 21 AND "
                     "backward_data + backward_weights = 28 AND unattributed = 0"),
              6);
}

TEST_F(DongFacts, OnlyFullNamesMakeKeys) {
    const KeyCount count = count_keys(database_, set_.id);
    EXPECT_EQ(count.keys, 294);
    EXPECT_EQ(count.name_keys, 268);
}

TEST_F(DongFacts, NamesAndFullNamesAreAsManyAsPublished) {
    struct Names {
        const char* device;
        int batch, names, full_names;
    };
    for (const Names& names : {Names{"kepler", 16, 14, 16}, Names{"pascal", 16, 14, 16},
                               Names{"kepler", 64, 14, 17}, Names{"pascal", 64, 14, 17},
                               Names{"kepler", 128, 14, 17}, Names{"pascal", 128, 15, 17}}) {
        EXPECT_EQ(census("names", names.device, names.batch), names.names);
        EXPECT_EQ(census("full_names", names.device, names.batch), names.full_names);
    }
}

TEST_F(DongFacts, OnlyTheFirstConvolutionHasNoGradientOfItsInput) {
    const std::string layers =
        "SELECT count(DISTINCT layer) FROM tracked_kernel WHERE (layer LIKE 'conv%' OR layer LIKE "
        "'fc%') AND pass = ";
    EXPECT_EQ(number(layers + "'backward_weights'"), 8);
    EXPECT_EQ(number(layers + "'backward_data'"), 7);
    EXPECT_EQ(number(layers + "'backward_data' AND layer = 'conv1'"), 0);
}

TEST_F(DongFacts, OneKernelServesSevenLayersAndOneAllForwardConvolutions) {
    const std::string use =
        " FROM kernel_use WHERE device = 'pascal' AND batch = 128 AND pass = 'forward' AND name = ";
    EXPECT_EQ(number("SELECT layers" + use + "'activation_fw_4d_kernel'"), 7);
    EXPECT_EQ(number("SELECT layers" + use + "'implicit_convolve_sgemm'"), 5);
    EXPECT_EQ(number("SELECT variants" + use + "'implicit_convolve_sgemm'"), 2);
}

TEST_F(DongFacts, TheTwoVariantsDivideTheConvolutionsAsPublished) {
    const Table table =
        query(database_,
              "SELECT group_concat(layer) FROM (SELECT * FROM tracked_kernel WHERE device = "
              "'pascal' AND batch = 128 AND name = 'implicit_convolve_sgemm' ORDER BY layer) GROUP "
              "BY full_name ORDER BY 1",
              Numbers::verbatim);
    EXPECT_EQ(std::get<std::string>(table.rows.at(0).at(0)), "conv1,conv3,conv4");
    EXPECT_EQ(std::get<std::string>(table.rows.at(1).at(0)), "conv2,conv5");
}

TEST_F(DongFacts, NoConvolutionRanByTransform) {
    EXPECT_EQ(number("SELECT count(*) FROM tracked_kernel WHERE full_name LIKE '%fft%' OR "
                     "full_name LIKE '%winograd%'"),
              0);
    EXPECT_GT(number("SELECT count(*) FROM tracked_kernel WHERE device = 'kepler' AND name LIKE "
                     "'cudnn_dgrad_sm35_%'"),
              0);
}

}  // namespace
}  // namespace strata
