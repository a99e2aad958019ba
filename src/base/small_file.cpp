// SPDX-License-Identifier: MIT
#include "base/small_file.h"

#include "base/error.h"
#include "base/text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace strata {
namespace {

// A file that is closed, and removed where nobody said that it is done.
class NewFile {
public:
    explicit NewFile(std::filesystem::path path)
        : path_(std::move(path)),
          descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
            ::unlink(path_.c_str());
        }
    }

    bool write(std::string_view text) {
        while (descriptor_ >= 0 && !text.empty()) {
            const auto written = ::write(descriptor_, text.data(), text.size());
            if (written < 0) {
                return false;
            }
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return descriptor_ >= 0 && ::fsync(descriptor_) == 0;
    }

    bool move_to(const std::filesystem::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) {
            return false;
        }
        ::close(descriptor_);
        descriptor_ = -1;
        return true;
    }

private:
    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace

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

void replace_file(const std::filesystem::path& path, std::string_view text) {
    std::error_code ignored;  // a folder that cannot be made shows when the file is opened
    std::filesystem::create_directories(path.parent_path(), ignored);
    NewFile file(path.string() + "." + std::to_string(::getpid()) + ".new");
    if (!file.write(text) || !file.move_to(path)) {
        throw Error(printable(path.string()) + ": cannot be written (" + std::strerror(errno) +
                    "); choose a writable folder");
    }
}

}  // namespace strata
