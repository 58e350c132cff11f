// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "tessera/app/detail/series_keys.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

void declare_image(deck::Schema& schema, const std::string& name, const std::string& key,
                   const std::string& help, bool required,
                   const std::vector<std::string>& alternatives = {}) {
  schema
      .add("Files", {{.name = key,
                      .type = deck::ValueType::path,
                      .help = help + ": " + io::readable_formats("or"),
                      .required = required,
                      .alternatives = alternatives},
                     {.name = name + ".dataset",
                      .help = "The data set of an HDF5 file, or the extension of a FITS file (its name or "
                              "number); without it, the only data set, or the first image"},
                     {.name = name + ".page",
                      .type = deck::ValueType::integer,
                      .help = "The page of a TIFF file, from 0 on; without it, the first",
                      .minimum = 0,
                      .maximum = std::numeric_limits<int>::max()}})
      .add("Files", raw_keys(name));
}

/// Returns the keys that may be in the place of the key of the input image.
std::vector<std::string> keys_of_series(const PipelineApplication& application) {
  if (!takes_series(application)) return {};
  if (!takes_videos(application)) return {"input.files"};
  return {"input.files", "input.video"};
}

/// The description in a deck of an image file that has no header: the place and the byte order of the
/// numbers, their type, and all points of the image.
struct RawInput {
  io::RawLayout layout;
  ElementType type = ElementType::uint8;
  Box domain;
};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (int i = 0; i < element_type_count; ++i) names.emplace_back(name_of(static_cast<ElementType>(i)));
  return names;
}

/// Returns the domain of the array whose extents are the value of `key`. The deck lists the extents from the
/// slowest dimension in memory to the fastest one, and the domain has them in reverse order.
Box domain_of(const deck::Deck& deck, const std::string& key) {
  const auto& entries = deck.get<deck::GridValue>(key).entries;
  if (entries.size() < 2 || std::ranges::any_of(entries, [](const auto& entry) { return !entry; }))
    deck.fail(key, "write [rows, columns] or [channels, rows, columns] in numbers");
  Box domain;
  double bytes = 16;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    domain.range[domain.dimensions++] = {0, **entry};
    bytes *= static_cast<double>(**entry);
  }
  if (bytes > 0x1p62) deck.fail(key, "no file is so large: write what it holds");
  return domain;
}

/// Returns the description of `image` that the keys `<image>.raw.*` of the deck give, or nothing if the deck
/// has none of these keys.
std::optional<RawInput> raw_input(const deck::Deck& deck, const std::string& image) {
  const std::string shape = image + ".raw.shape", type = image + ".raw.type", order = image + ".raw.order",
                    offset = image + ".raw.offset", dataset = image + ".dataset";
  if (!deck.is_set(shape)) {
    for (const std::string& key : {type, order, offset})
      if (deck.is_set(key)) deck.fail(key, fmt::format("'{}' is not given: give it, too", shape));
    return std::nullopt;
  }
  if (!deck.is_set(type)) deck.fail(shape, fmt::format("'{}' is not given: give it, too", type));
  if (deck.is_set(dataset)) deck.fail(dataset, "a file without a header has no data sets: leave it out");
  RawInput raw;
  raw.domain = domain_of(deck, shape);
  const std::vector<std::string> names = type_names();
  raw.type = static_cast<ElementType>(std::ranges::find(names, deck.get<std::string>(type)) - names.begin());
  raw.layout.is_big_endian = deck.text_of(order) == "big";
  if (deck.is_set(offset)) raw.layout.offset = deck.get<std::int64_t>(offset);
  return raw;
}

/// Returns the index of the first number that is not finite, or `count` if all are finite.
template <class T>
std::int64_t find_not_finite(const std::byte* numbers, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, numbers + i * static_cast<std::int64_t>(sizeof number), sizeof number);
    if (!std::isfinite(number)) return i;
  }
  return count;
}

std::int64_t find_not_finite(const std::byte* numbers, std::int64_t count, ElementType type) {
  return type == ElementType::float32 ? find_not_finite<float>(numbers, count)
                                      : find_not_finite<double>(numbers, count);
}

