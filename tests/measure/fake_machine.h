// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace strata::testing {

// A machine described by its kernel's files, in a separate folder.
class FakeMachine {
public:
    FakeMachine& tell(const std::string& file, const std::string& text) {
        replace_file(root() / file, text);
        return *this;
    }
    const std::filesystem::path& root() const { return folder_.path(); }

private:
    TemporaryDirectory folder_;
};

}  // namespace strata::testing
