// SPDX-License-Identifier: MIT
#include "base/program.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace strata {

namespace {

constexpr int between_questions_ms = 100;
constexpr std::size_t longest_line = 4096;

class FileDescriptor {
public:
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(); }

    int get() const { return number_; }
    void close() {
        if (number_ >= 0) {
            ::close(number_);
        }
        number_ = -1;
    }

private:
    int number_;
};

// Assembles bytes into lines.
class Lines {
public:
    explicit Lines(const std::function<void(const std::string&)>& hear) : hear_(hear) {}

    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            if (byte == '\n') {
                end();
            } else if (line_.size() < longest_line) {
                line_ += byte;
            }
        }
    }
    void end() {
        if (hear_ && !line_.empty()) {
            hear_(line_);
        }
        line_.clear();
    }

private:
    const std::function<void(const std::string&)>& hear_;
    std::string line_;
};

// The child's standard error goes to the given descriptor.
pid_t start(const ProgramCall& call, int error_output) {
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, error_output, STDERR_FILENO);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<char*> words = {const_cast<char*>(call.file.c_str())};
    for (const std::string& argument : call.arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    pid_t child = 0;
    const int trouble =
        posix_spawn(&child, call.file.c_str(), &actions, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (trouble != 0) {
        throw Error(fmt::format("cannot start {}: {}; check that it exists and may be executed",
                                printable(call.file), std::strerror(trouble)));
    }
    return child;
}

// Runs until the program closes its standard error.
void listen(const ProgramCall& call, pid_t child, int from) {
    Lines lines(call.hear);
    std::array<char, 4096> buffer{};
    bool was_told = false;
    while (true) {
        if (!was_told && call.is_stopped && call.is_stopped()) {
            kill(child, SIGINT);
            was_told = true;
        }
        if (call.is_killed && call.is_killed()) {
            kill(child, SIGKILL);
        }
        pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
        if (poll(&ready, 1, between_questions_ms) <= 0) {
            continue;
        }
        const ssize_t count = read(from, buffer.data(), buffer.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        lines.add({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))});
    }
    lines.end();
}

}  // namespace

std::optional<std::filesystem::path> find_in_path(const std::string& name) {
    const std::string folders = path_in_environment("PATH").value_or("");
    for (const std::string_view folder : split(folders, ':')) {
        const auto file = std::filesystem::path(folder) / name;
        std::error_code ignored;
        if (!folder.empty() && std::filesystem::is_regular_file(file, ignored) &&
            access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return std::nullopt;
}

ProgramEnd run_program(const ProgramCall& call) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(fmt::format("cannot start {}: {}; close other programs", printable(call.file),
                                std::strerror(errno)));
    }
    const FileDescriptor from(ends[0]);
    FileDescriptor to(ends[1]);
    const pid_t child = start(call, to.get());
    to.close();
    listen(call, child, from.get());
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? ProgramEnd{.signal = WTERMSIG(status)}
                               : ProgramEnd{.exit_code = WEXITSTATUS(status)};
}

}  // namespace strata
