// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/glob.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::deck {
namespace {

using namespace detail;

/// Reads a deck and all decks that it includes, directly or through other decks.
class IncludeReader {
 public:
  void add(const Source& source) {
    open_.push_back(identity(source.name));
    for (const Tree& entry : included(read_yaml(source.text, {source.name}))) include(source.name, entry);
    open_.pop_back();
    sources_.push_back(source);
  }
  std::vector<Source> take() { return std::move(sources_); }

 private:
  /// Returns a path that is the same for all paths of one file.
  static std::string identity(const std::string& path) {
    std::error_code error;
    const std::string name = std::filesystem::weakly_canonical(path, error).string();
    return error ? path : name;
  }

  void include(const std::string& by, const Tree& entry) {
    constexpr std::size_t most_decks = 64;
    Source source;
    try {
      const std::string name = expand(entry.text, environment_of(entry.text));
      const std::string path = (std::filesystem::path(by).parent_path() / name).string();
      if (contains(open_, identity(path)))
        throw InputError(fmt::format("'{}' would include itself", printable(path)));
      if (sources_.size() + open_.size() >= most_decks)
        throw InputError(fmt::format("more than {} decks", most_decks));
      source = read_source(path);
    } catch (const InputError& error) {
      fail(entry, fmt::format("'include': {}", error.what()));
    }
    add(source);
  }

  /// The decks that are being read. Each of them is included by the deck before it.
  std::vector<std::string> open_;
  std::vector<Source> sources_;
};

/// Returns the full name of the key that an unknown component most likely stands for, or an empty string. The
/// key may lie in `block`, or elsewhere in the deck if it was written in the wrong block.
std::string nearest_key(const Schema& schema, const std::string& spelt_block, const std::string& block,
                        const std::string& component) {
  std::vector<std::string> components = schema.children(block), full_names;
  for (const std::string& child : components) full_names.push_back(dotted(spelt_block, child));
  for (const KeyDeclaration& key : schema.declarations()) {
    // Keys with a placeholder are only suggested at the top level of the deck.
    if (key.name.find('<') != std::string::npos && !block.empty()) continue;
    components.push_back(key.name.substr(key.name.rfind('.') + 1));
    full_names.push_back(key.name);
  }
  const auto found = nearest(component, components);
  if (!found) return "";
  const auto position = std::find(components.begin(), components.end(), *found) - components.begin();
  return full_names[static_cast<std::size_t>(position)];
}

/// Combines defaults, decks and overrides. If a key has several values, the one that was added last wins.
class Layers {
 public:
  /// If `keeps_to_schema` is false, keys that the schema does not have are left out. Otherwise they are
  /// errors.
  Layers(const Schema& schema, const Environment& environment, bool keeps_to_schema)
      : schema_(schema), environment_(environment), keeps_to_schema_(keeps_to_schema) {
    for (const Schema::Key& key : schema.keys())
      if (const auto& value = schema.default_value(key)) entries_[key.name] = {*value, ""};
  }

  /// Adds the values of a deck. The decks that this deck includes must have been added before.
  void add_deck(std::string_view text, const std::string& name) {
    spelt_at_.clear();
    const Tree root = read_yaml(text, {name});
    if (root.kind == Tree::Kind::word || root.kind == Tree::Kind::list)
      fail(root, fmt::format("a deck is a block of keys ('key: value' lines), got {}", describe(root)));
    included(root);  // throws if the key `include` is faulty
    for (std::size_t i = 0; i < root.items.size(); ++i)
      if (root.keys[i].text != include_key)
        apply_path({"", {""}}, root.keys[i].text, root.items[i], root.keys[i]);
  }

