// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "tessera/pipeline/kernel/point_stage.hpp"

namespace tessera {

/// The points of an array that a call of a library stage reads or writes. `T` is the type of an element, and
/// const for inputs. The point with the global coordinates p lies sum(strides[d] * (p[d] - box[d].begin))
/// elements after `data`.
template <class T>
struct LibraryBlock {
  /// The type of an element.
  using Value = T;
  /// The address of the first point of `box`; null if `box` is empty.
  T* data = nullptr;
  /// The points, in global coordinates.
  Box box;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {};

  /// Makes the block of the points `points` of `array`, whose elements are of type T.
  LibraryBlock(const ArrayReference& array, const Box& points) : box(points) {
    std::int64_t offset = 0;
    for (int d = 0; d < box.dimensions; ++d) {
      strides[d] = d == 0 ? 1 : array.strides[d];
      offset += strides[d] * box[d].begin;
    }
    if (!box.empty()) data = reinterpret_cast<T*>(array.origin) + offset;
  }
};

/// Whether a call of a library stage has a member launch(execution, inputs..., output), which devices use.
/// Without it, threads of the host compute the stage in plans for devices, too.
template <class Call, class Value, class... Inputs>
concept HasDeviceCall =
    requires(const Call& call, const ExecutionSpace& execution, const LibraryBlock<Value>& output,
             const LibraryBlock<const typename Inputs::Value>&... inputs) {
      call.launch(execution, inputs..., output);
    };

/// Whether a call of a library stage has a member scratch_bytes(box). It returns the bytes of memory that one
/// call on a host allocates for itself for a box of the output.
template <class Call>
concept TellsScratch = requires(const Call& call, const Box& box) {
  { call.scratch_bytes(box) } -> std::convertible_to<std::int64_t>;
};

namespace detail {

/// The parts that library stages and library reductions share. `Kernel` is StageKernel or ReductionKernel.
template <class Kernel, class Call, int N, class... Inputs>
class LibraryKernel : public Kernel {
 public:
  static_assert(DeclaresFootprint<Call>,
                "Tessera: the call of a library stage or a library reduction says by footprint(input, box) "
                "which box of an input it reads");

  explicit LibraryKernel(const Call& call) : call_(call), footprint_(call) {}

  void required(const Box& box, Box* needs) const override { footprint_.required(box, needs); }

  std::int64_t library_bytes(const Box& box) const override {
    if constexpr (TellsScratch<Call>) return call_.scratch_bytes(box);
    return 0;
  }

 protected:
  const Call& call() const { return call_; }

  /// Calls use(blocks...) with the block of each input that the call reads to compute `box`.
  template <class Use>
  void with_inputs(const ArrayReference* inputs, const Box& box, const Use& use) const {
    Box needs[sizeof...(Inputs)];
    required(box, needs);
    const auto with = [&]<std::size_t... Input>(std::index_sequence<Input...>) {
      use(LibraryBlock<const typename Inputs::Value>(inputs[Input], needs[Input])...);
    };
    with(std::index_sequence_for<Inputs...>{});
  }

 private:
  Call call_;
  Footprint<Call, N, Inputs...> footprint_;
};

}  // namespace detail

/// A stage that calls a library for whole boxes (see Pipeline::library_stage). `Inputs` are the ArrayTypes of
/// the inputs.
template <class Call, class Value, int N, class... Inputs>
class LibraryStage final : public detail::LibraryKernel<StageKernel, Call, N, Inputs...> {
 public:
  /// Copies the call.
  using detail::LibraryKernel<StageKernel, Call, N, Inputs...>::LibraryKernel;

  bool needs_host() const override { return !HasDeviceCall<Call, Value, Inputs...>; }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor) const override {
    this->with_inputs(inputs, box, [&](const auto&... blocks) {
      const LibraryBlock<Value> output(outputs[0], box);
      this->call()(blocks..., output);
    });
  }

  void launch([[maybe_unused]] const ExecutionSpace& execution, [[maybe_unused]] const ArrayReference* inputs,
              [[maybe_unused]] const ArrayReference* outputs,
              [[maybe_unused]] const Box& box) const override {
    if constexpr (HasDeviceCall<Call, Value, Inputs...>) {
      this->with_inputs(inputs, box, [&](const auto&... blocks) {
        const LibraryBlock<Value> output(outputs[0], box);
        this->call().launch(execution, blocks..., output);
      });
    } else {
      throw InternalError("a library stage without a call for devices was launched on one");
    }
  }
};

/// A global reduction that takes in whole boxes of its inputs (see Pipeline::library_reduction). `Inputs` are
/// the ArrayTypes of the inputs, and N is the number of dimensions of the boxes.
template <class Call, int N, class... Inputs>
class LibraryReduction final : public detail::LibraryKernel<ReductionKernel, Call, N, Inputs...> {
 public:
  /// The type of the elements of the result.
  using Element = typename Call::Element;

  /// Copies the call.
  using detail::LibraryKernel<ReductionKernel, Call, N, Inputs...>::LibraryKernel;

  bool needs_host() const override { return true; }
  bool takes_whole_boxes() const override { return true; }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor) const override {
    this->with_inputs(inputs, box,
                      [&](const auto&... blocks) { this->call().add(outputs[0].origin, box, blocks...); });
  }

  void launch(const ExecutionSpace&, const ArrayReference*, const ArrayReference*,
              const Box&) const override {
    throw InternalError("a library reduction was launched on a device");
  }

  std::int64_t value_bytes() const override { return this->call().value_bytes(); }
  void init(std::byte* value) const override { this->call().init(value); }
  void join(std::byte* into, const std::byte* other) const override { Call::join(into, other); }
  void store(const std::byte* value, std::byte* result) const override {
    this->call().store(value, reinterpret_cast<Element*>(result));
  }
  MPI_User_function* join_function() const override { return &join_ranks; }

 private:
  /// Joins the value of a rank to that of another one, for MPI.
  static void join_ranks(void* from, void* to, int*, MPI_Datatype*) {
    Call::join(static_cast<std::byte*>(to), static_cast<const std::byte*>(from));
  }
};

}  // namespace tessera
