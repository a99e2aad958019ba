// SPDX-License-Identifier: MIT The peer libtorch: answers the requests of docs/peers.md on the
// channel with the given number.
#include "backend/peer/libtorch/steps.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace strata::libtorch {

namespace {

constexpr int protocol = 1;

std::string in_environment(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

// "oneDNN 3.10.2, OpenMP with 4 threads", from libtorch's own list of its parts.
std::string details() {
    std::istringstream lines(at::show_config());
    std::string found;
    for (std::string line; std::getline(lines, line);) {
        if (const auto at = line.find("MKL-DNN v"); at != std::string::npos) {
            found += "oneDNN " + line.substr(at + 9, line.find(' ', at + 9) - at - 9) + ", ";
        }
    }
    return found + at::get_cpu_capability() + ", OpenMP with " +
           std::to_string(at::get_num_threads()) + " threads";
}

Json hello() {
    const Json options = Json::parse(in_environment("STRATA_PEER_OPTIONS", "{}"));
    at::globalContext().setFlushDenormal(true);  // as in strata's engine; later threads inherit it
    at::set_num_threads(std::stoi(in_environment("STRATA_PEER_THREADS", "1")));
    if (options.contains("inter-op")) {
        at::set_num_interop_threads(std::stoi(options.at("inter-op").get<std::string>()));
    }
    at::globalContext().setUserEnabledMkldnn(options.value("onednn", "on") == "on");
    return {{"protocol", protocol},
            {"name", "libtorch"},
            {"version", TORCH_VERSION},
            {"details", details()},
            {"apart",
             "Each layer begins on operands that are detached from the previous layer, each "
             "backward pass is a call of autograd for its own operands, and memory is allocated "
             "and released in another order."},
            {"modes", {"training", "inference"}},
            {"layouts", {"nchw", "nhwc"}},
            {"optimizers", {"momentum", "sgd", "adam"}},
            {"options", {{"inter-op", Json::array()}, {"onednn", {"on", "off"}}}}};
}

std::vector<float> floats_in(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
    return values;
}

Json answer_of(Steps& steps, const std::string& verb, const Json& request) {
    if (verb == "run") {
        return {{"seconds", steps.run()}};
    }
    if (verb == "run_timed") {
        const auto [total, times] = steps.run_timed();
        return {{"seconds", total}, {"times", times}};
    }
    if (verb == "run_empty_step") {
        return {{"seconds", steps.empty_step()}};
    }
    if (verb == "run_step") {
        steps.run_step(request.at("step"));
    } else if (verb == "read") {
        const auto values = steps.read(request.at("tensor"), request.at("content"));
        std::ofstream(request.at("file").get<std::string>(), std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(float)));
    } else if (verb == "write") {
        steps.write(request.at("tensor"), request.at("content"), floats_in(request.at("file")));
    } else {
        throw Refusal("there is no request " + verb);
    }
    return Json::object();
}

Json answer_to(const Json& request, std::unique_ptr<Steps>& steps) {
    const std::string verb = request.at("request");
    if (verb == "hello") {
        return hello();
    }
    if (verb == "prepare") {
        steps = std::make_unique<Steps>(request);
        return {{"steps", steps->prepare()}};
    }
    if (!steps) {
        throw Refusal("nothing is prepared");
    }
    return answer_of(*steps, verb, request);
}

Json answer_or_error(const std::string& line, std::unique_ptr<Steps>& steps) {
    try {
        return answer_to(Json::parse(line), steps);
    } catch (const c10::Error& error) {
        return {{"error", error.what_without_backtrace()}};
    } catch (const std::exception& error) {
        return {{"error", error.what()}};
    }
}

bool send_all(int channel, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = ::send(channel, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

// Serves requests until the channel closes.
void serve(int channel) {
    std::unique_ptr<Steps> steps;
    std::string unread;
    for (char text[1 << 16];;) {
        const ssize_t count = ::recv(channel, text, sizeof text, 0);
        if (count <= 0) {
            return;
        }
        unread.append(text, static_cast<std::size_t>(count));
        for (std::size_t end = unread.find('\n'); end != std::string::npos;
             end = unread.find('\n')) {
            const Json answer = answer_or_error(unread.substr(0, end), steps);
            unread.erase(0, end + 1);
            if (!send_all(channel,
                          answer.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n")) {
                return;
            }
        }
    }
}

}  // namespace

}  // namespace strata::libtorch

int main(int count, char** words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // end with the program
    if (count != 2) {
        return 2;
    }
    strata::libtorch::serve(std::atoi(words[1]));
    std::_Exit(0);  // libtorch's threads need not be joined
}
