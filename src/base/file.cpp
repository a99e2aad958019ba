// SPDX-License-Identifier: MIT
#include "base/file.h"

#include "base/error.h"
#include "base/new_file.h"
#include "base/output.h"
#include "base/text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace strata {

std::optional<std::string> read_small_file(const std::filesystem::path& path, std::size_t limit) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                               &std::fclose);
    if (!file) {
        return {};
    }
    std::string text;
    char buffer[4096];
    for (std::size_t got = 1; got > 0 && text.size() <= limit;) {
        got = std::fread(buffer, 1, sizeof buffer, file.get());
        text.append(buffer, got);
    }
    if (std::ferror(file.get()) != 0 || text.size() > limit) {
        return {};
    }
    return text;
}

std::string why_not_read(const std::filesystem::path& path) {
    return ::access(path.c_str(), R_OK) == 0 ? "it is not a file, or too long"
                                             : std::strerror(errno);
}

bool write_in_place(const std::filesystem::path& path, std::string_view text) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool is_written = descriptor >= 0 && write_all(descriptor, text);
    return descriptor >= 0 && ::close(descriptor) == 0 && is_written;
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
    std::error_code ignored;  // a folder that cannot be made shows when the file is opened
    std::filesystem::create_directories(path.parent_path(), ignored);
    NewFile file(path);
    if (!file.write(text) || !file.keep()) {
        throw Error(printable(path.string()) + ": cannot be written (" + std::strerror(errno) +
                    "); choose a writable folder");
    }
}

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
    throw Error("cannot read '" + printable(path.string(), 400) + "': " + reason);
}

[[noreturn]] void refuse(const std::filesystem::path& path, int error) {
    refuse(path, std::string(std::strerror(error)));
}

// A file descriptor, closed by its destructor.
class Descriptor {
public:
    // Non-blocking, so that a pipe without a writer is refused instead of waited for.
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
    if (size > 0) {  // the kernel refuses a mapping of no bytes
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

std::optional<std::filesystem::path> path_in_environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? std::nullopt
                                              : std::optional<std::filesystem::path>(value);
}

std::optional<std::filesystem::path> data_home() {
    if (const auto asked = path_in_environment("XDG_DATA_HOME"); asked && asked->is_absolute()) {
        return asked;
    }
    const auto home = path_in_environment("HOME");
    return home ? std::optional(*home / ".local" / "share") : std::nullopt;
}

}  // namespace strata
