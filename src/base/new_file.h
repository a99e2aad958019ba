// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// A file under construction beside its place: what stands there stays until the new file is whole,
// and the new one is removed unless it was kept. What is no regular file, such as a pipe, is
// written to. A link is followed. A failure leaves its reason in errno.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& place);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    bool write(std::string_view text);  // false: nothing more is written
    bool keep();                        // puts it in its place; false where a part was not written

private:
    std::filesystem::path place_;
    std::filesystem::path path_;  // empty: its place itself
    int descriptor_ = -1;
    bool is_whole_ = true;
};

}  // namespace strata
