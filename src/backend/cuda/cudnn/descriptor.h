// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/properties.h"

#include <cudnn_graph.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata::cuda {

// Owns a descriptor of cuDNN's graph interface, in which every object is a descriptor: its
// attributes are set, then it is finalised, then read. Functions throw DeviceError with cuDNN's
// last error message.
class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type);
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;

    cudnnBackendDescriptor_t get() const { return descriptor_; }

    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values);
    void set(cudnnBackendAttributeName_t name, std::int64_t value);
    void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
    void set(cudnnBackendAttributeName_t name, const Descriptor& value);
    // Text in cuDNN's form, with its terminating zero.
    void set(cudnnBackendAttributeName_t name, const std::string& text);
    void finalize();

    // Every value of an attribute that is a list.
    template <class Value>
    std::vector<Value> get_all(cudnnBackendAttributeName_t name,
                               cudnnBackendAttributeType_t type) const {
        std::vector<Value> values(static_cast<std::size_t>(count(name, type)));
        if (!values.empty()) {
            values.resize(get(name, type, std::ssize(values), values.data()));
        }
        return values;
    }
    // The descriptors that an attribute holds, at most `maximum`.
    std::vector<Descriptor> children(cudnnBackendAttributeName_t name,
                                     cudnnBackendDescriptorType_t type, std::int64_t maximum) const;

    std::int64_t get_integer(cudnnBackendAttributeName_t name) const;
    std::string get_text(cudnnBackendAttributeName_t name) const;
    // The number of values of the attribute.
    std::int64_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const;

private:
    // Fills in as many values as exist and fit; returns how many.
    std::size_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                    std::int64_t room, void* values) const;

    cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// A descriptor of a device with these properties. cuDNN plans for it whether it is present or not.
Descriptor device_descriptor(const DeviceProperties& properties);

// The device that plans are made for. One that is present is named by cuDNN's handle: to a device
// that is only described cuDNN offers the same plans in the same order, but its Hopper kernels that
// stay on their multiprocessors then start on 14 to 18 of an H100's 132 (cuDNN 9.19).
class PlanTarget {
public:
    explicit PlanTarget(const DeviceProperties& properties);

    // Sets the handle or the description; an attribute that the descriptor lacks is empty.
    void set_on(Descriptor& descriptor, std::optional<cudnnBackendAttributeName_t> by_handle,
                std::optional<cudnnBackendAttributeName_t> by_description) const;

private:
    cudnnHandle_t handle_ = nullptr;
    std::optional<Descriptor> described_;  // without a handle
};

// cuDNN's description of the device with this index: JSON as properties.h reads it. Throws
// DeviceError.
std::string description_of_device(int device);

}  // namespace strata::cuda
