// SPDX-License-Identifier: MIT
#include "measure/memory_use.h"

#include "base/file.h"
#include "base/text.h"

namespace strata {
namespace {

std::optional<Bytes> kibibytes(std::string_view status, std::string_view name) {
    const auto text = field_of(status, name).value_or("");
    const auto number = parse_number(split(text, ' ').front());
    return number ? std::optional(Bytes{1024 * *number}) : std::nullopt;
}

}  // namespace

MemoryUse read_memory_use(const std::filesystem::path& root, const std::string& process) {
    const std::string status = read_small_file(root / "proc" / process / "status").value_or("");
    return {.resident = kibibytes(status, "VmRSS"), .peak = kibibytes(status, "VmHWM")};
}

std::optional<Bytes> memory_taken(const MemoryUse& before, const MemoryUse& after) {
    if (!before.resident || !after.peak || *after.peak < *before.resident) {
        return std::nullopt;
    }
    return *after.peak - *before.resident;
}

std::optional<Bytes> available_memory(const std::filesystem::path& root) {
    return kibibytes(read_small_file(root / "proc/meminfo").value_or(""), "MemAvailable");
}

bool reset_peak_memory() {
    return write_in_place("/proc/self/clear_refs", "5");  // proc(5): the peak resident set size
}

}  // namespace strata
