// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "stages/bodies.hpp"
#include "stages/hand_loops.hpp"
#include "stages/images.hpp"
#include "stages/report.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "turns.hpp"

namespace bench {
namespace {

using tessera::app::Session;

/// Points that a body reads beyond its own, on either side.
struct Margin {
  int x;
  int y;
};

/// A loop over rows by hand, in arrays that are padded as the framework pads them.
template <class T, class Row>
class HandLoop {
 public:
  HandLoop(Size size, Margin margin)
      : size_(size),
        input_("hand: input", sizeof(T), box_of(size, margin.x, margin.y), 0),
        output_("hand: output", sizeof(T), box_of(size), 0) {
    InputImage<T>().read(
        input_.host_block(input_.box(), input_.memory().data(), tessera::element_type_of<T>()));
  }

  void run() const {
    using Policy = Kokkos::RangePolicy<tessera::HostExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;
    const tessera::HostExecutionSpace execution;
    const auto in = input_.reference(), out = output_.reference();
    Kokkos::parallel_for("hand", Policy(execution, 0, size_.height),
                         Rows{reinterpret_cast<const T*>(in.origin), reinterpret_cast<T*>(out.origin),
                              in.strides[1], out.strides[1], size_.width});
    execution.fence();
  }

  tessera::HostBlock result() const {
    return output_.host_block(output_.box(), output_.memory().data(), tessera::element_type_of<T>());
  }

 private:
  struct Rows {
    const T* in;
    T* out;
    std::ptrdiff_t in_stride, out_stride;
    int width;
    void operator()(int y) const { Row::run(in + y * in_stride, in_stride, out + y * out_stride, width); }
  };

  Size size_;
  tessera::Block<tessera::HostExecutionSpace::memory_space> input_, output_;
};

/// Throws InternalError where what is stored here differs from a reference.
template <class T>
struct Comparison final : tessera::BlockSink {
  explicit Comparison(const tessera::HostBlock& expected) : reference(expected) {}
  void write(const tessera::HostBlock& block) override {
    each_point<T>(block, [&](int x, int y, const T& value) {
      if (std::memcmp(&value, reinterpret_cast<const T*>(reference.data) + x + y * reference.strides[1],
                      sizeof(T)) != 0)
        throw tessera::InternalError(fmt::format("the stage and the loop by hand differ at ({}, {})", x, y));
    });
  }
  tessera::HostBlock reference;
};

template <class T, class Row, class Body>
void measure(const Session& session, const Options& options, std::string name, const Body& body,
             Margin margin) {
  for (const Size size : options.sizes) {
    tessera::Pipeline pipeline;
    const auto input = pipeline.input<T, 2>("input", box_of(size, margin.x, margin.y));
    pipeline.output(pipeline.stage<T>("output", body, input), box_of(size));
    tessera::PlanInstance instance = make_instance<T>(session, pipeline);
    const HandLoop<T, Row> hand(size, margin);
    Turns turns({session.communicator()},
                {{"stage", [&] { instance.compute(); }}, {"hand", [&] { hand.run(); }}});
    turns.rounds(options.rounds);
    Comparison<T> comparison(hand.result());
    instance.store("output", comparison);
    const auto times = turns.medians();
    print(session, {"stages", name, size.text(), "us", times[0], times[1], {0, 1.15}});
  }
}

}  // namespace

void measure_stages(const Session& session, const Options& options) {
  measure<std::uint16_t, CopyRow>(session, options, "copy u16", Copy{}, {0, 0});
  measure<float, CopyRow>(session, options, "copy f32", Copy{}, {0, 0});
  measure<float, Box3x3Row>(session, options, "box 3x3 f32", Box3x3{}, {1, 1});
  measure<float, FivePointRow>(session, options, "5-point f32", FivePoint{}, {1, 1});
  measure<std::uint8_t, Row5Row>(session, options, "5 along x u8", Row5{}, {2, 0});
  measure<std::uint8_t, Column5Row>(session, options, "5 along y u8", Column5{}, {0, 2});
}

}  // namespace bench
