// SPDX-License-Identifier: MIT
// A peer that answers each request with the next line of a file. usage: answering_peer FILE CHANNEL
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

std::array<char, 1 << 20> line;

void wait_for_request(int channel) {
    char c = 0;
    while (c != '\n') {
        if (read(channel, &c, 1) != 1) {
            std::exit(0);
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::FILE* const file = count == 3 ? std::fopen(arguments[1], "rb") : nullptr;
    if (file == nullptr) {
        return 2;
    }
    const int channel = std::atoi(arguments[2]);
    while (true) {
        wait_for_request(channel);
        std::size_t size = 0;
        int c = 0;
        while (size < line.size() && c != '\n' && (c = std::getc(file)) != EOF) {
            line[size++] = static_cast<char>(c);
        }
        if (size == 0) {
            return 0;
        }
        for (std::size_t sent = 0; sent < size;) {
            const ssize_t part = write(channel, line.data() + sent, size - sent);
            if (part <= 0) {
                return 0;
            }
            sent += static_cast<std::size_t>(part);
        }
        if (c != '\n') {
            return 0;  // nothing follows what would be waited for
        }
    }
}
