// SPDX-License-Identifier: MIT
#include "base/output.h"

#include "base/error.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace strata {

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EAGAIN) {  // a pipe that another process made non-blocking
            pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
            ::poll(&ready, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return true;
}

// (Open for reading only, so that writing fails as it would to a closed stream.)
void occupy_closed_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (::fcntl(stream, F_GETFD) < 0) {
            ::open("/dev/null", O_RDONLY);
        }
    }
}

void write_output(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text)) {
        throw Error(fmt::format("cannot write to standard output: {}; send it elsewhere",
                                std::strerror(errno)));
    }
}

void write_remark(std::string_view text) {
    write_all(STDERR_FILENO, text);
}

}  // namespace strata