  /// Adds an override from the command line. `argument` has the form `key=value`.
  void add_override(const std::string& argument) {
    const Origin origin{fmt::format("command line: '{}'", shortened(argument)), false};
    const auto fail = [&origin](const char* message) { fail_at(printable(origin.name), message); };
    spelt_at_.clear();
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) fail("expected key=value");
    if (equals == 0) fail("expected key=value, got no key");
    if (argument.find_first_of("\r\n") != std::string::npos) fail("expected key=value on one line");
    if (argument.substr(0, equals) == include_key)
      fail("only decks include decks: name the file itself, before the keys that it sets");
    const std::string path = argument.substr(0, equals), text = argument.substr(equals + 1);
    const Tree value = is_one_text(path, text) ? read_word(text, origin)
                                               // As the value of a key, `---` is a word, and a bracket that
                                               // is left open is an error.
                                               : read_yaml("value: " + text, origin).items.front();
    if (value.kind == Tree::Kind::nothing) fail("no value after '='");
    apply_path({"", {""}}, path, value, value);
  }

  Deck::Entries take() { return std::move(entries_); }
  Deck::Unread take_unread() { return std::move(unread_); }

 private:
  /// A key or block as the user has written it, and the full names of all keys or blocks that it stands for.
  /// There are several names if a pattern was written.
  struct Target {
    std::string spelt;
    std::vector<std::string> names;
  };

  /// Returns whether `text`, the value of the key `path` on the command line, is taken as it stands. This is
  /// so for paths and texts: ` a #1.png` names a file. Lists of paths, and texts in quotes, are read as YAML.
  bool is_one_text(const std::string& path, const std::string& text) const {
    const KeyDeclaration* const key = schema_.find(path);
    if (key == nullptr || text.empty()) return false;
    const bool is_list = key->type == ValueType::paths && text.front() == '[';
    const bool is_quoted =
        text.size() > 1 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
    const bool is_text =
        key->type == ValueType::text || key->type == ValueType::path || key->type == ValueType::paths;
    return is_text && !is_list && !is_quoted;
  }

  /// Sets a key, or the keys of a block. `place` is the tree whose location messages name.
  void apply(const Target& target, const Tree& value, const Tree& place) {
    if (!schema_.is_block(target.names.front())) return set(target, value, place);
    for (std::size_t i = 0; i < value.keys.size(); ++i)
      apply_path(target, value.keys[i].text, value.items[i], value.keys[i]);
    if (value.kind == Tree::Kind::map || value.kind == Tree::Kind::nothing || !keeps_to_schema_) return;
    fail(value, fmt::format("'{}' expects a block of keys ({}), got {}", shortened(target.spelt),
                            joined(schema_.children(target.names.front())), describe(value)));
  }

  /// Sets the key, or the keys of the block, at `path` below `target`.
  void apply_path(Target target, const std::string& path, const Tree& value, const Tree& place) {
    const auto components = split(path);
    if (contains(components, "")) fail(place, fmt::format("the key '{}' has an empty part", shortened(path)));
    for (auto component = components.begin(); component != components.end(); ++component) {
      if (schema_.follows(schema_.placeholder(target.names.front()))) {  // The names follow later.
        for (; component != components.end(); ++component) target.spelt = dotted(target.spelt, *component);
        return keep_unread(target.spelt, value);
      }
      target = descend(target, *component, place);
      if (target.names.empty()) return;
      const KeyDeclaration* const key = schema_.find(target.names.front());
      if (key != nullptr && key->type == ValueType::tree)
        return apply_in_tree(target, {component + 1, components.end()}, value, place);
    }
    apply(target, value, place);
  }

  /// Keeps a key whose name is not known yet, or the keys of such a block one by one.
  void keep_unread(const std::string& spelt, const Tree& value) {
    // Keys whose names follow have three components, such as schedule.<stage>.tile.
    const bool is_block = split(spelt).size() < 3 && value.kind == Tree::Kind::map;
    if (!is_block) {
      std::erase_if(unread_, [&](const auto& key) { return key.first == spelt; });
      unread_.emplace_back(spelt, to_yaml(value));
      return;
    }
    for (std::size_t i = 0; i < value.items.size(); ++i)
      keep_unread(dotted(spelt, value.keys[i].text), value.items[i]);
  }

