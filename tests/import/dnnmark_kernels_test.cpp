// SPDX-License-Identifier: MIT
#include "import/dnnmark_kernels.h"

#include "tests/support/dnnmark_database.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace strata {
namespace {

class DnnmarkKernels : public testing::Test {
protected:
    std::vector<KernelSet> read(const std::string& sql) const {
        std::filesystem::remove(file_);
        return read_dnnmark_kernels(raw_database(file_, sql));
    }
    // The sentence with which a row (or any other content) is refused.
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

TEST_F(DnnmarkKernels, TheFileAndItsFolderStayAsTheyWere) {
    read(small_dictionary());
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
        files += entry.is_regular_file() ? 1U : 0U;
    }
    EXPECT_EQ(files, 1u);
}

TEST_F(DnnmarkKernels, FilesAreKnownByTheirFirstBytes) {
    EXPECT_TRUE(is_sqlite_file(raw_database(file_, small_dictionary())));
    EXPECT_FALSE(is_sqlite_file(directory_.write("text", "SQLite format 4 and more")));
    EXPECT_FALSE(is_sqlite_file(directory_.write("short", "SQLite")));
    EXPECT_FALSE(is_sqlite_file(directory_.path() / "absent"));
}

}  // namespace
}  // namespace strata
