// SPDX-License-Identifier: MIT
#include "store/owner.h"

#include "base/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace strata {

namespace {

// Field 22 of /proc/PID/stat, in clock ticks since boot; empty if there is no such process, or it
// is a zombie or dead (Z, X). The command's name, field 2, may contain anything, so fields are
// counted from its closing parenthesis.
std::string start_of(std::int64_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string line;
    std::getline(file, line);
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos) {
        return "";
    }
    const auto fields = split(std::string_view(line).substr(name_end + 1), ' ');
    constexpr std::size_t state = 1, start_time = 20;  // fields 3 and 22, after an empty part
    const bool lives = fields.size() > start_time && fields[state] != "Z" && fields[state] != "X";
    return lives ? std::string(fields[start_time]) : "";
}

std::string name_of_process(std::int64_t process) {
    return fmt::format("{}/{}/{}", host_name(), process, start_of(process));
}

}  // namespace

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string this_process() {
    return name_of_process(::getpid());
}

bool is_alive(const std::string& process) {
    const auto parts = split(process, '/');
    const auto id = parts.size() == 3 ? parse_integer(parts[1]) : std::nullopt;
    return id && !start_of(*id).empty() && name_of_process(*id) == process;
}

}  // namespace strata
