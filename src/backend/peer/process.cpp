// SPDX-License-Identifier: MIT
#include "backend/peer/process.h"

#include "backend/backend.h"
#include "base/file.h"
#include "base/processors.h"
#include "base/text.h"
#include "measure/memory_use.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>

extern char** environ;

namespace strata {

namespace {

constexpr std::size_t max_answer = std::size_t{64} << 20;
constexpr std::size_t max_printed = 4096;
constexpr int channel_number = 3;  // of the child's end, behind the standard streams

Seconds now_on(clockid_t clock) {
    timespec time = {};
    ::clock_gettime(clock, &time);
    return Seconds{static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

// The arguments of posix_spawn, freed at the end.
struct SpawnOptions {
    SpawnOptions() {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
    }
    ~SpawnOptions() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnOptions(const SpawnOptions&) = delete;
    SpawnOptions& operator=(const SpawnOptions&) = delete;

    posix_spawn_file_actions_t files = {};
    posix_spawnattr_t attributes = {};
};

// Unblocks and resets all signals, which this process may have blocked or ignored.
void set_attributes(SpawnOptions& options) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&options.attributes, &none);
    ::posix_spawnattr_setsigdefault(&options.attributes, &all);
    ::posix_spawnattr_setpgroup(&options.attributes, 0);
    ::posix_spawnattr_setflags(&options.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
}

std::vector<std::string> environment_of(const PeerStart& start) {
    std::vector<std::string> all;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const auto is_replaced = [&](const auto& given) {
            return text.starts_with(given.first + "=");
        };
        if (std::ranges::none_of(start.environment, is_replaced)) {
            all.emplace_back(text);
        }
    }
    for (const auto& [name, value] : start.environment) {
        all.push_back(name + "=" + value);
    }
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

// Undoes an inherited binding: a thread of this process may be bound to one processor.
void allow_all_processors(pid_t pid) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const int processor : allowed_processors()) {
        CPU_SET(static_cast<std::size_t>(processor), &mask);
    }
    ::sched_setaffinity(pid, sizeof mask, &mask);
}

// If the machine runs out of memory, the kernel kills the child and not this process.
void offer_to_the_kernel(pid_t pid) {
    write_in_place(fmt::format("/proc/{}/oom_score_adj", pid), "1000");
}

void limit_memory(pid_t pid, Bytes memory) {
    const auto bytes = static_cast<rlim_t>(memory.value);
    const rlimit limit = {bytes, bytes};
    ::prlimit(pid, RLIMIT_DATA, &limit, nullptr);
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return fmt::format("was ended by signal {} ({}){}", signal, ::strsignal(signal),
                           signal == SIGKILL ? ", as the kernel does if memory runs out" : "");
    }
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

std::optional<Bytes> memory_of(pid_t pid, std::optional<Bytes> MemoryUse::*which) {
    return pid < 0 ? std::nullopt : read_memory_use("/", std::to_string(pid)).*which;
}

}  // namespace

std::string text_in(const nlohmann::json& answer, const char* name) {
    const auto found = answer.find(name);
    return found != answer.end() && found->is_string() ? printable(found->get<std::string>(), 400)
                                                       : std::string();
}

namespace {

std::mutex folders_mutex;
std::set<std::filesystem::path> private_folders;

constexpr std::string_view folder_prefix = "strata-peer-";

// -1 if another process uses it, or it is not ours.
int lock_folder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
        ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        return descriptor;
    }
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    return -1;
}

// A new folder may not be locked yet.
bool is_abandoned(const std::filesystem::directory_entry& entry) {
    constexpr auto young = std::chrono::seconds(10);
    std::error_code ignored;
    const auto age = std::filesystem::file_time_type::clock::now() - entry.last_write_time(ignored);
    return entry.path().filename().string().starts_with(folder_prefix) && !ignored && age > young;
}

