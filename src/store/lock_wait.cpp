// SPDX-License-Identifier: MIT
#include "store/lock_wait.h"

#include "base/text.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <thread>
#include <utility>

namespace strata {

namespace {

using DoubleSeconds = std::chrono::duration<double>;

constexpr DoubleSeconds before_words{1};
constexpr std::chrono::milliseconds between_tries{20};

std::string sentence_on(const std::filesystem::path& file, Seconds limit) {
    const std::string how_long =
        std::isfinite(limit.value) ? fmt::format("for up to {:.4g} s (--lock-timeout)", limit.value)
                                   : "until it is free (--lock-timeout ends that)";
    return fmt::format("database {} is locked by another process; waiting {}",
                       printable(file.string(), 1000), how_long);
}

}  // namespace

LockPatience& lock_patience() {
    static LockPatience patience;
    return patience;
}

LockWait::LockWait(sqlite3* handle, std::filesystem::path file) : file_(std::move(file)) {
    sqlite3_busy_handler(handle, try_again, this);
}

int LockWait::try_again(void* wait, int tries_before) {
    auto& self = *static_cast<LockWait*>(wait);
    const LockPatience& patience = lock_patience();
    const auto now = std::chrono::steady_clock::now();
    if (tries_before == 0) {
        self.begin_ = now;
        self.is_told_ = false;
    }
    const DoubleSeconds waited = now - self.begin_;
    if (self.is_skipped_ || waited.count() >= patience.limit.value ||
        (patience.stop != nullptr && *patience.stop)) {
        return 0;
    }
    if (!self.is_told_ && waited >= before_words && patience.tell != nullptr) {
        self.is_told_ = true;
        patience.tell(sentence_on(self.file_, patience.limit));
    }
    std::this_thread::sleep_for(between_tries);
    return 1;
}

}  // namespace strata
