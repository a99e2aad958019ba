// SPDX-License-Identifier: MIT
#include "import/dnnmark.h"
#include "store/kernels.h"
#include "store/query.h"
#include "tests/support/dnnmark_database.h"
#include "tests/support/error_message.h"
#include "tests/support/shared_directory.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

class DnnmarkKernels : public ::testing::Test {
protected:
    std::vector<KernelSet> read(const std::string& sql) const {
        std::filesystem::remove(file_);
        return read_dnnmark_kernels(raw_database(file_, sql));
    }
    // The sentence that refuses a row (or any other content).
    std::string refusal(const std::string& sql) const {
        return error_of([&] { read(sql); });
    }
    std::string refusal_of_row(const std::string& row) const {
        return refusal(dictionary_table() + "INSERT INTO alexnet_kernel_dict VALUES (" + row + ")");
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "kernels.db";
};

bool holds(const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos;
}

TEST_F(DnnmarkKernels, RowsBecomeKernelsWithLayerAndPass) {
    const KernelSet set = read(small_dictionary()).at(0);
    ASSERT_EQ(set.kernels.size(), 6u);
    EXPECT_EQ(set.network, "alexnet");
    EXPECT_EQ(set.origin, Origin::imported);
    EXPECT_EQ(set.source, "kernels.db");
    const TrackedKernel& first = set.kernels[0];
    EXPECT_EQ(first.key, (KernelKey{"pascal", 16, "sgemm<float, int=6>", 1}));
    EXPECT_EQ(first.name, "sgemm");
    EXPECT_FALSE(first.time);
    EXPECT_FALSE(first.launch);
}

TEST_F(DnnmarkKernels, TheEndingOfABackwardLayerIsItsPass) {
    const KernelSet set = read(small_dictionary()).at(0);
    const auto layer_and_pass = [&](std::size_t i) {
        return set.kernels[i].layer + " " + std::string(name_of(*set.kernels[i].pass));
    };
    EXPECT_EQ(layer_and_pass(0), "conv1 forward");
    EXPECT_EQ(layer_and_pass(2), "relu1 backward_data");
    EXPECT_EQ(layer_and_pass(3), "conv2 backward_data");
    EXPECT_EQ(layer_and_pass(4), "conv2 backward_weights");
}

TEST_F(DnnmarkKernels, EveryDictionaryOfAFileIsASet) {
    const auto sets = read(small_dictionary() + dictionary_table("vgg"));
    ASSERT_EQ(sets.size(), 2u);
    EXPECT_EQ(sets[1].network, "vgg");
    EXPECT_TRUE(sets[1].kernels.empty());
}

TEST_F(DnnmarkKernels, ValuesOfTheWrongKindAreRefusedWithTheirRow) {
    EXPECT_TRUE(holds(refusal_of_row("'a', '16', 'c', 'Forward', 'k', 'k', 1"),
                      "row 1 of table alexnet_kernel_dict: batchsize is text, not integer"));
}

TEST_F(DnnmarkKernels, ValuesWithoutMeaningAreRefused) {
    EXPECT_TRUE(holds(refusal_of_row("'a', 16, 'c', 'Sideways', 'k', 'k', 1"), "Sideways"));
    EXPECT_TRUE(
        holds(refusal_of_row("'a', 16, 'c', 'Forward', 'k', 'k', 0"), "invocationorder is 0"));
    EXPECT_TRUE(holds(refusal_of_row("'a', -1, 'c', 'Forward', 'k', 'k', 1"), "batchsize is -1"));
    EXPECT_TRUE(holds(refusal_of_row("'a', 16, '', 'Forward', 'k', 'k', 1"), "no name"));
    EXPECT_TRUE(holds(refusal_of_row("NULL, 16, 'c', 'Forward', 'k', 'k', 1"), "arch is null"));
}

TEST_F(DnnmarkKernels, AHugeValueIsRefused) {
    EXPECT_TRUE(holds(refusal_of_row("'a', 16, 'c', 'Forward', 'k', "
                                     "hex(zeroblob(2000000)), 1"),
                      "more than a megabyte"));
}

TEST_F(DnnmarkKernels, ATableOfManyRowsIsRefused) {
    const std::string many =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000001) "
        "INSERT INTO alexnet_kernel_dict SELECT 'a', 16, 'c', 'Forward', 'k', 'k', i FROM n;";
    EXPECT_TRUE(holds(refusal(dictionary_table() + many), "1000000 kernels"));
}

