// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/graph/item.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/graph/task.hpp"

namespace tessera::graph::detail {

/// The value that a body gets for an argument of a verb: that of an item for a flow, and a lease for a pool.
template <class Argument>
struct ArgumentOf;
template <class T>
struct ArgumentOf<Flow<T>> {
  using Value = T;
  using Flows = std::tuple<std::type_identity<T>>;
  using Pools = std::tuple<>;
  static constexpr bool is_flow = true;
};
template <class T>
struct ArgumentOf<Pool<T>> {
  using Value = Lease<T>;
  using Flows = std::tuple<>;
  using Pools = std::tuple<std::type_identity<T>>;
  static constexpr bool is_flow = false;
};

template <class Argument>
using ValueOf = typename ArgumentOf<Argument>::Value;

/// A list of types.
template <class...>
struct Types {};

/// The types of the items of those arguments that are flows, and of the buffers of those that are pools.
template <class... Arguments>
using FlowTypes = decltype(std::tuple_cat(std::declval<typename ArgumentOf<Arguments>::Flows>()...));
template <class... Arguments>
using PoolTypes = decltype(std::tuple_cat(std::declval<typename ArgumentOf<Arguments>::Pools>()...));

/// True if a body says, by the member `launches_kernels`, that it launches Kokkos kernels.
template <class User>
inline constexpr bool launches_kernels = requires { requires User::launches_kernels; };

/// The result of the body of a source, which may take a std::stop_token as its last parameter.
template <class User, class... Ps>
auto source_result() {
  if constexpr (std::is_invocable_v<User&, std::int64_t, Lease<Ps>..., std::stop_token>)
    return std::type_identity<std::invoke_result_t<User&, std::int64_t, Lease<Ps>..., std::stop_token>>();
  else
    return std::type_identity<std::invoke_result_t<User&, std::int64_t, Lease<Ps>...>>();
}
template <class User, class... Ps>
using SourceResult = typename decltype(source_result<User, Ps...>())::type;

/// The type of the items of a body that returns Result, which is U or std::optional<U>.
template <class Result>
struct ItemType {
  using Type = Result;
};
template <class T>
struct ItemType<std::optional<T>> {
  using Type = T;
};

/// Calls `act` with the outputs of a body.
template <class... Outputs, class Act>
void with_outs([[maybe_unused]] Emitter& emitter, const Act& act) {
  [[maybe_unused]] auto next = [output = 0]() mutable { return output++; };
  std::tuple<Out<Outputs>...> outs{Out<Outputs>(emitter, next())...};
  std::apply(act, outs);
}

/// Calls `act` with leases of the buffers that were granted for a call.
template <class... Ps, class Act>
auto with_leases([[maybe_unused]] Call& call, const Act& act) {
  [[maybe_unused]] auto next = [grant = call.grants]() mutable { return std::exchange(*grant++, nullptr); };
  return std::apply(act, std::tuple<Lease<Ps>...>{Lease<Ps>(next())...});
}

/// A body with the hooks that it may have.
template <class User, class... Outputs>
class HookedBody : public Body {
 public:
  explicit HookedBody(User user) : user_(std::move(user)) {}
  void start(const Place& place) override {
    if constexpr (requires(User& user) { user.start(place); }) user_.start(place);
  }
  void finish([[maybe_unused]] Emitter& emitter) override {
    if constexpr (has_finish) with_outs<Outputs...>(emitter, [&](auto&... outs) { user_.finish(outs...); });
  }
  /// True if the body of the user has something to finish.
  static constexpr bool has_finish = requires(User& user, Out<Outputs>&... outs) { user.finish(outs...); };
  /// True if the body accepts values that others read, too.
  static constexpr bool shares_values = true;

 protected:
  User user_;
};

/// Emits what a body returns.
template <class Result>
void emit_result(Emitter& emitter, Result&& result) {
  using U = typename ItemType<std::remove_cvref_t<Result>>::Type;
  if constexpr (std::is_same_v<std::remove_cvref_t<Result>, U>)
    emitter.emit_last(0, new ItemOf<U>(std::forward<Result>(result)));
  else if (result)
    emitter.emit_last(0, new ItemOf<U>(*std::forward<Result>(result)));
}

/// The body of a task, sink or scatter, which is called with one value for each argument. If `by_out` is
/// true, the body emits through one Out for each of Outputs. Otherwise it returns what it emits.
template <bool by_out, class User, class OutputTypes, class... Arguments>
class TaskBody;

template <bool by_out, class User, class... Outputs, class... Arguments>
class TaskBody<by_out, User, Types<Outputs...>, Arguments...> final : public HookedBody<User, Outputs...> {
 public:
  using HookedBody<User, Outputs...>::HookedBody;

