// SPDX-License-Identifier: MIT
extern "C" int sought() {
    return 2;
}