TEST_F(DnnmarkKernels, AColumnThatIsMissingIsNamed) {
    EXPECT_TRUE(holds(refusal("CREATE TABLE alexnet_kernel_dict (arch, batchsize)"),
                      "no column layername"));
}

TEST_F(DnnmarkKernels, ViewsAreNotRead) {
    const std::string sentence = refusal(
        "CREATE VIEW alexnet_kernel_dict AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i "
        "FROM n) SELECT 'a' AS arch FROM n");
    EXPECT_TRUE(holds(sentence, "holds no table whose name ends in _kernel_dict")) << sentence;
}

TEST_F(DnnmarkKernels, AnInvalidDatabaseIsRefusedInOneSentence) {
    const auto sentence = [&](const std::filesystem::path& file) {
        return error_of([&] { read_dnnmark_kernels(file); });
    };
    EXPECT_TRUE(holds(sentence(directory_.write("text", "this is no database, only a text")),
                      "is not an SQLite file"));
    EXPECT_TRUE(holds(sentence(directory_.path() / "absent"), "No such file"));
    EXPECT_TRUE(holds(sentence(directory_.path()), "it is not a file"));
}

TEST_F(DnnmarkKernels, ADamagedFileIsRefusedWhereverItIsDamaged) {
    raw_database(file_, small_dictionary());
    std::string whole;
    {
        std::ifstream stream(file_, std::ios::binary);
        whole.assign(std::istreambuf_iterator<char>(stream), {});
    }
    for (std::size_t at = 0; at + 64 < whole.size(); at += 509) {
        std::string damaged = whole;
        damaged.replace(at, 64, 64, '\xff');
        const auto file = directory_.write("damaged", damaged);
        EXPECT_EQ(error_of([&] { read_dnnmark_kernels(file); }).find('\n'), std::string::npos);
        const auto torn = directory_.write("torn", whole.substr(0, at + 16));
        EXPECT_NE(error_of([&] { read_dnnmark_kernels(torn); }), "no error") << at;
    }
}

TEST_F(DnnmarkKernels, ADatabaseThatIsBeingWrittenIsRefused) {
    raw_database(file_, small_dictionary());
    directory_.write("kernels.db-wal", "something");
    EXPECT_TRUE(holds(error_of([&] { read_dnnmark_kernels(file_); }), "still being written"));
}

TEST_F(DnnmarkKernels, TheFileAndItsFolderAreUnchanged) {
    read(small_dictionary());
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
        files += entry.is_regular_file() ? 1U : 0U;
    }
    EXPECT_EQ(files, 1u);
}

TEST_F(DnnmarkKernels, FilesAreRecognisedByTheirFirstBytes) {
    EXPECT_TRUE(is_sqlite_file(raw_database(file_, small_dictionary())));
    EXPECT_FALSE(is_sqlite_file(directory_.write("text", "SQLite format 4 and more")));
    EXPECT_FALSE(is_sqlite_file(directory_.write("short", "SQLite")));
    EXPECT_FALSE(is_sqlite_file(directory_.path() / "absent"));
}

}  // namespace

// Facts of Dong et al.'s own database (DNNMark, branch experiments-nvidia-gpu), queried after
// importing it.

namespace {

class DongFacts : public ::testing::Test {
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

TEST_F(DongFacts, TheNumbersOfNamesAndFullNamesAreAsPublished) {
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
