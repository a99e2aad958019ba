// SPDX-License-Identifier: MIT
#include "device/detect.h"

#include "base/file.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace strata {
namespace {

constexpr std::int64_t kibibyte = 1024;

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
    host.processors = this_topology().processors;
    host.caches = this_topology().caches;
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
