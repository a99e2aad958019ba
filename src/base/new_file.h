// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// A file under construction: what stands in its place stays until the new file is whole. Until it
// is kept it has no name, so that nothing of it remains if the process is ended; only on file
// systems that need a name for every file it has one beside its place. What is no regular file,
// such as a pipe, and an open descriptor, such as /dev/stdout, is written to. A link is followed. A
// failure leaves its reason in errno.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& place);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    bool write(std::string_view text);  // false: nothing more is written
    bool keep();                        // puts it in its place; false where a part was not written

private:
    bool give_name();

    std::filesystem::path place_;
    std::filesystem::path path_;  // its name until it is kept; empty: it is written in its place
    bool has_name_ = false;
    int descriptor_ = -1;
    bool is_whole_ = true;
};

}  // namespace strata
