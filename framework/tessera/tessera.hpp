// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// This header includes the public headers of the library Tessera::core. The library has arrays, pipelines,
// schedules and plans, everything that runs, explains and estimates plans, graphs of tasks, and groups of
// ranks. Programs that use decks and files also include "tessera/app/pipeline_application.hpp".

#include "tessera/cost/estimate.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/program.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/operators/image_metrics.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/body/weighted_taps.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/banded_run.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/for_each.hpp"
#include "tessera/view/halo_exchange.hpp"
#include "tessera/view/redistribution.hpp"
#include "tessera/view/reduce.hpp"
