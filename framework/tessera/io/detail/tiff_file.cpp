// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/tiff_file.hpp"

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "tessera/io/detail/tiff_layout.hpp"

namespace tessera::io::detail {
namespace {

std::FILE* stream(thandle_t file) { return static_cast<std::FILE*>(file); }

tmsize_t read_bytes(thandle_t file, void* bytes, tmsize_t count) {
  return static_cast<tmsize_t>(std::fread(bytes, 1, static_cast<std::size_t>(count), stream(file)));
}

tmsize_t write_bytes(thandle_t file, void* bytes, tmsize_t count) {
  return static_cast<tmsize_t>(std::fwrite(bytes, 1, static_cast<std::size_t>(count), stream(file)));
}

toff_t seek(thandle_t file, toff_t offset, int whence) {
  if (::fseeko(stream(file), static_cast<off_t>(offset), whence) != 0) return static_cast<toff_t>(-1);
  return static_cast<toff_t>(::ftello(stream(file)));
}

toff_t size(thandle_t file) {
  const off_t here = ::ftello(stream(file));
  const toff_t end = seek(file, 0, SEEK_END);
  seek(file, static_cast<toff_t>(here), SEEK_SET);
  return end;
}

int keep_open(thandle_t) { return 0; }

}  // namespace

int TiffFile::on_error(TIFF*, void* messages, const char*, const char* format, va_list values) {
  auto& error = static_cast<Messages*>(messages)->error;
  std::vsnprintf(error, sizeof(error), format, values);
  return 1;
}

int TiffFile::on_warning(TIFF*, void* messages, const char* module, const char*, va_list) {
  if (module != nullptr && std::string_view(module) == "JPEGLib")
    static_cast<Messages*>(messages)->damaged_jpeg = true;
  return 1;
}

TiffFile::TiffFile(File file, const char* mode) : file_(std::move(file)) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, &messages_);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, &messages_);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_chunk_bytes);
  tiff_.reset(TIFFClientOpenExt("", mode, file_.get(), read_bytes, write_bytes, seek, keep_open, size,
                                nullptr, nullptr, options.get()));
}

bool TiffFile::close() {
  tiff_.reset();
  return std::fclose(file_.release()) == 0;
}

}  // namespace tessera::io::detail
