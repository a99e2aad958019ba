// SPDX-License-Identifier: MIT
#include "backend/module.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace strata {
namespace {

ExitCode code_of_opening(const std::string& name) {
    try {
        open_backend_module(name);
    } catch (const Error& error) {
        return error.code();
    }
    return ExitCode::done;
}

TEST(Module, AnAbsentModuleMeansThatThisMachineCannot) {
    EXPECT_EQ(code_of_opening("abacus"), ExitCode::machine_cannot);
}

TEST(Module, AFileThatIsNoLibraryIsRefusedWithTheLoadersReason) {
    const auto folder = std::filesystem::temp_directory_path() / "strata_module_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "libstrata_broken.so") << "not a library";
    setenv("STRATA_BACKEND_PATH", folder.c_str(), 1);
    EXPECT_EQ(code_of_opening("broken"), ExitCode::machine_cannot);
    unsetenv("STRATA_BACKEND_PATH");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace strata
