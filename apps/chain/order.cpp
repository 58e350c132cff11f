// SPDX-License-Identifier: BSD-3-Clause
#include "order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tessera/domain/text.hpp"

namespace chain {
namespace {

using tessera::InputError;

/// Orders steps by a search in depth.
class Search {
 public:
  Search(const std::vector<Step>& steps, const std::vector<std::string>& others)
      : steps_(steps), others_(others) {
    for (std::size_t i = 0; i < steps.size(); ++i) number_.emplace(steps[i].name, i);
  }

  std::vector<Step> run() {
    state_.assign(steps_.size(), State::unseen);
    for (std::size_t i = 0; i < steps_.size(); ++i) visit(i);
    return std::move(ordered_);
  }

 private:
  enum class State { unseen, open, done };

  void visit(std::size_t i) {
    if (state_[i] == State::done) return;
    path_.push_back(i);
    if (state_[i] == State::open) fail_cycle();
    state_[i] = State::open;
    for (const Operand& operand : steps_[i].operands) {
      const auto found = number_.find(operand.name);
      if (found != number_.end())
        visit(found->second);
      else if (std::ranges::find(others_, operand.name) == others_.end())
        fail_unknown(steps_[i], operand);
    }
    state_[i] = State::done;
    path_.pop_back();
    ordered_.push_back(steps_[i]);
  }

  /// Throws InputError about the steps at the end of the path, whose last one is the same as an earlier one.
  [[noreturn]] void fail_cycle() const {
    auto begin = std::ranges::find(path_, path_.back());
    const Step& first = steps_[*begin];
    std::string text;
    for (; begin + 1 != path_.end(); ++begin)
      text += fmt::format("{}'{}' reads '{}'", text.empty() ? "" : ", ", steps_[*begin].name,
                          steps_[begin[1]].name);
    throw InputError(fmt::format("{}: the steps are a cycle: {}", first.location, text));
  }

  [[noreturn]] void fail_unknown(const Step& step, const Operand& operand) const {
    std::vector<std::string> known = others_;
    for (const Step& other : steps_)
      if (other.name != step.name) known.push_back(other.name);
    const std::string meant = tessera::suggestion(operand.name, known);
    throw InputError(fmt::format(
        "{}: step '{}' reads '{}', but no step or input has this name{}", operand.location, step.name,
        operand.name, meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant));
  }

  const std::vector<Step>& steps_;
  const std::vector<std::string>& others_;
  std::map<std::string, std::size_t> number_;
  std::vector<State> state_;
  std::vector<std::size_t> path_;
  std::vector<Step> ordered_;
};

}  // namespace

std::vector<Step> ordered(const std::vector<Step>& steps, const std::vector<std::string>& others) {
  return Search(steps, others).run();
}

}  // namespace chain
