// SPDX-License-Identifier: MIT
#include "device/detect.h"

#include "base/processors.h"
#include "base/small_file.h"
#include "base/text.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace strata {
namespace {

constexpr int max_caches = 16;
constexpr std::int64_t kibibyte = 1024;

// "48K", "2M", or plain bytes.
std::optional<Bytes> size_of(std::string_view text) {
    std::int64_t unit = 1;
    if (text.ends_with('K') || text.ends_with('M')) {
        unit = text.ends_with('K') ? kibibyte : kibibyte * kibibyte;
        text.remove_suffix(1);
    }
    const auto number = parse_integer(text);
    return number && *number > 0 && *number < (std::int64_t{1} << 40)
               ? std::optional(Bytes{static_cast<double>(*number * unit)})
               : std::nullopt;
}

// How many processors a list like "0-3,8" names; one where it cannot be read.
int count_of(std::string_view list) {
    std::int64_t count = 0;
    for (const auto range : split(list, ',')) {
        const auto ends = split(range, '-');
        const auto first = parse_integer(ends.front());
        const auto last = parse_integer(ends.back());
        if (!first || !last || *last < *first || *last > 1 << 20) {
            return 1;
        }
        count += *last - *first + 1;
    }
    return static_cast<int>(std::min<std::int64_t>(count, 1 << 20));
}

std::optional<Cache> cache_in(const std::filesystem::path& folder) {
    const auto read = [&](const char* name) {
        return std::string(trim(read_small_file(folder / name).value_or("")));
    };
    const auto level = parse_integer(read("level"));
    const auto size = size_of(read("size"));
    if (!level || *level < 1 || *level > 9 || !size || read("type") == "Instruction") {
        return {};
    }
    return Cache{.level = static_cast<int>(*level),
                 .size = *size,
                 .shared_by = count_of(read("shared_cpu_list"))};
}

std::vector<Cache> caches_of_the_kernel(const std::filesystem::path& root) {
    std::vector<Cache> caches;
    for (int i = 0; i < max_caches; ++i) {
        if (const auto cache =
                cache_in(root / fmt::format("sys/devices/system/cpu/cpu0/cache/index{}", i))) {
            caches.push_back(*cache);
        }
    }
    std::sort(caches.begin(), caches.end(),
              [](const Cache& a, const Cache& b) { return a.level < b.level; });
    return caches;
}

// The C library asks cpuid. It does not tell who shares a cache: the last one counts as shared by
// all processors, the others as a processor's own.
std::vector<Cache> caches_of_the_library() {
    constexpr std::array<int, 3> names = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                          _SC_LEVEL3_CACHE_SIZE};
    std::vector<Cache> caches;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const long size = ::sysconf(names[i]);
        if (size > 0) {
            caches.push_back({.level = static_cast<int>(i) + 1,
                              .size = {static_cast<double>(size)},
                              .shared_by = i == 2 ? CPU_SETSIZE : 1});
        }
    }
    return caches;
}

std::optional<Bytes> installed_memory(std::string_view meminfo) {
    const auto text = field_of(meminfo, "MemTotal");
    const auto number = text ? parse_integer(split(*text, ' ').front()) : std::nullopt;
    return number ? std::optional(Bytes{static_cast<double>(*number) * kibibyte}) : std::nullopt;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> all;
    for (const auto word : split(text, ' ')) {
        if (!word.empty()) {
            all.emplace_back(word);
        }
    }
    return all;
}

// Words of a model's name that distinguish nothing.
bool is_noise(std::string_view word) {
    constexpr std::array<std::string_view, 5> noise = {"processor", "cpu", "r", "tm", "core"};
    return std::find(noise.begin(), noise.end(), word) != noise.end();
}

std::vector<std::string> plain_words(std::string_view text) {
    std::vector<std::string> all(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            all.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!all.back().empty()) {
            all.emplace_back();
        }
    }
    std::erase_if(all, [](const std::string& word) { return word.empty() || is_noise(word); });
    return all;
}

}  // namespace

Host detect_host(const std::filesystem::path& root) {
    const std::string cpuinfo = read_small_file(root / "proc/cpuinfo", 1 << 24).value_or("");
    Host host;
    host.model = printable(field_of(cpuinfo, "model name").value_or("unknown processor"));
    host.processors = allowed_processors();
    host.caches = caches_of_the_kernel(root);
    if (host.caches.empty()) {
        host.caches = caches_of_the_library();
    }
    host.memory = installed_memory(read_small_file(root / "proc/meminfo").value_or(""));
    host.instructions = words(field_of(cpuinfo, "flags").value_or(""));
    return host;
}

bool has_instructions(const Host& host, std::string_view flag) {
    return std::find(host.instructions.begin(), host.instructions.end(), flag) !=
           host.instructions.end();
}

Bytes capacity_for(const Cache& cache, int threads) {
    const int instances = (threads + cache.shared_by - 1) / cache.shared_by;
    return cache.size * static_cast<double>(std::max(1, instances));
}

std::string device_name(const Host& host, int threads) {
    const auto words = plain_words(host.model.substr(0, host.model.find('@')));
    return fmt::format("{}-{}t", words.empty() ? "unknown" : join(words, "-"), threads);
}

}  // namespace strata
