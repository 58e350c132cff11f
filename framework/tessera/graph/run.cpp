// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/run.hpp"

#include "tessera/graph/detail/execution.hpp"

namespace tessera::graph {

Run::Run(std::unique_ptr<detail::Execution> execution) : execution_(std::move(execution)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;

void Run::stop() { execution_->stop(); }
void Run::wait() { execution_->wait(); }
Report Run::report() const { return execution_->report(); }
bool Run::push_item(int flow, detail::Item* item) { return execution_->push(flow, item); }
void Run::close_input(int flow) { execution_->close(flow); }
detail::Item* Run::pop_item(int flow) { return execution_->pop(flow); }
void Run::drop_popped(detail::Item* item) { execution_->drop_popped(item); }

}  // namespace tessera::graph