void remove_abandoned(const std::filesystem::path& temporary) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(temporary, ignored)) {
        const int lock = is_abandoned(entry) ? lock_folder(entry.path()) : -1;
        if (lock >= 0) {
            std::filesystem::remove_all(entry.path(), ignored);
            ::close(lock);
        }
    }
}

}  // namespace

PrivateFolder::PrivateFolder() {
    const auto temporary = std::filesystem::temp_directory_path();
    remove_abandoned(temporary);
    std::string path = (temporary / (std::string(folder_prefix) + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) {
        throw Error(fmt::format("{}: cannot make a temporary folder ({}); name another place with "
                                "TMPDIR",
                                path, std::strerror(errno)),
                    ExitCode::machine_cannot);
    }
    path_ = path;
    lock_ = lock_folder(path_);
    const std::lock_guard guard(folders_mutex);
    private_folders.insert(path_);
}

PrivateFolder::~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    if (lock_ >= 0) {
        ::close(lock_);
    }
    const std::lock_guard guard(folders_mutex);
    private_folders.erase(path_);
}

void remove_private_folders() {
    const std::lock_guard guard(folders_mutex);
    for (const auto& folder : private_folders) {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
}

PeerProcess::PeerProcess(const PeerStart& start) : name_(start.name) {
    int channel[2] = {-1, -1};
    int output[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 ||
        ::pipe2(output, O_CLOEXEC) != 0) {
        throw Error(fmt::format("{} cannot be started: {}", name_, std::strerror(errno)));
    }
    channel_ = channel[0];
    output_ = output[0];
    ::fcntl(channel_, F_SETFL, O_NONBLOCK);
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
    SpawnOptions options;
    set_attributes(options);
    ::posix_spawn_file_actions_addopen(&options.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&options.files, output[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&options.files, output[1], STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&options.files, channel[1], channel_number);
    std::vector<std::string> command = start.command;
    command.push_back(std::to_string(channel_number));
    std::vector<std::string> environment = environment_of(start);
    const int failure =
        ::posix_spawnp(&pid_, command[0].c_str(), &options.files, &options.attributes,
                       pointers_to(command).data(), pointers_to(environment).data());
    ::close(channel[1]);
    ::close(output[1]);
    if (failure != 0) {
        pid_ = -1;
        end();
        throw Error(fmt::format("{}: {} cannot be started ({})", name_, printable(command[0]),
                                std::strerror(failure)),
                    ExitCode::machine_cannot);
    }
    allow_all_processors(pid_);
    offer_to_the_kernel(pid_);
    if (start.memory) {
        limit_memory(pid_, *start.memory);
    }
}

PeerProcess::~PeerProcess() {
    end();
}

// Ends its process group as well, because a framework may have started processes. Returns its
// status.
int PeerProcess::end() {
    int status = 0;
    if (pid_ > 0) {
        ::kill(-pid_, SIGKILL);
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
    for (int* descriptor : {&channel_, &output_}) {
        if (*descriptor >= 0) {
            ::close(*descriptor);
            *descriptor = -1;
        }
    }
    return status;
}

std::string PeerProcess::last_words() const {
    std::string words;
    for (const std::string_view line : split(printed_, '\n')) {
        words = trim(line).empty() ? words : std::string(trim(line));
    }
    return words.empty() ? words : fmt::format("; it last printed: {}", printable(words, 300));
}

void PeerProcess::lose(const std::string& what) {
    keep_output();
    end();
    throw DeviceFailure(DeviceFate::lost, fmt::format("{} {}{}", name_, what, last_words()),
                        ExitCode::failed);
}

nlohmann::json PeerProcess::exchange(const nlohmann::json& request, Seconds limit) {
    if (pid_ < 0) {
        throw DeviceFailure(DeviceFate::lost, fmt::format("{} has ended", name_), ExitCode::failed);
    }
    const Seconds deadline = now_on(CLOCK_MONOTONIC) + limit;
    send(request.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n", deadline);
    const std::string line = receive(deadline);
    // Copying and printing a value take a stack frame for each level; valid answers have fewer than
    // ten.
    const auto is_shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        return depth < 32;
    };
    nlohmann::json answer = nlohmann::json::parse(line, is_shallow, false);
    if (!answer.is_object()) {
        lose(fmt::format("answered with something other than a JSON object: {}",
                         printable(line, 60)));
    }
    return answer;
}

// Waits until the channel is ready, keeping what is printed meanwhile, so that a full pipe cannot
// block the child.
void PeerProcess::wait_for(short events, Seconds deadline) {
    while (true) {
        const double left = (deadline - now_on(CLOCK_MONOTONIC)).value;
        if (left <= 0) {
            lose("did not answer in time (--device-timeout says how long to wait)");
        }
        pollfd ready[2] = {{channel_, events, 0}, {output_, POLLIN, 0}};
        const int wait = static_cast<int>(std::min(left, 3600.0) * 1e3) + 1;
        if (::poll(ready, output_ >= 0 ? 2 : 1, wait) < 0) {
            continue;  // a signal; the caller decides whether to continue
        }
        if (output_ >= 0 && ready[1].revents != 0) {
            keep_output();
        }
        if (ready[0].revents != 0) {
            return;
        }
    }
}

void PeerProcess::keep_output() {
    char text[4096];
    // Reads no more at once than a pipe holds: a child that prints without end must not keep us
    // here.
    for (int part = 0; part < 16 && output_ >= 0; ++part) {
        const ssize_t count = ::read(output_, text, sizeof text);
        if (count < 0) {
            return;
        }
        if (count == 0) {
            ::close(output_);
            output_ = -1;
        }
        printed_.append(text, static_cast<std::size_t>(count));
        printed_.erase(0, printed_.size() - std::min(printed_.size(), max_printed));
    }
}

void PeerProcess::send(const std::string& line, Seconds deadline) {
    for (std::string_view left = line; !left.empty();) {
        wait_for(POLLOUT, deadline);
        const ssize_t count = ::send(channel_, left.data(), left.size(), MSG_NOSIGNAL);
        if (count > 0) {
            left.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno != EAGAIN && errno != EINTR) {
            return;  // it has ended: its remaining output is still to be read
        }
    }
}

std::string PeerProcess::receive(Seconds deadline) {
    for (std::size_t searched = 0;;) {
        const std::size_t end_of_line = unread_.find('\n', searched);
        if (end_of_line != std::string::npos) {
            std::string line = unread_.substr(0, end_of_line);
            unread_.erase(0, end_of_line + 1);
            return line;
        }
        if (unread_.size() > max_answer) {
            lose("answers without end");
        }
        searched = unread_.size();
        wait_for(POLLIN, deadline);
        char text[1 << 16];
        const ssize_t count = ::recv(channel_, text, sizeof text, 0);
        if (count > 0) {
            unread_.append(text, static_cast<std::size_t>(count));
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            break;
        }
    }
    // It has closed its end, so it is about to end; waits a moment for its own exit status.
    int status = 0;
    for (int attempt = 0; attempt < 200; ++attempt) {
        if (::waitpid(pid_, &status, WNOHANG) != 0) {
            lose(describe_end(status));
        }
        const timespec moment = {0, 10'000'000};
        ::nanosleep(&moment, nullptr);
    }
    lose("closed its channel without an answer");
}

Seconds PeerProcess::processor_time() const {
    clockid_t clock = 0;
    return pid_ > 0 && ::clock_getcpuclockid(pid_, &clock) == 0 ? now_on(clock) : Seconds{};
}

std::optional<Bytes> PeerProcess::resident() const {
    return memory_of(pid_, &MemoryUse::resident);
}

std::optional<Bytes> PeerProcess::peak() const {
    return memory_of(pid_, &MemoryUse::peak);
}

}  // namespace strata