bool may_be_not_finite(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64;
}

/// The index that stands for no point.
constexpr std::int64_t no_point = std::numeric_limits<std::int64_t>::max();

/// Returns the index in `domain`, x fastest, of the first point of a block whose number is not finite, or
/// no_point.
std::int64_t first_index(const HostBlock& image, const Box& domain) {
  const Box& box = image.box;
  if (box.empty() || !may_be_not_finite(image.type)) return no_point;
  const std::int64_t width = box[0].size();
  for (std::int64_t row = 0; row < box.size() / width; ++row) {
    // The coordinates of the row are the digits of its number.
    std::int64_t offset = 0, index = box[0].begin - domain[0].begin, stride = domain[0].size(), rest = row;
    for (int d = 1; d < box.dimensions; ++d) {
      const std::int64_t coordinate = rest % box[d].size();
      offset += coordinate * image.strides[d];
      index += stride * (box[d].begin + coordinate - domain[d].begin);
      stride *= domain[d].size();
      rest /= box[d].size();
    }
    const std::byte* numbers = image.data + offset * static_cast<std::int64_t>(size_of(image.type));
    if (const std::int64_t found = find_not_finite(numbers, width, image.type); found < width)
      return index + found;
  }
  return no_point;
}

/// Returns the point with this index in `domain`, such as "(3, 5)".
std::string point_text(const Box& domain, std::int64_t index) {
  if (index == no_point) return "";
  std::vector<std::int64_t> point;
  for (int d = 0; d < domain.dimensions; ++d) {
    point.push_back(domain[d].begin + index % domain[d].size());
    index /= domain[d].size();
  }
  return fmt::format("({})", fmt::join(point, ", "));
}

/// A source that refuses blocks with NaN or an infinity.
class FiniteSource final : public BlockSource {
 public:
  FiniteSource(std::unique_ptr<BlockSource> source, const deck::Deck& deck, std::string key, std::string path)
      : source_(std::move(source)), deck_(deck), key_(std::move(key)), path_(std::move(path)) {}
  void read(const HostBlock& block) override {
    source_->read(block);
    check_finite(deck_, key_, path_, block);
  }

 private:
  std::unique_ptr<BlockSource> source_;
  const deck::Deck& deck_;
  std::string key_, path_;
};

}  // namespace

std::vector<deck::KeyDeclaration> raw_keys(const std::string& image) {
  return {{.name = image + ".raw.shape",
           .type = deck::ValueType::grid,
           .help = "The extents of a file without a header: [rows, columns], [channels, rows, columns], or "
                   "those of an array of four dimensions, slowest first",
           .max_entries = 4},
          {.name = image + ".raw.type",
           .type = deck::ValueType::choice,
           .help = "The type of the numbers in a file without a header",
           .choices = type_names()},
          {.name = image + ".raw.order",
           .type = deck::ValueType::choice,
           .help = "The order of the bytes of a number; without it, little",
           .choices = {"little", "big"}},
          {.name = image + ".raw.offset",
           .type = deck::ValueType::integer,
           .help = "The number of bytes before the first number; without it, 0",
           .minimum = 0}};
}

io::ImageInfo inspect_input(MPI_Comm communicator, const deck::Deck& deck, const std::string& image,
                            const std::string& path) {
  const std::optional<RawInput> raw = raw_input(deck, image);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  io::ImageChoice choice{.dataset = deck.text_of(image + ".dataset")};
  if (const std::string page = image + ".page"; is_given(deck, page))
    choice.page = static_cast<int>(deck.get<std::int64_t>(page));
  io::ImageInfo info;
  collectively(communicator, [&] {
    if (rank != 0) return;
    info = raw ? io::inspect_raw(path, raw->layout, raw->type, raw->domain) : io::inspect_image(path, choice);
  });
  return io::broadcast(communicator, info);
}