  /// Sets the value at `path` in the tree that is the value of a key.
  void apply_in_tree(Target target, const std::vector<std::string>& path, Tree value, const Tree& place) {
    for (auto component = path.rbegin(); component != path.rend(); ++component) {
      Tree key{
          .kind = Tree::Kind::word, .text = *component, .quoted = place.quoted, .location = place.location};
      Tree map{.kind = Tree::Kind::map, .keys = {std::move(key)}, .location = place.location};
      map.items.push_back(std::move(value));
      value = std::move(map);
    }
    for (const std::string& component : path) target.spelt = dotted(target.spelt, component);
    apply(target, value, place);
  }

  /// Returns the keys or blocks that a component below `target` names, or matches as a pattern.
  Target descend(const Target& target, const std::string& component, const Tree& place) const {
    Target next{dotted(target.spelt, component), {}};
    for (const std::string& block : target.names) {
      const std::string exact = dotted(block, component);
      const bool exists = schema_.find(exact) || schema_.is_block(exact);
      const std::string& word = schema_.placeholder(block);
      if (exists) {
        next.names.push_back(exact);
      } else if (!word.empty()) {
        for (const std::string& name : schema_.names_of(word))
          if (glob_matches(component, name)) next.names.push_back(dotted(block, name));
      }
    }
    if (next.names.empty() && !keeps_to_schema_) return next;
    if (next.names.empty()) fail_unknown(target, component, place);
    // A pattern may match a key below one name and a block below another name. The first match decides which
    // of the two kinds the pattern stands for.
    const bool block = schema_.is_block(next.names.front());
    std::erase_if(next.names, [&](const std::string& name) { return schema_.is_block(name) != block; });
    return next;
  }

  void set(const Target& target, const Tree& value, const Tree& place) {
    const auto [first, is_new] = spelt_at_.emplace(target.spelt, place.location);
    if (!is_new)
      fail(place,
           fmt::format("the key '{}' is given twice (first at {})", shortened(target.spelt), first->second));
    if (value.kind == Tree::Kind::nothing)
      fail(place, fmt::format("'{}' has no value; it expects {}", shortened(target.spelt),
                              deck::describe(*schema_.find(target.names.front()))));
    set_each(target, value);
  }

  void set_each(const Target& target, const Tree& value) {
    bool applied = false;
    for (const std::string& name : target.names) {
      if (!allows(name, value)) continue;
      applied = true;
      Value parsed = parse_value(*schema_.find(name), target.spelt, value, environment_);
      // Trees of several decks are joined, as blocks of keys are.
      Deck::Entry& entry = entries_[name];
      auto* const tree = std::get_if<Tree>(&entry.value);
      if (tree != nullptr && !entry.location.empty())
        tree->merge(std::get<Tree>(parsed));
      else
        entry.value = std::move(parsed);
      entry.location = value.location;
    }
    if (applied) return;
    // No key allows the given choice. The message lists the choices of all keys.
    KeyDeclaration all = *schema_.find(target.names.front());
    for (const std::string& name : target.names) {
      for (const std::string& choice : schema_.find(name)->choices)
        if (!contains(all.choices, choice)) all.choices.push_back(choice);
    }
    parse_value(all, target.spelt, value, environment_);
  }

  bool allows(const std::string& name, const Tree& value) const {
    const KeyDeclaration& key = *schema_.find(name);
    return key.type != ValueType::choice || contains(key.choices, meant_choice(value, key.choices));
  }

  [[noreturn]] void fail_unknown(const Target& target, const std::string& component,
                                 const Tree& place) const {
    const std::string& block = target.names.front();
    if (!schema_.placeholder(block).empty()) fail_no_match(schema_.placeholder(block), component, place);
    const std::string unknown = fmt::format("unknown key '{}'", shortened(dotted(target.spelt, component)));
    if (!schema_.is_block(block))
      fail(place, fmt::format("{}: '{}' is not a block of keys", unknown, shortened(target.spelt)));
    const std::string meant = nearest_key(schema_, target.spelt, block, component);
    const std::string hint = meant.empty()
                                 ? fmt::format("; the keys here are {}", joined(schema_.children(block)))
                                 : fmt::format("; did you mean '{}'?", shortened(meant));
    fail(place, unknown + hint);
  }

