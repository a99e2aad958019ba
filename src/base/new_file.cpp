// SPDX-License-Identifier: MIT
#include "base/new_file.h"

#include "base/output.h"
#include "base/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

namespace strata {

namespace {

namespace fs = std::filesystem;

const char* const own_descriptors = "/proc/self/fd";

// The open descriptor that /dev/stdout, /dev/fd/3 or a link to it stands for: opening the name
// instead would write the file from its beginning.
std::optional<int> open_descriptor_at(const fs::path& place) {
    constexpr int max_links = 8;
    std::error_code ignored;
    const fs::path descriptors = fs::canonical(own_descriptors, ignored);
    fs::path at = fs::absolute(place, ignored);
    for (int links = 0; links < max_links; ++links) {
        const fs::path folder = fs::canonical(at.parent_path(), ignored);
        if (!folder.empty() && folder == descriptors) {
            const auto number = parse_integer(at.filename().string());
            return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
        }
        const fs::path target = fs::read_symlink(folder / at.filename(), ignored);
        if (target.empty()) {
            break;
        }
        at = folder / target;
    }
    return {};
}

std::string name_of_descriptor(int descriptor) {
    return std::string(own_descriptors) + "/" + std::to_string(descriptor);
}

}  // namespace

NewFile::NewFile(const fs::path& place) : place_(place) {
    if (const auto open = open_descriptor_at(place)) {
        descriptor_ = ::fcntl(*open, F_DUPFD_CLOEXEC, 0);
        return;
    }
    struct stat old {};
    const bool is_there = ::stat(place.c_str(), &old) == 0;
    if (is_there && !S_ISREG(old.st_mode)) {
        descriptor_ = ::open(place.c_str(), O_WRONLY | O_CLOEXEC);
        return;
    }
    if (is_there && ::access(place.c_str(), W_OK) != 0) {
        return;
    }
    std::error_code ignored;  // a path that cannot be resolved cannot be opened either
    const auto resolved = fs::weakly_canonical(fs::absolute(place, ignored), ignored);
    place_ = ignored ? place : resolved;
    path_ = place_.string() + "." + std::to_string(::getpid()) + ".new";
    const mode_t mode = is_there ? old.st_mode & 0777 : 0666;
    if (::access(own_descriptors, X_OK) == 0) {
        descriptor_ = ::open(place_.parent_path().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    }
    if (descriptor_ < 0) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
        has_name_ = descriptor_ >= 0;
    }
}

NewFile::~NewFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (has_name_) {
        ::unlink(path_.c_str());
    }
}

bool NewFile::write(std::string_view text) {
    is_whole_ = is_whole_ && descriptor_ >= 0 && write_all(descriptor_, text);
    return is_whole_;
}

// (A file of that name was left by a process killed between this step and the next.)
bool NewFile::give_name() {
    if (!has_name_) {
        ::unlink(path_.c_str());
        has_name_ = ::linkat(AT_FDCWD, name_of_descriptor(descriptor_).c_str(), AT_FDCWD,
                             path_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    return has_name_;
}

bool NewFile::keep() {
    if (!write("")) {
        return false;
    }
    if (!path_.empty()) {
        if (::fsync(descriptor_) != 0 || !give_name() ||
            ::rename(path_.c_str(), place_.c_str()) != 0) {
            return false;
        }
        has_name_ = false;
    }
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    return closed == 0;
}

}  // namespace strata