  /// True if the body accepts values that others read, too.
  static constexpr bool shares_values =
      by_out ? std::is_invocable_v<User&, const ValueOf<Arguments>&..., Out<Outputs>&...>
             : std::is_invocable_v<User&, const ValueOf<Arguments>&...>;

  bool call(Emitter& emitter, Call& call) override {
    if (is_owned(call))
      this->template call_with<true>(emitter, call, std::index_sequence_for<Arguments...>{});
    else if constexpr (shares_values)
      this->template call_with<false>(emitter, call, std::index_sequence_for<Arguments...>{});
    return true;
  }

 private:
  static constexpr int flow_count = (0 + ... + (ArgumentOf<Arguments>::is_flow ? 1 : 0));

  /// The number of flows, or of pools, before an argument.
  static constexpr int before(std::size_t argument, bool flows) {
    constexpr std::array is_flow{ArgumentOf<Arguments>::is_flow...};
    return static_cast<int>(std::count(is_flow.begin(), is_flow.begin() + static_cast<int>(argument), flows));
  }

  static bool is_owned(const Call& call) {
    if constexpr (flow_count == 1) return call.item->is_sole();
    const auto& parts = static_cast<Joined&>(*call.item).parts;
    return std::all_of(parts.begin(), parts.begin() + flow_count,
                       [](const ItemHold& part) { return part->is_sole(); });
  }

  template <bool owned, std::size_t argument, class Argument>
  static decltype(auto) take(Call& call) {
    using Value = ValueOf<Argument>;
    if constexpr (ArgumentOf<Argument>::is_flow) {
      Item* item = call.item;
      if constexpr (flow_count > 1)
        item = static_cast<Joined*>(item)->parts[static_cast<std::size_t>(before(argument, true))].get();
      if constexpr (owned)
        return std::move(value_of<Value>(*item));
      else
        return std::as_const(value_of<Value>(*item));
    } else {
      return Value(std::exchange(call.grants[before(argument, false)], nullptr));
    }
  }

  template <bool owned, std::size_t... Numbers>
  void call_with(Emitter& emitter, Call& call, std::index_sequence<Numbers...>) {
    if constexpr (by_out)
      with_outs<Outputs...>(emitter, [&](auto&... outs) {
        std::invoke(this->user_, take<owned, Numbers, Arguments>(call)..., outs...);
      });
    else if constexpr (sizeof...(Outputs) == 0)
      std::invoke(this->user_, take<owned, Numbers, Arguments>(call)...);
    else if constexpr (owned && makes_same)
      replace(emitter, call, std::invoke(this->user_, take<owned, Numbers, Arguments>(call)...));
    else
      emit_result(emitter, std::invoke(this->user_, take<owned, Numbers, Arguments>(call)...));
  }

  /// True if the result may take the place of the only value that the body reads. Then no item is made.
  static constexpr bool makes_same = [] {
    if constexpr (flow_count == 1 && sizeof...(Outputs) == 1) {
      using T = typename std::tuple_element_t<0, FlowTypes<Arguments...>>::type;
      return std::is_same_v<std::invoke_result_t<User&, ValueOf<Arguments>...>, T> &&
             std::is_move_assignable_v<T>;
    }
    return false;
  }();
  template <class T>
  static void replace(Emitter& emitter, Call& call, T value) {
    value_of<T>(*call.item) = std::move(value);
    emitter.emit_last(0, std::exchange(call.item, nullptr));
  }
};

/// The body of a keeper: an overload for each flow, which gets the value, one lease for each pool, and one
/// Out for each output.
template <class User, class OutputTypes, class FlowTypes, class PoolTypes>
class KeeperBody;

template <class User, class... Outputs, class... Ts, class... Ps>
class KeeperBody<User, Types<Outputs...>, std::tuple<std::type_identity<Ts>...>,
                 std::tuple<std::type_identity<Ps>...>>
    final : public HookedBody<User, Outputs...> {
 public:
  using HookedBody<User, Outputs...>::HookedBody;
  static constexpr bool shares_values =
      (std::is_invocable_v<User&, const Ts&, Lease<Ps>..., Out<Outputs>&...> && ...);

  bool call(Emitter& emitter, Call& call) override {
    int input = 0;
    ((input++ == call.input ? call_for<Ts>(emitter, call) : void()), ...);
    return true;
  }

 private:
  template <class T>
  void call_for(Emitter& emitter, Call& call) {
    T& value = value_of<T>(*call.item);
    with_outs<Outputs...>(emitter, [&](auto&... outs) {
      with_leases<Ps...>(call, [&](auto&&... leases) {
        if (call.item->is_sole())
          this->user_(std::move(value), std::move(leases)..., outs...);
        else if constexpr (shares_values)
          this->user_(std::as_const(value), std::move(leases)..., outs...);
      });
    });
  }
};

/// The body of a source, which gets the number of the item and one lease for each pool, and, if it takes one,
/// a token that says whether the run stops. It returns an empty optional at the end.
template <class User, class U, class... Ps>
class SourceBody final : public HookedBody<User, U> {
 public:
  using HookedBody<User, U>::HookedBody;

