// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Valid C++17, because json.cpp is.
namespace tessera {

/// A JSON document or a part of one: null, true or false, a number, a text, a list or an object. Integers
/// beyond std::int64_t are std::uint64_t, and no others are. Two are equal when they hold the same values of
/// the same types in the same order.
class Json {
 public:
  using List = std::vector<Json>;
  /// Names and values, in the order in which they were added.
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;

  /// Null.
  Json() = default;
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Json(Number number) : value_(value_of(number)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(List elements) : value_(std::move(elements)) {}
  Json(Object members) : value_(std::move(members)) {}

  const Value& value() const { return value_; }
  /// The value if it is a T, else nullptr.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  template <class T>
  T* get_if() {
    return std::get_if<T>(&value_);
  }
  /// The value, a T. Throws std::bad_variant_access when it is something else.
  template <class T>
  const T& get() const {
    return std::get<T>(value_);
  }

  /// The member of this name; nullptr without one, or when this is no object.
  const Json* find(std::string_view name) const;
  /// The member of this name, a new one at the end if there was none; null becomes an object. Throws
  /// std::bad_variant_access when this is something else.
  Json& operator[](std::string_view name);

  friend bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }
  friend bool operator!=(const Json& a, const Json& b) { return !(a == b); }

 private:
  template <class Number>
  static Value value_of(Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      return number;
    } else if constexpr (std::is_floating_point_v<Number>) {
      return static_cast<double>(number);
    } else {
      if constexpr (std::is_unsigned_v<Number>)
        if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
          return static_cast<std::uint64_t>(number);
      return static_cast<std::int64_t>(number);
    }
  }

  Value value_ = nullptr;
};

/// The same with the members of every object in alphabetical order; of several with one name the last
/// remains.
Json sorted(Json json);

/// Lists and objects in each other that parse_json takes: what works through documents calls itself for each.
inline constexpr std::size_t most_json_levels = 500;

/// A text is not JSON, or nested too deeply.
struct JsonError : std::runtime_error {
  JsonError(const std::string& message, std::size_t at, bool too_deep)
      : std::runtime_error(message), byte(at), is_too_deep(too_deep) {}

  /// Where that was seen, from 1 on.
  std::size_t byte;
  bool is_too_deep;
};

/// The document in a text, sorted: texts that say the same become equal. Throws JsonError.
Json parse_json(std::string_view text);

/// The text of a document: on one line, or with so many blanks per level. What is not UTF-8 in it becomes
/// U+FFFD, numbers that are not finite null.
std::string to_text(const Json& json, int indent = -1);
/// The same on one line, with escapes for all that is not ASCII: for messages.
std::string to_ascii(const Json& json);

}  // namespace tessera
