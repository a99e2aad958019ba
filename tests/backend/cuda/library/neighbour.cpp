// SPDX-License-Identifier: MIT
extern "C" int neighbour() {
    return 1;
}