std::string difference_text(const std::string& which, const io::ImageInfo& image,
                            const std::string& other_name, const io::ImageInfo& other) {
  if (image.type == other.type && image.domain == other.domain) return "";
  return fmt::format("{} is {} of {}, but that of {} {} of {}: give one of the same extents and type", which,
                     to_string(image.domain), name_of(image.type), other_name, to_string(other.domain),
                     name_of(other.type));
}

std::size_t count_of(const deck::Deck& deck, const ImageList& list) {
  return deck.is_set(list.key) ? deck.get<std::vector<std::string>>(list.key).size() : 1;
}

void check_length(const deck::Deck& deck, const ImageList& list) {
  const std::size_t count = count_of(deck, list);
  if (count == 0 || count > static_cast<std::size_t>(list.most))
    deck.fail(list.key, fmt::format("it names {} files: name 1 to {}", count, list.most));
}

void declare_input_keys(deck::Schema& schema, const PipelineApplication& application) {
  if (application.build)
    declare_image(schema, "input", application.input_key, "The image", true, keys_of_series(application));
  for (const ImageList& list : application.image_lists) {
    const std::string in_series =
        takes_series(application) ? "; in a series each is a pattern, of as many files as input.files" : "";
    schema.add(
        "Files",
        {{.name = list.key,
          .type = deck::ValueType::paths,
          .help = list.help + in_series +
                  (list.may_follow ? ", and without it each image goes with the next one" : ""),
          .required = true,
          .alternatives = list.may_follow ? keys_of_series(application) : std::vector<std::string>()}});
  }
  for (const FurtherImage& further : application.further_images) {
    if (further.may_differ && !application.build_with)
      throw AgreedInternalError(
          fmt::format("PipelineApplication::build_with: the image '{}' may differ from the input image "
                      "(FurtherImage::may_differ): set the function that makes the pipeline for it",
                      further.name));
    declare_image(
        schema, further.keys(), further.file_key(), further.help, further.required,
        has_files_key(application, further) ? std::vector{files_key(further)} : std::vector<std::string>{});
  }
}

ImageInputs::ImageInputs(MPI_Comm communicator, const PipelineApplication& application,
                         const deck::Deck& deck, const GivenImage* given)
    : communicator_(communicator), has_given_(given != nullptr) {
  const std::string& given_key = application.input_key;
  // The first image of a series is given by the key of the series.
  const std::string first_key = given != nullptr                        ? given->key
                                : is_series(deck) && !reads_video(deck) ? "input.files"
                                                                        : given_key;
  if (given != nullptr)
    images_.push_back({*given, "input"});
  else if (application.build && deck.is_set(given_key))
    inspect(deck, "input", first_key, "input", deck.get<std::string>(given_key));
  // The lists of a series belong to each of its images.
  if (!images_.empty())
    for (const ImageList& list : application.image_lists) inspect_list(deck, list);
  if (application.needs_finite_images && !has_given_) check_finite(deck);
  for (const FurtherImage& further : application.further_images) {
    const std::string key = further.file_key();
    const bool has_files = is_given(deck, files_key(further));
    if (has_files && !is_series(deck))
      deck.fail(files_key(further), fmt::format("it is about series of files: give {}", key));
    for (const char* about : {".dataset", ".page", ".raw.shape", ".raw.type", ".raw.order", ".raw.offset"}) {
      const bool is_of_files = has_files && !std::string_view(about).starts_with(".raw");
      if (!deck.is_set(key) && !is_of_files && deck.is_set(further.keys() + about))
        deck.fail(further.keys() + about, fmt::format("'{}' is not given: give it, too", key));
    }
    if (!deck.is_set(key)) continue;
    inspect(deck, further.name, key, further.keys(), deck.get<std::string>(key));
    if (further.check) check(further, deck);
    if (further.may_differ)
      different_.emplace(further.name, images_.back().info);
    else if (image() != nullptr)
      check_like_first(deck, first_key, "the image");
  }
}

