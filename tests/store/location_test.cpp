// SPDX-License-Identifier: MIT
#include "store/database.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>

namespace strata {
namespace {

using Variables = std::map<std::string, std::optional<std::string>>;

// Sets the variables that determine the location, and restores their previous values.
class Environment {
public:
    explicit Environment(const Variables& values) {
        for (const auto& [name, value] : values) {
            const char* before = std::getenv(name.c_str());
            before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
            set(name, value);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        for (const auto& [name, value] : before_) {
            set(name, value);
        }
    }

private:
    static void set(const std::string& name, const std::optional<std::string>& value) {
        value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }

    Variables before_;
};

TEST(DatabasePath, ARequestTakesPrecedenceOverTheVariable) {
    const Environment environment(Variables{{"STRATA_DATABASE", "/b.sqlite"}});
    EXPECT_EQ(database_path("a.sqlite"), "a.sqlite");
    EXPECT_EQ(database_path(), "/b.sqlite");
}

TEST(DatabasePath, WithoutTheVariableItIsInTheUsersDataFolder) {
    const Environment environment(Variables{{"STRATA_DATABASE", {}}, {"XDG_DATA_HOME", "/data"}});
    EXPECT_EQ(database_path(), "/data/strata/strata.sqlite");
}

TEST(DatabasePath, ARelativeDataFolderIsIgnoredAsTheSpecificationAsks) {
    const Environment environment(
        Variables{{"STRATA_DATABASE", {}}, {"XDG_DATA_HOME", "data"}, {"HOME", "/home/me"}});
    EXPECT_EQ(database_path(), "/home/me/.local/share/strata/strata.sqlite");
}

TEST(DatabasePath, WithoutAHomeTheErrorNamesTheFlag) {
    const Environment environment(
        Variables{{"STRATA_DATABASE", {}}, {"XDG_DATA_HOME", {}}, {"HOME", {}}});
    const std::string sentence = error_of([] { database_path(); });
    EXPECT_NE(sentence.find("--database"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace strata
