// SPDX-License-Identifier: MIT
// Any text as a device file, and what that device is written as again.
#include "device/device.h"
#include "base/error.h"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        strata::parse_device(strata::to_toml(strata::parse_device(text, "fuzz")), "written");
    } catch (const strata::Error&) {
    }
    return 0;
}
