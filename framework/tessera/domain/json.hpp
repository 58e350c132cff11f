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

/// A JSON document or a part of one: null, true or false, a number, a text, a list or an object. An integer
/// is stored as std::uint64_t only if it does not fit std::int64_t. Two documents are equal when they hold
/// equal values of equal types in the same order.
class Json {
 public:
  /// The elements of a list.
  using List = std::vector<Json>;
  /// The names and values of an object, in the order in which they were added.
  using Object = std::vector<std::pair<std::string, Json>>;
  /// The types that a value may have.
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;

  /// Makes null.
  Json() = default;
  /// Makes a number, or true or false from a bool.
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

  /// The value, of whichever type it is.
  const Value& value() const { return value_; }
  /// Returns the value if it is a T, and nullptr otherwise.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  /// Returns the value if it is a T, and nullptr otherwise.
  template <class T>
  T* get_if() {
    return std::get_if<T>(&value_);
  }
  /// Returns the value as a T. Throws std::bad_variant_access when it has another type.
  template <class T>
  const T& get() const {
    return std::get<T>(value_);
  }

  /// Returns the member of this name, or nullptr when there is none or this is not an object.
  const Json* find(std::string_view name) const;
  /// Returns the member of this name; if there is none, it is added at the end as null. Null becomes an
  /// object first. Throws std::bad_variant_access when this is neither null nor an object.
  Json& operator[](std::string_view name);

  /// Returns true when values, types and order are equal.
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

/// Returns the document with the members of every object in alphabetical order. Of several members with one
/// name, the last one remains.
Json sorted(Json json);

/// The deepest nesting of lists and objects that parse_json accepts. Functions that walk through documents
/// call themselves once per level, so the limit bounds their stack.
inline constexpr std::size_t most_json_levels = 500;

/// A text is not JSON, or it is nested too deeply.
struct JsonError : std::runtime_error {
  /// Makes the error for byte `at` of the text.
  JsonError(const std::string& message, std::size_t at, bool too_deep)
      : std::runtime_error(message), byte(at), is_too_deep(too_deep) {}

  /// The place in the text where the fault was found, in bytes, counted from 1.
  std::size_t byte;
  /// True when the text is nested deeper than most_json_levels.
  bool is_too_deep;
};

/// Parses a text and returns its document, sorted: texts that say the same give equal documents. Throws
/// JsonError.
Json parse_json(std::string_view text);

/// Returns the text of a document: on one line, or indented by `indent` blanks per level if that is not
/// negative. Bytes that are not UTF-8 become U+FFFD, and numbers that are not finite become null.
std::string to_text(const Json& json, int indent = -1);
/// Returns the text of a document on one line, with escapes for characters that are not ASCII, for use in
/// messages.
std::string to_ascii(const Json& json);

}  // namespace tessera
