// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

// Videos that FFmpeg alone writes, as Tessera's writer never would.
namespace tessera::io_test {

/// A frame of one colour, all of whose bytes are 100.
struct PlainFrame {
  int width = 0;
  int height = 0;
  AVPixelFormat format = AV_PIX_FMT_GRAY8;
};

/// Returns the packet of a PNG image with the frame.
inline AVPacket* png_packet(const PlainFrame& plain) {
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  AVCodecContext* encoder = avcodec_alloc_context3(codec);
  encoder->width = plain.width;
  encoder->height = plain.height;
  encoder->pix_fmt = plain.format;
  encoder->time_base = {1, 25};
  EXPECT_EQ(avcodec_open2(encoder, codec, nullptr), 0);
  AVFrame* frame = av_frame_alloc();
  frame->width = plain.width;
  frame->height = plain.height;
  frame->format = plain.format;
  EXPECT_EQ(av_frame_get_buffer(frame, 0), 0);
  std::fill_n(frame->data[0], frame->linesize[0] * plain.height, std::uint8_t{100});
  AVPacket* packet = av_packet_alloc();
  EXPECT_EQ(avcodec_send_frame(encoder, frame), 0);
  EXPECT_EQ(avcodec_receive_packet(encoder, packet), 0);
  av_frame_free(&frame);
  avcodec_free_context(&encoder);
  return packet;
}

/// Writes a file whose frames are PNG images. `kind` is FFmpeg's name of the container. MP4 and MOV files
/// consist of fragments, one for each frame.
inline void write_png_video(const std::string& path, const std::vector<PlainFrame>& frames,
                            const char* kind = "matroska") {
  AVFormatContext* container = nullptr;
  ASSERT_EQ(avformat_alloc_output_context2(&container, nullptr, kind, nullptr), 0);
  AVStream* stream = avformat_new_stream(container, nullptr);
  stream->time_base = {1, 25};
  stream->avg_frame_rate = {25, 1};
  stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
  stream->codecpar->codec_id = AV_CODEC_ID_PNG;
  stream->codecpar->width = frames[0].width;
  stream->codecpar->height = frames[0].height;
  ASSERT_GE(avio_open(&container->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  AVDictionary* options = nullptr;
  av_dict_set(&options, "movflags", "frag_every_frame+empty_moov", 0);
  ASSERT_GE(avformat_write_header(container, &options), 0);
  av_dict_free(&options);
  std::int64_t number = 0;
  for (const PlainFrame& frame : frames) {
    AVPacket* packet = png_packet(frame);
    packet->pts = packet->dts = number++;
    packet->duration = 1;
    av_packet_rescale_ts(packet, {1, 25}, stream->time_base);
    packet->flags = AV_PKT_FLAG_KEY;
    EXPECT_EQ(av_write_frame(container, packet), 0);
    av_packet_free(&packet);
  }
  EXPECT_GE(av_write_trailer(container), 0);
  avio_closep(&container->pb);
  avformat_free_context(container);
}

/// Writes a file with one second of silence and no video.
inline void write_sound(const std::string& path) {
  AVFormatContext* container = nullptr;
  ASSERT_EQ(avformat_alloc_output_context2(&container, nullptr, "matroska", nullptr), 0);
  AVStream* stream = avformat_new_stream(container, nullptr);
  stream->codecpar->codec_type = AVMEDIA_TYPE_AUDIO;
  stream->codecpar->codec_id = AV_CODEC_ID_PCM_S16LE;
  stream->codecpar->sample_rate = 8000;
  stream->codecpar->bits_per_coded_sample = 16;
  av_channel_layout_default(&stream->codecpar->ch_layout, 1);
  ASSERT_GE(avio_open(&container->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(container, nullptr), 0);
  AVPacket* packet = av_packet_alloc();
  ASSERT_EQ(av_new_packet(packet, 16000), 0);
  std::fill_n(packet->data, 16000, std::uint8_t{0});
  packet->pts = packet->dts = 0;
  packet->duration = 1000;
  EXPECT_EQ(av_write_frame(container, packet), 0);
  av_packet_free(&packet);
  EXPECT_GE(av_write_trailer(container), 0);
  avio_closep(&container->pb);
  avformat_free_context(container);
}

inline bool has_h264_encoder() { return avcodec_find_encoder_by_name("libx264") != nullptr; }

}  // namespace tessera::io_test
