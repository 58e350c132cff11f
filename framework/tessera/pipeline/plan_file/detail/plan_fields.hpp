// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>
#include <type_traits>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::detail {

/// A member of a structure, and the name of this member in JSON.
template <class Structure, class Value>
struct Field {
  const char* name;
  Value Structure::*member;
};
template <class Structure, class Value>
Field(const char*, Value Structure::*) -> Field<Structure, Value>;

/// The type of `fields_of` for a structure whose members are not listed below.
struct NoFields {};

/// The members of a structure that are stored in JSON. The list does not contain the children of nodes.
template <class Structure>
inline constexpr NoFields fields_of;

template <>
inline constexpr auto fields_of<plan::Sequence> = std::tuple{Field{"name", &plan::Sequence::name}};
template <>
inline constexpr auto fields_of<plan::Repeat> = std::tuple{
    Field{"loop", &plan::Repeat::loop},           Field{"maximum", &plan::Repeat::maximum},
    Field{"condition", &plan::Repeat::condition}, Field{"residuals", &plan::Repeat::residuals},
    Field{"turns", &plan::Repeat::turns},         Field{"rounds_of", &plan::Repeat::rounds_of},
    Field{"continues", &plan::Repeat::continues}, Field{"overlaps_test", &plan::Repeat::overlaps_test}};
template <>
inline constexpr auto fields_of<Band> =
    std::tuple{Field{"dimension", &Band::dimension}, Field{"count", &Band::count},
               Field{"index", &Band::index}, Field{"pass", &Band::pass}, Field{"unit", &Band::unit}};
template <>
inline constexpr auto fields_of<plan::Bands> = std::tuple{Field{"band", &plan::Bands::band}};
template <>
inline constexpr auto fields_of<plan::Read> =
    std::tuple{Field{"array", &plan::Read::array}, Field{"box", &plan::Read::box}};
template <>
inline constexpr auto fields_of<plan::Write> =
    std::tuple{Field{"array", &plan::Write::array}, Field{"box", &plan::Write::box}};
template <>
inline constexpr auto fields_of<Message> =
    std::tuple{Field{"partner", &Message::partner}, Field{"box", &Message::box},
               Field{"shift", &Message::shift}, Field{"in_place", &Message::in_place}};
template <>
inline constexpr auto fields_of<ExchangeLists> =
    std::tuple{Field{"sends", &ExchangeLists::sends}, Field{"receives", &ExchangeLists::receives},
               Field{"copies", &ExchangeLists::copies}};
template <>
inline constexpr auto fields_of<plan::ArrayMessages> =
    std::tuple{Field{"array", &plan::ArrayMessages::array}, Field{"lists", &plan::ArrayMessages::lists}};
template <>
inline constexpr auto fields_of<plan::Exchange> =
    std::tuple{Field{"arrays", &plan::Exchange::arrays}, Field{"overlapped", &plan::Exchange::overlapped}};
template <>
inline constexpr auto fields_of<plan::FinishExchange> =
    std::tuple{Field{"exchange", &plan::FinishExchange::exchange}};
template <>
inline constexpr auto fields_of<plan::FillBoundary> =
    std::tuple{Field{"array", &plan::FillBoundary::array}, Field{"box", &plan::FillBoundary::box}};
template <>
inline constexpr auto fields_of<plan::Scratch> =
    std::tuple{Field{"array", &plan::Scratch::array}, Field{"offset", &plan::Scratch::offset},
               Field{"rows", &plan::Scratch::rows}};
template <>
inline constexpr auto fields_of<plan::Contribution> =
    std::tuple{Field{"stage", &plan::Contribution::stage}, Field{"box", &plan::Contribution::box}};
template <>
inline constexpr auto fields_of<plan::Compute> =
    std::tuple{Field{"stage", &plan::Compute::stage},
               Field{"parts", &plan::Compute::parts},
               Field{"tile", &plan::Compute::tile},
               Field{"inner", &plan::Compute::inner},
               Field{"members", &plan::Compute::members},
               Field{"placements", &plan::Compute::placements},
               Field{"boxes", &plan::Compute::boxes},
               Field{"scratch", &plan::Compute::scratch},
               Field{"contributions", &plan::Compute::contributions},
               Field{"scratch_bytes", &plan::Compute::scratch_bytes},
               Field{"group", &plan::Compute::group},
               Field{"non_temporal", &plan::Compute::non_temporal}};