  bool call(Emitter& emitter, Call& call) override {
    std::optional<U> item = with_leases<Ps...>(call, [&](auto&&... leases) -> std::optional<U> {
      if constexpr (std::is_invocable_v<User&, std::int64_t, Lease<Ps>..., std::stop_token>)
        return this->user_(call.ordinal, std::move(leases)..., call.stop->get_token());
      else
        return this->user_(call.ordinal, std::move(leases)...);
    });
    if (!item) return false;
    emitter.emit_last(0, new ItemOf<U>(std::move(*item)));
    return true;
  }
};

/// The items that a gather has collected, in the order of their ordinals.
class Collected final : public Item {
 public:
  std::vector<Gathered> items;
};

/// The body of a gather, which emits the values of its items as one vector.
template <class T>
class GatherBody final : public Body {
 public:
  bool call(Emitter& emitter, Call& call) override {
    std::vector<T> values;
    for (const Gathered& gathered : static_cast<Collected&>(*call.item).items) {
      T& value = value_of<T>(*gathered.item);
      if constexpr (std::is_copy_constructible_v<T>)
        values.push_back(gathered.item->is_sole() ? std::move(value) : std::as_const(value));
      else
        values.push_back(std::move(value));
    }
    emitter.emit_last(0, new ItemOf<std::vector<T>>(std::move(values)));
    return true;
  }
};

/// The condition at the end of a loop.
template <class T, class Until>
class TurnBody final : public Body {
 public:
  explicit TurnBody(Until until) : until_(std::move(until)) {}
  bool call(Emitter&, Call& call) override { return !until_(std::as_const(value_of<T>(*call.item))); }

 private:
  Until until_;
};

/// The choice of `replicate`: the place of an item, or the places of an item that goes to several.
template <class T, class Where>
class RouteBody final : public Body {
 public:
  RouteBody(Where where, int places) : where_(std::move(where)), places_(places) {}
  bool call(Emitter& emitter, Call& call) override {
    const auto to = where_(std::as_const(value_of<T>(*call.item)));
    if constexpr (std::integral<std::remove_cvref_t<decltype(to)>>)
      pass(emitter, call, static_cast<int>(to));
    else
      for (auto place = std::begin(to); place != std::end(to); ++place)
        if (std::find(std::begin(to), place, *place) == place) pass(emitter, call, static_cast<int>(*place));
    return true;
  }

 private:
  void pass(Emitter& emitter, Call& call, int place) {
    if (place < 0 || place >= places_) throw InternalError("an item is sent to a place that does not exist");
    call.item->hold();
    emitter.emit(place, call.item);
  }
  Where where_;
  int places_;
};

/// Returns a function that makes bodies, each with a copy of `user`. Without a copy constructor there is one
/// body, which the function moves out.
template <class Typed, class User, class... More>
std::function<std::unique_ptr<Body>()> body_maker(User user, More... more) {
  if constexpr (std::is_copy_constructible_v<User>)
    return [user = std::move(user), more...]() -> std::unique_ptr<Body> {
      return std::make_unique<Typed>(user, more...);
    };
  else
    return [shared = std::make_shared<std::optional<User>>(std::move(user)),
            more...]() -> std::unique_ptr<Body> {
      if (!*shared) throw InputError("a body that cannot be copied runs once: build the graph again");
      auto body = std::make_unique<Typed>(std::move(**shared), more...);
      shared->reset();
      return body;
    };
}

}  // namespace tessera::graph::detail
