// SPDX-License-Identifier: MIT
#include "measure/waits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace strata {
namespace {

constexpr double tolerated = 0.05;
constexpr double times_reading = 200;
constexpr Seconds min_interval{0.25e-3};

// One thread's schedstat, kept open: time on a processor, time waiting for one, number of runs.
class WaitFile {
public:
    explicit WaitFile(const std::filesystem::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    WaitFile(WaitFile&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), before_(other.before_) {}
    WaitFile& operator=(WaitFile&&) = delete;
    ~WaitFile() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    // Nothing if the thread has ended or the kernel does not count.
    std::optional<Seconds> waited() const {
        std::array<char, 96> text{};
        const auto length =
            descriptor_ < 0 ? -1 : ::pread(descriptor_, text.data(), text.size(), 0);
        if (length <= 0) {
            return {};
        }
        const char* end = text.data() + length;
        std::uint64_t ran = 0, waited = 0;
        const auto first = std::from_chars(text.data(), end, ran);
        if (first.ec != std::errc() || first.ptr == end || ran == 0 ||
            std::from_chars(first.ptr + 1, end, waited).ec != std::errc()) {
            return {};
        }
        return Seconds{1e-9 * static_cast<double>(waited)};
    }

    // The wait since the last call.
    Seconds since_last() {
        const Seconds now = waited().value_or(before_);
        return now - std::exchange(before_, now);
    }

private:
    int descriptor_;
    Seconds before_;
};

class ThreadWaits final : public WaitingTime {
public:
    explicit ThreadWaits(std::filesystem::path tasks) : tasks_(std::move(tasks)) {}

    void restart() override {
        find_threads();
        since_last();
    }

    Seconds since_last() override {
        Seconds longest;
        for (WaitFile& file : files_) {
            longest = std::max(longest, file.since_last());
        }
        return longest;
    }

    bool is_counted() const {
        return std::ranges::any_of(files_,
                                   [](const WaitFile& f) { return f.waited().has_value(); });
    }

private:
    // The folder's number of links changes with the number of threads.
    void find_threads() {
        struct stat folder {};
        const auto links = ::stat(tasks_.c_str(), &folder) == 0 ? folder.st_nlink : 0;
        if (links == links_) {
            return;
        }
        links_ = links;
        files_.clear();
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(tasks_, none)) {
            files_.emplace_back(entry.path() / "schedstat");
        }
    }

    std::filesystem::path tasks_;
    std::vector<WaitFile> files_;
    ::nlink_t links_ = 0;
};

}  // namespace

std::unique_ptr<WaitingTime> thread_waits(const std::filesystem::path& tasks) {
    auto waits = std::make_unique<ThreadWaits>(tasks);
    waits->restart();
    return waits->is_counted() ? std::move(waits) : nullptr;
}

Seconds reading_interval(WaitingTime& waiting, Clock& clock) {
    constexpr int readings = 20;
    waiting.restart();
    const Seconds begin = clock.now();
    for (int i = 0; i < readings; ++i) {
        waiting.since_last();
    }
    return std::max(min_interval, times_reading * ((clock.now() - begin) / readings));
}

void WaitWatch::begin() {
    waits_.clear();
    unread_ = 0;
    since_reading_ = {};
    waiting_.restart();
}

bool WaitWatch::took(Seconds time) {
    ++unread_;
    since_reading_ += time;
    if (since_reading_ < interval_) {
        return false;
    }
    read();
    return true;
}

std::vector<Wait> WaitWatch::end() {
    if (unread_ > 0) {
        read();
    }
    return std::move(waits_);
}

void WaitWatch::read() {
    waits_.insert(waits_.end(), std::exchange(unread_, 0),
                  {.longest = waiting_.since_last(), .reading = readings_++});
    since_reading_ = {};
}

bool is_disturbed(Seconds time, Seconds waited) {
    return waited > tolerated * time;
}

Seconds total_of(std::span<const Wait> waits) {
    Seconds sum;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        if (i == 0 || waits[i].reading != waits[i - 1].reading) {
            sum += waits[i].longest;
        }
    }
    return sum;
}

}  // namespace strata
