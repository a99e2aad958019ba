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

// A text member of a peer's answer, made safe to print; empty if there is none.
std::string text_in(const nlohmann::json& answer, const char* name);

// A private folder of this process, removed with its contents; folders left by killed processes of
// this user are removed, too. It is locked as long as the process lives.
class PrivateFolder {
public:
    PrivateFolder();  // throws Error if no temporary folder can be made
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1;
};

// Removes all private folders, for a process that ends without running destructors.
void remove_private_folders();

// How a child process is started.
struct PeerStart {
    std::string name;                  // its name in messages: "pytorch"
    std::vector<std::string> command;  // the number of its end of the channel is added
    std::vector<std::pair<std::string, std::string>> environment =
        {};                            // in addition to this process's
    std::optional<Bytes> memory = {};  // limit of its allocations
};

// A child process that answers requests, one line of JSON each way over a socket. It has its own
// process group, so that an interrupt from the terminal reaches only this process. Its printed
// output is not an answer: the end of it is kept for messages. All answers may be hostile.
class PeerProcess {
public:
    explicit PeerProcess(const PeerStart& start);  // throws Error if it cannot be started
    ~PeerProcess();                                // ends it and all that it started
    PeerProcess(const PeerProcess&) = delete;
    PeerProcess& operator=(const PeerProcess&) = delete;

    // Sends a request and waits for its answer, an object. Throws DeviceFailure with a lost device
    // and ends the process if no valid answer comes within the limit: it has crashed, hangs, or
    // answers nonsense.
    nlohmann::json exchange(const nlohmann::json& request, Seconds limit);

    // The processor time that it has used.
    Seconds processor_time() const;
    // The memory that it holds, and its maximum; empty if the kernel does not say.
    std::optional<Bytes> resident() const;
    std::optional<Bytes> peak() const;

    const std::filesystem::path& folder() const { return folder_.path(); }
    const std::string& name() const { return name_; }

    // Ends the process, and throws DeviceFailure with what it did.
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
    pid_t pid_ = -1;  // -1 if it has ended
    int channel_ = -1;
    int output_ = -1;
    std::string unread_;   // of the channel
    std::string printed_;  // the end of its output
};

}  // namespace strata