void ImageInputs::inspect_list(const deck::Deck& deck, const ImageList& list) {
  const auto& paths = deck.get<std::vector<std::string>>(list.key);
  check_length(deck, list);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    inspect(deck, list.input(i), list.key, "input", paths[i]);
    check_like_first(deck, images_.front().key, fmt::format("the image of {}", paths[i]));
  }
}

void ImageInputs::inspect(const deck::Deck& deck, const std::string& name, const std::string& key,
                          const std::string& block, const std::string& path) {
  images_.push_back({{key, path, inspect_input(communicator_, deck, block, path)}, name});
}

void ImageInputs::check_finite(const deck::Deck& deck) const {
  for (const Image& image : images_)
    app::check_finite(deck, image.key, image.path, first_not_finite(communicator_, image.path, image.info));
}

void ImageInputs::check_like_first(const deck::Deck& deck, const std::string& first_key,
                                   const std::string& which) const {
  const std::string text = difference_text(which, images_.back().info, first_key, images_.front().info);
  if (!text.empty()) deck.fail(images_.back().key, text);
}

void ImageInputs::check(const FurtherImage& further, const deck::Deck& deck) const {
  collectively(communicator_, [&] {
    int rank = 0;
    MPI_Comm_rank(communicator_, &rank);
    const Image& image = images_.back();
    if (rank == 0) further.check(deck, image.info, *io::open_image(MPI_COMM_SELF, image.path, image.info));
  });
}

const io::ImageInfo* ImageInputs::image(const std::string& name) const {
  const auto found = std::ranges::find(images_, name, &Image::name);
  return found == images_.end() ? nullptr : &found->info;
}

std::map<std::string, io::ImageInfo> ImageInputs::all() const {
  std::map<std::string, io::ImageInfo> all;
  for (const Image& image : images_) all.emplace(image.name, image.info);
  return all;
}

std::vector<NamedFile> ImageInputs::files() const {
  std::vector<NamedFile> files;
  for (const Image& image : images_) files.push_back({image.key, image.path});
  return files;
}

void ImageInputs::open(Bindings& bindings) {
  for (Image& image : images_) {
    if (has_given_ && image.name == "input") continue;
    image.source = io::open_image(communicator_, image.path, image.info);
    bindings.sources.emplace(image.name, image.source.get());
  }
}

std::string first_not_finite(MPI_Comm communicator, const std::string& path, const io::ImageInfo& info) {
  if (!may_be_not_finite(info.type)) return "";
  int ranks = 1, rank = 0;
  MPI_Comm_size(communicator, &ranks);
  MPI_Comm_rank(communicator, &rank);
  const Range rows = info.domain[1];
  const std::int64_t row_bytes =
      info.domain.size() / rows.size() * static_cast<std::int64_t>(size_of(info.type));
  constexpr std::int64_t bytes_at_a_time = std::int64_t{8} << 20;
  const std::int64_t piece = std::clamp<std::int64_t>(bytes_at_a_time / row_bytes, 1, rows.size());
  const auto source = io::open_image(communicator, path, info);
  std::vector<std::byte> memory(static_cast<std::size_t>(piece * row_bytes));
  std::int64_t first = no_point;
  for (std::int64_t y = rows.begin; y < rows.end; y += ranks * piece) {
    Box box = info.domain;
    box[1] = {std::min(y + rank * piece, rows.end), std::min(y + (rank + 1) * piece, rows.end)};
    const HostBlock block = packed_block(memory.data(), info.type, box);
    source->read(block);
    first = std::min(first, first_index(block, info.domain));
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, communicator);
  return point_text(info.domain, first);
}

void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const std::string& point) {
  if (!point.empty())
    deck.fail(key, fmt::format("{} has no finite number at {}: give one of finite numbers", path, point));
}

void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const HostBlock& image) {
  check_finite(deck, key, path, point_text(image.box, first_index(image, image.box)));
}

std::unique_ptr<BlockSource> finite_source(std::unique_ptr<BlockSource> source, const deck::Deck& deck,
                                           const std::string& key, const std::string& path) {
  return std::make_unique<FiniteSource>(std::move(source), deck, key, path);
}

}  // namespace tessera::app
