// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/detail/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tessera/domain/text.hpp"
#include "tessera/expressions/detail/arithmetic.hpp"

namespace tessera::expressions::detail {
namespace {

constexpr int deepest_nesting = 64;
constexpr int most_nodes = 4096;

/// A function, and how many arguments it takes.
struct Function {
  std::string_view name;
  Operation operation;
  int least_arguments;
  int most_arguments;
};

constexpr int any_number = 1 << 20;
constexpr std::array<Function, 12> functions{{{"abs", Operation::absolute, 1, 1},
                                              {"sqrt", Operation::square_root, 1, 1},
                                              {"exp", Operation::exponential, 1, 1},
                                              {"log", Operation::logarithm, 1, 1},
                                              {"floor", Operation::floor, 1, 1},
                                              {"ceil", Operation::ceil, 1, 1},
                                              {"round", Operation::round, 1, 1},
                                              {"pow", Operation::power, 2, 2},
                                              {"min", Operation::minimum, 2, any_number},
                                              {"max", Operation::maximum, 2, any_number},
                                              {"clamp", Operation::clamp, 3, 3},
                                              {"select", Operation::select, 3, 3}}};

/// A name that stands for a property of the point or of the images.
struct Place {
  std::string_view name;
  Operation operation;
};

constexpr std::array<Place, 5> places{{{"x", Operation::column},
                                       {"y", Operation::row},
                                       {"channel", Operation::plane},
                                       {"width", Operation::width},
                                       {"height", Operation::height}}};

/// A comparison. If `exchanges` is true, its arguments are exchanged: `a > b` is computed as `b < a`.
struct Comparison {
  std::string_view symbol;
  Operation operation;
  bool exchanges;
};

/// The longer symbols come first, because `<=` begins with `<`.
constexpr std::array<Comparison, 6> comparisons{{{"<=", Operation::less_or_equal, false},
                                                 {">=", Operation::less_or_equal, true},
                                                 {"==", Operation::equal, false},
                                                 {"!=", Operation::not_equal, false},
                                                 {"<", Operation::less, false},
                                                 {">", Operation::less, true}}};

/// A symbol of other languages, and how expressions say the same.
struct Hint {
  std::string_view symbol;
  std::string_view text;
};

constexpr std::array<Hint, 7> hints{{{"^", "a power is written pow(a, b)"},
                                     {"**", "a power is written pow(a, b)"},
                                     {"=", "equality is written a == b"},
                                     {"&&", "'and' of conditions is written min(a, b)"},
                                     {"||", "'or' of conditions is written max(a, b)"},
                                     {"!", "'not' of a condition is written a == 0"},
                                     {"%", "a remainder is written a - b * floor(a / b)"}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(functions, name, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

/// Returns "; did you mean 'NAME'?", or a list of all functions if no name is similar.
std::string meant_function(const std::string& name) {
  std::vector<std::string> names;
  for (const Function& function : functions) names.emplace_back(function.name);
  const std::string meant = tessera::suggestion(name, names);
  return meant.empty() ? fmt::format("; the functions are {}", fmt::join(names, ", ")) : meant;
}

}  // namespace

bool is_name(std::string_view word) {
  return !word.empty() && is_letter(word.front()) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
}

bool stands_for_itself(std::string_view name) {
  return name == "pi" || find_function(name) != nullptr ||
         std::ranges::find(places, name, &Place::name) != places.end();
}

void Parser::parse() {
  const int result = comparison();
  skip_blanks();
  if (next() == ')') fail("a parenthesis is closed that is not open");
  if (at_ < text_.size()) fail_at_symbol("expected an operator");
  // The result is the last node. Only constants that were folded can follow it.
  nodes_.resize(static_cast<std::size_t>(result) + 1);
}

int Parser::comparison() {
  const auto find_symbol = [this] {
    skip_blanks();
    return std::ranges::find_if(comparisons, [this](const Comparison& c) { return take(c.symbol); });
  };
  const int a = sum();
  const auto found = find_symbol();
  if (found == comparisons.end()) return a;
  const int b = sum();
  const int result = found->exchanges ? add(found->operation, {b, a}) : add(found->operation, {a, b});
  const std::size_t before = at_;
  if (find_symbol() != comparisons.end()) {
    at_ = before;
    skip_blanks();
    fail("a comparison has two sides; write min(a < b, b < c) for a < b < c: unexpected symbol");
  }
  return result;
}

int Parser::sum() {
  int a = product();
  for (;;) {
    if (take("+"))
      a = add(Operation::add, {a, product()});
    else if (take("-"))
      a = add(Operation::subtract, {a, product()});
    else
      return a;
  }
}

int Parser::product() {
  int a = factor();
  for (;;) {
    skip_blanks();
    // `**` is not an operator, and the caller reports it.
    if (text_.compare(at_, 2, "**") == 0) return a;
    if (take("*")) {
      a = add(Operation::multiply, {a, factor()});
    } else if (take("/")) {
      skip_blanks();
      const int at = column();
      a = divided(a, factor(), at);
    } else {
      return a;
    }
  }
}

int Parser::factor() {
  if (++depth_ > deepest_nesting) fail(fmt::format("nested deeper than {} levels", deepest_nesting));
  int node = -1;
  if (take("-"))
    node = add(Operation::negate, {factor()});
  else
    node = take("+") ? factor() : primary();
  --depth_;
  return node;
}

int Parser::primary() {
  skip_blanks();
  if (is_digit(next()) || (next() == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
    return number();
  if (is_letter(next())) return named();
  if (!take("(")) fail_at_symbol("expected a number or a name");
  const int node = comparison();
  expect(')');
  return node;
}

int Parser::number() {
  double value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  // std::from_chars reports the same error for numbers that are too large and too small for a double. Those
  // that are too small are legal, and are about 0.
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(begin, end).c_str(), nullptr);
  else if (error != std::errc())
    fail("expected a number or a name");
  if (!std::isfinite(static_cast<float>(value))) fail("no float holds this number");
  const std::size_t after = at_ + static_cast<std::size_t>(end - begin);
  if (after < text_.size() && is_letter(text_[after])) fail("expected a number or a name");
  at_ = after;
  return add_constant(static_cast<float>(value));
}

int Parser::named() {
  const int at = column();
  const std::string name = word();
  if (take("(")) return call(name, at);
  if (name == "pi") return add_constant(3.14159265358979323846F);
  for (const Place& place : places)
    if (place.name == name) return add(place.operation, {});
  if (find_function(name) != nullptr)
    fail_at_column(text_, at, fmt::format("'{}' is a function: write {}(...)", name, name));
  return variable(name, at);
}

int Parser::call(const std::string& name, int at) {
  const Function* const function = find_function(name);
  if (function == nullptr)
    fail_at_column(text_, at, fmt::format("no function is called '{}'{}", name, meant_function(name)));
  const std::vector<int> given = arguments();
  const int count = static_cast<int>(given.size());
  if (count < function->least_arguments || count > function->most_arguments)
    fail_at_column(
        text_, at,
        fmt::format("'{}' takes {}{}, not {}", name, counted(function->least_arguments, "argument"),
                    function->most_arguments == any_number ? " or more" : "", count));
  if (function->most_arguments != any_number) return add(function->operation, given);
  int node = given.front();
  for (auto argument = given.begin() + 1; argument != given.end(); ++argument)
    node = add(function->operation, {node, *argument});
  return node;
}

std::vector<int> Parser::arguments() {
  std::vector<int> given;
  if (take(")")) return given;
  do given.push_back(comparison());
  while (take(","));
  expect(')');
  return given;
}

int Parser::variable(const std::string& name, int at) {
  auto found = std::ranges::find(names_, name, &Expression::Name::text);
  if (found == names_.end()) found = names_.insert(names_.end(), {name, at});
  const int index = static_cast<int>(found - names_.begin());
  const int node = add(Operation::variable, {});
  nodes_.back().name = index;
  return node;
}

int Parser::divided(int a, int b, int at) {
  if (is_constant(b) && nodes_[b].value == 0) fail_at_column(text_, at, "division by zero");
  return add(Operation::divide, {a, b});
}

int Parser::add(Operation operation, const std::vector<int>& arguments) {
  Expression::Node node{.operation = operation};
  float values[3] = {};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    node.arguments[i] = arguments[i];
    values[i] = nodes_[arguments[i]].value;
  }
  // An operation on constants only becomes a constant.
  const bool folds = !arguments.empty() &&
                     std::ranges::all_of(arguments, [this](int argument) { return is_constant(argument); });
  if (folds) {
    node = {};
    with_arithmetic(operation, [&]<class A>(A) { node.value = A::compute(values[0], values[1], values[2]); });
  }
  if (nodes_.size() >= most_nodes)
    fail(fmt::format("the text has more than {} numbers, names and operations: divide it into several steps",
                     most_nodes));
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

int Parser::add_constant(float value) {
  add(Operation::constant, {});
  nodes_.back().value = value;
  return static_cast<int>(nodes_.size()) - 1;
}

bool Parser::is_constant(int node) const { return nodes_[node].operation == Operation::constant; }

std::string Parser::word() {
  const std::size_t begin = at_;
  while (is_letter(next()) || is_digit(next())) ++at_;
  return text_.substr(begin, at_ - begin);
}

void Parser::skip_blanks() {
  while (next() == ' ' || next() == '\t' || next() == '\n' || next() == '\r') ++at_;
}

bool Parser::take(std::string_view symbol) {
  skip_blanks();
  if (std::string_view(text_).substr(at_).substr(0, symbol.size()) != symbol) return false;
  at_ += symbol.size();
  return true;
}

void Parser::expect(char symbol) {
  if (!take(std::string_view(&symbol, 1))) fail_at_symbol(fmt::format("expected '{}'", symbol));
}

void Parser::fail_at_symbol(const std::string& otherwise) const {
  for (const auto& [symbol, hint] : hints)
    if (std::string_view(text_).substr(at_).starts_with(symbol))
      fail(fmt::format("{}: unexpected symbol", hint));
  fail(otherwise);
}

}  // namespace tessera::expressions::detail
