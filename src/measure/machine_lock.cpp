// SPDX-License-Identifier: MIT
#include "measure/machine_lock.h"

#include "base/file.h"
#include "base/text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace strata {

namespace {

// Anyone can write to the folder, so only a regular file is opened, and nothing is written to it. A
// read-only descriptor can lock another user's file.
int open_shared(const std::filesystem::path& file) {
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int descriptor = ::open(file.c_str(), flags);
    if (descriptor < 0 && errno == ENOENT) {
        descriptor = ::open(file.c_str(), flags | O_CREAT, 0644);
        ::fchmod(descriptor, 0644);  // whatever the umask: others must be able to lock it
    }
    struct stat status = {};
    if (descriptor >= 0 && (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
        ::close(descriptor);
        return -1;
    }
    return descriptor;
}

}  // namespace

MachineLock::MachineLock(const std::filesystem::path& file) : file_(open_shared(file)) {}

MachineLock::MachineLock(MachineLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

MachineLock::~MachineLock() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

bool MachineLock::try_acquire() {
    return file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF". Waiting processes are
// listed with an arrow; the number of a process in another namespace is 0.
std::optional<int> MachineLock::holder() const {
    struct stat status = {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) {
        return std::nullopt;
    }
    const std::string inode = fmt::format(":{}", status.st_ino);
    const std::string locks = read_small_file("/proc/locks").value_or("");
    for (const auto line : split(locks, '\n')) {
        std::vector<std::string_view> words = split(line, ' ');
        std::erase(words, "");
        if (words.size() > 5 && words[1] == "FLOCK" && words[5].ends_with(inode)) {
            const auto process = parse_integer(words[4]);
            return process && *process > 0 ? std::optional(static_cast<int>(*process))
                                           : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace strata
