// SPDX-License-Identifier: MIT
#include "base/mapped_file.h"

#include "base/error.h"
#include "base/text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <string>

namespace strata {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
    throw Error("cannot read '" + printable(path.string(), 400) + "': " + reason);
}

[[noreturn]] void refuse(const std::filesystem::path& path, int error) {
    refuse(path, std::string(std::strerror(error)));
}

// A file descriptor that closes itself.
class Descriptor {
public:
    // Not blocking, so that a pipe without a writer is refused instead of waited for.
    explicit Descriptor(const std::filesystem::path& path)
        : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (number_ < 0) {
            refuse(path, errno);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(number_); }
    int number() const { return number_; }

private:
    int number_;
};

std::size_t size_of_regular(const Descriptor& file, const std::filesystem::path& path) {
    struct stat status = {};
    if (::fstat(file.number(), &status) != 0) {
        refuse(path, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        refuse(path, std::string("it is a directory; give a file in it"));
    }
    if (!S_ISREG(status.st_mode)) {
        refuse(path, std::string("it is not a regular file; copy its content into one"));
    }
    return static_cast<std::size_t>(status.st_size);
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const Descriptor file(path);
    const std::size_t size = size_of_regular(file, path);
    const void* start = nullptr;
    if (size > 0) {  // a mapping of no bytes is refused by the kernel
        start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
        if (start == MAP_FAILED) {
            refuse(path, errno);
        }
    }
    return std::shared_ptr<const MappedFile>(
        new MappedFile(static_cast<const std::byte*>(start), size));
}

MappedFile::~MappedFile() {
    if (size_ > 0) {
        ::munmap(const_cast<std::byte*>(start_), size_);
    }
}

}  // namespace strata
