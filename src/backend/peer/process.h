// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <nlohmann/json_fwd.hpp>

#include <sys/types.h>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// A text member of what a peer answered, made safe to print; empty where there is none.
std::string text_in(const nlohmann::json& answer, const char* name);

// A folder of this process alone, removed with all that is in it; those that killed processes of
// this user left are removed, too. It is locked as long as the process lives.
class PrivateFolder {
public:
    PrivateFolder();  // throws Error where no temporary folder can be made
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1;
};

// Removes all that there are, of a process that ends without their destructors.
void remove_private_folders();

// How a child process is started.
struct PeerStart {
    std::string name;                  // in sentences: "pytorch"
    std::vector<std::string> command;  // the number of its end of the channel is added
    std::vector<std::pair<std::string, std::string>> environment = {};  // besides this process's
    std::optional<Bytes> memory = {};                                   // that it may allocate
};

// A child process that answers requests, one line of JSON each way over a socket. It is in a
// process group of its own, so that an interrupt from the terminal reaches only this process. What
// it prints is no answer: the last of it is kept for sentences. Everything that it answers may be
// hostile.
class PeerProcess {
public:
    explicit PeerProcess(const PeerStart& start);  // throws Error where it cannot be started
    ~PeerProcess();                                // ends it and all that it started
    PeerProcess(const PeerProcess&) = delete;
    PeerProcess& operator=(const PeerProcess&) = delete;

    // Sends a request and waits for its answer, an object. Throws DeviceFailure with a lost device
    // where none comes within the limit, and ends the process: it has crashed, hangs, or answers
    // what is no answer.
    nlohmann::json exchange(const nlohmann::json& request, Seconds limit);

    // The processor time that it has used.
    Seconds processor_time() const;
    // The memory that it holds, and the most that it held; nothing where the kernel does not say.
    std::optional<Bytes> resident() const;
    std::optional<Bytes> peak() const;

    const std::filesystem::path& folder() const { return folder_.path(); }
    const std::string& name() const { return name_; }

    // Throws DeviceFailure that says what it did, and ends the process.
    [[noreturn]] void lose(const std::string& what);

private:
    void send(const std::string& line, Seconds deadline);
    std::string receive(Seconds deadline);
    void wait_for(short events, Seconds deadline);
    void keep_output();
    int end();
    std::string last_words() const;

    std::string name_;
    PrivateFolder folder_;
    pid_t pid_ = -1;  // -1 where it has ended
    int channel_ = -1;
    int output_ = -1;
    std::string unread_;   // of the channel
    std::string printed_;  // the last of it
};

}  // namespace strata