template <>
inline constexpr auto fields_of<plan::Reduce> = std::tuple{Field{"stage", &plan::Reduce::stage}};
template <>
inline constexpr auto fields_of<plan::Swap> =
    std::tuple{Field{"first", &plan::Swap::first}, Field{"second", &plan::Swap::second}};
template <>
inline constexpr auto fields_of<GridDigit> =
    std::tuple{Field{"dimension", &GridDigit::dimension}, Field{"size", &GridDigit::size}};
template <>
inline constexpr auto fields_of<ArrayRegions> =
    std::tuple{Field{"placement", &ArrayRegions::placement},
               Field{"grid", &ArrayRegions::grid},
               Field{"slicing", &ArrayRegions::slicing},
               Field{"domain", &ArrayRegions::domain},
               Field{"nominal", &ArrayRegions::nominal},
               Field{"owned", &ArrayRegions::owned},
               Field{"required", &ArrayRegions::required},
               Field{"required_within_domain", &ArrayRegions::required_within_domain},
               Field{"computed", &ArrayRegions::computed},
               Field{"written_buffer", &ArrayRegions::written_buffer},
               Field{"read_buffer", &ArrayRegions::read_buffer},
               Field{"computed_points", &ArrayRegions::computed_points},
               Field{"redundant_points", &ArrayRegions::redundant_points}};
template <>
inline constexpr auto fields_of<Buffer> =
    std::tuple{Field{"array", &Buffer::array},         Field{"box", &Buffer::box},
               Field{"aligned_x", &Buffer::aligned_x}, Field{"offset", &Buffer::offset},
               Field{"bytes", &Buffer::bytes},         Field{"first_node", &Buffer::first_node},
               Field{"last_node", &Buffer::last_node}};
template <>
inline constexpr auto fields_of<Target> = std::tuple{Field{"threads", &Target::threads},
                                                     Field{"device", &Target::device},
                                                     Field{"levels", &Target::levels},
                                                     Field{"memory_bytes", &Target::memory_bytes},
                                                     Field{"team_scratch_bytes", &Target::team_scratch_bytes},
                                                     Field{"stages_messages", &Target::stages_messages},
                                                     Field{"cache_bytes", &Target::cache_bytes}};
template <>
inline constexpr auto fields_of<Plan> = std::tuple{Field{"rank", &Plan::rank},
                                                   Field{"rank_count", &Plan::rank_count},
                                                   Field{"target", &Plan::target},
                                                   Field{"array_bytes", &Plan::array_bytes},
                                                   Field{"message_bytes", &Plan::message_bytes},
                                                   Field{"scratch_bytes", &Plan::scratch_bytes},
                                                   Field{"partial_bytes", &Plan::partial_bytes},
                                                   Field{"library_bytes", &Plan::library_bytes},
                                                   Field{"stages", &Plan::stages},
                                                   Field{"buffers", &Plan::buffers},
                                                   Field{"root", &Plan::root}};

/// A structure whose members are listed in `fields_of`. Writing a kind of plan node that is not listed does
/// not compile.
template <class Structure>
concept HasFields = !std::is_same_v<decltype(fields_of<Structure>), const NoFields>;

/// Calls use(field) for each field of a structure.
template <HasFields Structure, class Use>
void for_each_field(const Use& use) {
  std::apply([&](const auto&... field) { (use(field), ...); }, fields_of<Structure>);
}

/// The names of the values of Slicing in JSON. The names of placements are returned by the function name_of.
inline constexpr const char* slicing_names[] = {"ceil", "balanced"};

/// The text that marks a JSON file as a file of plans.
inline constexpr const char* plan_format = "tessera plan";
/// The version of the format. Each change that could make tools misread a file raises it.
inline constexpr int plan_version = 10;

}  // namespace tessera::detail
