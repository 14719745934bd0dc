// The passes of a program's own among the compiler's: names, and what is forgotten when they
// change. See tg/ir/pass.h; how they are run: rewrite/added_passes.h.
#include "tg/ir/pass.h"

#include "codegen/pipeline.h"
#include "engine/plan.h"
#include "rewrite/added_passes.h"
#include "schedule/graph_passes.h"
#include "support/check.h"
#include "support/options.h"

namespace tg {
namespace {

// Every pass of the compiler's own, those left out under NOOPT, too.
struct OwnPass {
  std::string_view name, purpose;
  bool optional;
};

std::vector<OwnPass> own_passes(PassPoint at) {
  std::vector<OwnPass> out;
  if (at == PassPoint::Graph) {
    for (const GraphPass& p : graph_passes()) out.push_back({p.name, p.purpose, false});
  } else {
    for (const KernelPass& p : kernel_passes()) out.push_back({p.name, p.purpose, p.optional});
  }
  return out;
}

std::vector<std::string_view> names_of(const std::vector<OwnPass>& passes) {
  std::vector<std::string_view> out;
  for (const OwnPass& p : passes) out.push_back(p.name);
  return out;
}

void check_place(PassPoint at, std::string_view after, std::vector<std::string_view> names) {
  if (after.empty()) return;
  const auto list = listed_passes();
  for (const ListedPass& p : *list) {
    if (p.at == at) names.push_back(p.pass.name);
  }
  if (std::ranges::find(names, after) != names.end()) return;
  user_error<ArgumentError>("add_pass", fmt::format("there is no pass \"{}\" to run after", after),
                            fmt::format("Hint: there are {}.", fmt::join(names, ", ")));
}

void append_added(const std::vector<ListedPass>& list, PassPoint at, std::string_view after,
                  std::vector<PassInfo>& out) {
  for (const ListedPass& p : list) {
    if (p.at != at || p.after != after) continue;
    out.push_back({p.pass.name, p.pass.purpose, true});
    append_added(list, at, p.pass.name, out);
  }
}

}  // namespace

AddedPass add_pass(PassPoint at, Pass pass, std::string_view after) {
  if (pass.name.empty()) user_error<ArgumentError>("add_pass", "a pass needs a name");
  if (!pass.run)
    user_error<ArgumentError>("add_pass", fmt::format("\"{}\" has no function", pass.name));
  const std::vector<std::string_view> names = names_of(own_passes(at));
  check_place(at, after, names);
  AddedPass added(list_pass(at, std::move(pass), std::string(after), names));
  clear_caches();
  return added;
}

void AddedPass::remove() noexcept {
  const uint64_t id = std::exchange(id_, 0);
  if (id == 0) return;
  unlist_pass(id);
  clear_caches();
}

std::vector<PassInfo> compiler_passes(PassPoint at) {
  const auto list = listed_passes();
  std::vector<PassInfo> out;
  append_added(*list, at, {}, out);
  for (const OwnPass& p : own_passes(at)) {
    if (!p.optional || !options().noopt)
      out.push_back({std::string(p.name), std::string(p.purpose), false});
    append_added(*list, at, p.name, out);
  }
  return out;
}

}  // namespace tg
