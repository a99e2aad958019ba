// SPDX-License-Identifier: MIT
#include "base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace strata {

NewFile::NewFile(const std::filesystem::path& place) : place_(place) {
    struct stat old {};
    const bool is_there = ::stat(place.c_str(), &old) == 0;
    if (is_there && !S_ISREG(old.st_mode)) {
        descriptor_ = ::open(place.c_str(), O_WRONLY | O_CLOEXEC);
        return;
    }
    if (is_there && ::access(place.c_str(), W_OK) != 0) {
        return;
    }
    std::error_code ignored;  // what cannot be resolved cannot be opened, either
    const auto resolved = std::filesystem::weakly_canonical(place, ignored);
    place_ = ignored ? place : resolved;
    path_ = place_.string() + "." + std::to_string(::getpid()) + ".new";
    const mode_t mode = is_there ? old.st_mode & 0777 : 0666;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
}

NewFile::~NewFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        if (!path_.empty()) {
            ::unlink(path_.c_str());
        }
    }
}

bool NewFile::write(std::string_view text) {
    is_whole_ = is_whole_ && descriptor_ >= 0;
    while (is_whole_ && !text.empty()) {
        const auto written = ::write(descriptor_, text.data(), text.size());
        is_whole_ = written >= 0 || errno == EINTR;
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return is_whole_;
}

bool NewFile::keep() {
    if (!write("")) {
        return false;
    }
    if (!path_.empty() &&
        (::fsync(descriptor_) != 0 || ::rename(path_.c_str(), place_.c_str()) != 0)) {
        return false;
    }
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    return closed == 0;
}

}  // namespace strata
