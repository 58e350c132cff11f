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

// This header is valid C++17, because json.cpp is compiled as C++17.
namespace tessera {

/// A JSON document, or a part of one: null, true or false, a number, a text (a JSON string), a list (a JSON
/// array) or an object. An integer is stored as std::uint64_t only if it does not fit into std::int64_t. Two
/// documents are equal if they hold equal values of equal types in the same order.
class Json {
 public:
  /// The elements of a list.
  using List = std::vector<Json>;
  /// The members of an object as pairs of a name and a value, in the order in which they were added.
  using Object = std::vector<std::pair<std::string, Json>>;
  /// A value of one of the types that a document or a part of it may have.
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;

  /// Makes the value null.
  Json() = default;
  /// Makes true or false from a bool, and a number from any other arithmetic type.
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Json(Number number) : value_(value_of(number)) {}
  /// Makes a text, which should be UTF-8.
  Json(std::string text) : value_(std::move(text)) {}
  /// Makes a text, which should be UTF-8.
  Json(const char* text) : value_(std::string(text)) {}
  /// Makes a list.
  Json(List elements) : value_(std::move(elements)) {}
  /// Makes an object.
  Json(Object members) : value_(std::move(members)) {}

  /// Returns the value as a variant of all types.
  const Value& value() const { return value_; }
  /// Returns a pointer to the value if its type is T, and nullptr otherwise.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  /// Returns a pointer to the value if its type is T, and nullptr otherwise.
  template <class T>
  T* get_if() {
    return std::get_if<T>(&value_);
  }
  /// Returns the value, which must have the type T. Throws std::bad_variant_access if it has another type.
  template <class T>
  const T& get() const {
    return std::get<T>(value_);
  }

  /// Returns a pointer to the value of the member with this name. Returns nullptr if this is not an object,
  /// or if the object has no such member.
  const Json* find(std::string_view name) const;
  /// Returns the value of the member with this name. If the object has no such member, a member with the
  /// value null is added at the end. A document that is null first becomes an empty object. Throws
  /// std::bad_variant_access if this is neither null nor an object.
  Json& operator[](std::string_view name);

  /// Returns true when both documents hold equal values of equal types in the same order.
  friend bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }
  /// Returns true when the documents are not equal.
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

/// Returns the document with the members of every object in alphabetical order. If an object has several
/// members with the same name, only the last one is kept.
Json sorted(Json json);

/// The greatest depth of nested lists and objects that parse_json accepts. Functions that walk through a
/// document call themselves once for each level, so that this limit also bounds the stack that they need.
inline constexpr std::size_t most_json_levels = 500;

/// The error that a text is not JSON, or that its lists and objects are nested too deeply.
struct JsonError : std::runtime_error {
  /// Makes an error that was found at byte `at` of the text, counted from 1.
  JsonError(const std::string& message, std::size_t at) : std::runtime_error(message), byte(at) {}

  /// The byte of the text at which the error was found, counted from 1. If the text is nested too deeply, it
  /// is the last byte of the text.
  std::size_t byte;
};

/// Parses a JSON text, and returns its document with sorted members (see `sorted`). Texts that differ only in
/// white space or in the order of members give equal documents. Throws JsonError when the text is not JSON,
/// or when it is nested deeper than most_json_levels.
Json parse_json(std::string_view text);

/// Returns a document as JSON text. If `indent` is negative, the text has one line. Otherwise each element
/// and each member begins a new line, which is indented by `indent` blanks for each level. Bytes that are not
/// UTF-8 become U+FFFD, and numbers that are not finite become null.
std::string to_text(const Json& json, int indent = -1);

}  // namespace tessera