  [[noreturn]] void fail_no_match(const std::string& word, const std::string& pattern,
                                  const Tree& place) const {
    const std::string message = fmt::format("no {} matches '{}'", word, shortened(pattern));
    const std::string fault = glob_fault(pattern);
    if (!fault.empty()) fail(place, fmt::format("{}: {}", message, fault));
    const auto& names = schema_.names_of(word);
    if (names.empty()) fail(place, fmt::format("{}: there is none here", message));
    const std::string hint = suggestion(glob_skeleton(pattern), names);
    fail(place, message + (hint.empty() ? fmt::format("; the names are {}", joined(names)) : hint));
  }

  const Schema& schema_;
  const Environment& environment_;
  bool keeps_to_schema_;
  Deck::Entries entries_;
  Deck::Unread unread_;
  /// Where each key of the layer that is being added was given.
  std::map<std::string, std::string> spelt_at_;
};

void check_required(const Deck& deck, const std::string& name) {
  for (const Schema::Key& key : deck.schema().keys()) {
    const KeyDeclaration& declaration = deck.schema().declarations()[key.declaration];
    const bool is_replaced = std::ranges::any_of(
        declaration.alternatives, [&](const std::string& other) { return deck.is_set(other); });
    if (declaration.required && !is_replaced && !deck.find(key.name))
      fail_at(name,
              fmt::format("the key '{0}' is required: give it in the deck, or {0}=VALUE on the command line",
                          key.name));
  }
}

Deck load_layers(const Schema& schema, std::shared_ptr<const Given> given, bool keeps_to_schema) {
  Layers layers(schema, given->environment, keeps_to_schema);
  for (const Source& source : given->decks) layers.add_deck(source.text, source.name);
  for (const std::string& argument : given->overrides) layers.add_override(argument);
  const std::string name = given->decks.empty() ? "command line" : given->decks.back().name;
  Deck deck(schema, layers.take(), name, layers.take_unread(), std::move(given));
  check_required(deck, printable(name));
  return deck;
}

}  // namespace

Source read_source(const std::string& named, std::string_view what) {
  // The operating system would end the name at a NUL byte.
  if (named.find('\0') != std::string::npos) fail_at(printable(named), "not a file name");
  const std::string path = deck_path(named);
  const std::string name = printable(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail_at(name, fmt::format("a directory, not a {}", what));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_at(name, fmt::format("cannot open the {}: {}", what, std::strerror(errno)));
  // One byte more than allowed is read, so that a file that is too large is noticed.
  Source source{path, std::string(largest_deck + 1, '\0')};
  file.read(source.text.data(), static_cast<std::streamsize>(source.text.size()));
  if (file.bad()) fail_at(name, fmt::format("cannot read the {}", what));
  source.text.resize(static_cast<std::size_t>(file.gcount()));
  check_size(source.text, source.name);
  return source;
}

std::vector<Source> read_sources(const std::string& path) {
  IncludeReader reader;
  reader.add(read_source(path));
  return reader.take();
}

std::string shipped_decks() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path().parent_path() / "share" / "tessera" / "inputs";
  return std::filesystem::is_directory(folder, error) ? folder.string() : std::string();
}

std::string deck_path(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::path(path).is_absolute() || std::filesystem::exists(path, error))
    return path;
  const std::string folder = shipped_decks();
  if (folder.empty()) return path;
  const std::string shipped = (std::filesystem::path(folder).parent_path() / path).string();
  return std::filesystem::is_regular_file(shipped, error) ? shipped : path;
}

Deck load(const Schema& schema, const std::vector<Source>& decks, const std::vector<std::string>& overrides,
          const Environment& environment) {
  return load_layers(schema, std::make_shared<const Given>(Given{decks, overrides, environment}), true);
}

Deck load_declared(const Schema& schema, const std::vector<Source>& decks,
                   const std::vector<std::string>& overrides, const Environment& environment) {
  return load_layers(schema, std::make_shared<const Given>(Given{decks, overrides, environment}), false);
}

Deck load_again(const Deck& deck, const Schema& schema) {
  Deck whole = load_layers(schema, deck.given_, true);
  for (const auto& [name, entry] : deck.entries_) whole.entries_.insert_or_assign(name, entry);
  return whole;
}

}  // namespace tessera::deck
