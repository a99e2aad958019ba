// SPDX-License-Identifier: MIT
#include "store/load.h"
#include "store/save.h"
#include "tests/store/sample_run.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

class NameTest : public ::testing::Test {
protected:
    NameTest() {
        const Database database = Database::open(file_);
        for (int i = 0; i < 3; ++i) {
            auto run = sample_run();
            save_run(database, run);
        }
    }

    std::int64_t id_of(const std::string& name) const { return load_named_run(file_, name).id; }
    std::string error_of_name(const std::string& name) const {
        return error_of([&] { load_named_run(file_, name); });
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "runs.sqlite";
};

TEST_F(NameTest, ARunIsNamedByItsIdOrFromTheLast) {
    EXPECT_EQ(id_of("2"), 2);
    EXPECT_EQ(id_of("last"), 3);
    EXPECT_EQ(id_of("last~0"), 3);
    EXPECT_EQ(id_of("last~2"), 1);
}

TEST_F(NameTest, AFileBeforeAColonIsAnotherDatabase) {
    const auto other = directory_.path() / "o:ther.sqlite";
    {
        const Database database = Database::open(other);
        auto run = sample_run();
        run.settings.network = "vgg-16";
        save_run(database, run);
    }
    EXPECT_EQ(load_named_run(file_, other.string() + ":1").settings.network, "vgg-16");
    EXPECT_EQ(load_named_run(file_, other.string() + ":last").settings.network, "vgg-16");
}

TEST_F(NameTest, AskingForTooOldARunIsRefused) {
    EXPECT_NE(error_of_name("last~3").find("does not hold that many"), std::string::npos);
    EXPECT_NE(error_of_name("4").find("no run 4"), std::string::npos);
}

TEST_F(NameTest, NonsenseNamesNoRun) {
    for (const char* name :
         {"", "first", "last~", "last~-1", "-1", "0", "1x", "last~x", "99999999999999999999"}) {
        EXPECT_NE(error_of_name(name).find("does not name a run"), std::string::npos) << name;
    }
}

TEST_F(NameTest, AFileThatDoesNotExistIsNamed) {
    EXPECT_NE(error_of_name("missing.sqlite:1").find("missing.sqlite"), std::string::npos);
}

}  // namespace
}  // namespace strata
