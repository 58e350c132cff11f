// SPDX-License-Identifier: BSD-3-Clause
#include "stages/report.hpp"

namespace bench {

void print_header() {
  fmt::print("section,case,size,threads,ranks,unit,measured,reference,ratio,least,most,within,note\n");
}

void print(const tessera::app::Session& session, const Measurement& m) {
  const double ratio = m.measured / m.reference;
  const bool within = ratio >= m.goal.least && ratio <= m.goal.most;
  if (session.rank() != 0) return;
  fmt::print("{},{},{},{},{},{},{:.5g},{:.5g},{:.3f},{:g},{:g},{},{}\n", m.section, m.name, m.size,
             session.threads(), session.rank_count(), m.unit, m.measured, m.reference, ratio, m.goal.least,
             m.goal.most, within ? "yes" : "no", m.note);
  std::fflush(stdout);
}

}  // namespace bench
