// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// A file under construction: the existing file stays in place until the new one is whole. Until it
// is kept, it has no name, so nothing of it remains if the process is killed; on file systems
// without unnamed files it has a temporary name next to its place. Anything that is not a regular
// file, such as a pipe, and an open descriptor, such as /dev/stdout, is written directly. Links are
// followed. A failure leaves its reason in errno.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& place);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    bool write(std::string_view text);  // false: nothing more is written
    bool keep();                        // puts it in its place; false if any part was not written

private:
    bool give_name();

    std::filesystem::path place_;
    std::filesystem::path path_;  // its temporary name; empty: it is written in place
    bool has_name_ = false;
    int descriptor_ = -1;
    bool is_whole_ = true;
};

}  // namespace strata
