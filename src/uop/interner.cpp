// The sharded weak table behind hash-consing. A shard's lock covers its buckets only; type rules
// run outside it. A node whose count has reached zero is dead for good: lookups skip it (a count is
// only ever raised from a non-zero value), so the thread that dropped it to zero may unlink and
// free it without a second check.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>

#include "support/check.h"
#include "support/symbol.h"
#include "tg/ir/node.h"

namespace tg {
namespace {

constexpr size_t kShards = 64;

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 12) + (h >> 4);
  h *= 0xff51afd7ed558ccdull;
  return h ^ (h >> 32);
}

uint64_t structural_hash(const NodeSpec& s, const OpRecord& r) {
  uint64_t h = mix(0x7467u, static_cast<uint64_t>(s.op));
  if (r.groups & kStatesType) h = mix(h, static_cast<uint64_t>(s.dtype));
  if (s.device != 0) h = mix(h, symbol_hash(s.device));
  h = mix(h, s.arg.size());
  for (size_t i = 0; i < s.arg.size(); ++i) {
    bool name = r.arg == ArgKind::Symbol && i == 0;
    h = mix(h, name ? symbol_hash(s.arg[i]) : static_cast<uint64_t>(s.arg[i]));
  }
  for (const Node* n : s.src) h = mix(h, n->hash);
  return h;
}

struct Shard {
  std::mutex lock;
  std::vector<Node*> buckets = std::vector<Node*>(256, nullptr);
  size_t count = 0;

  Node** bucket(uint64_t hash) { return &buckets[(hash >> 6) & (buckets.size() - 1)]; }

  void grow() {
    std::vector<Node*> old(buckets.size() * 2, nullptr);
    old.swap(buckets);
    for (Node* n : old) {
      while (n != nullptr) {
        Node* next = n->bucket_next;
        Node** b = bucket(n->hash);
        n->bucket_next = *b;
        *b = n;
        n = next;
      }
    }
  }
};

struct Table {
  std::array<Shard, kShards> shards;
  std::atomic<int64_t> live_nodes{0};
  std::atomic<int64_t> live_bytes{0};
  Shard& shard(uint64_t hash) { return shards[hash & (kShards - 1)]; }
};

Table& table() {
  static auto* t = new Table;  // never destroyed: nodes held by static objects die after it would
  return *t;
}

bool matches(const Node& n, const NodeSpec& s, uint64_t hash, bool states_type) {
  return n.hash == hash && n.op == s.op && n.n_src == s.src.size() && n.n_arg == s.arg.size() &&
         (!states_type || n.dtype == s.dtype) &&
         (n.device == s.device || (s.device == 0 && n.n_src != 0)) &&
         std::ranges::equal(n.src(), s.src) && std::ranges::equal(n.arg(), s.arg);
}

Node* find_locked(Shard& shard, const NodeSpec& s, uint64_t hash, bool states_type) {
  for (Node* n = *shard.bucket(hash); n != nullptr; n = n->bucket_next) {
    if (matches(*n, s, hash, states_type) && try_retain(n)) return n;
  }
  return nullptr;
}

size_t node_bytes(size_t src, size_t limits, size_t arg, size_t dim) {
  return sizeof(Node) + 8 * (src + limits + arg + dim);
}

Node* create(const NodeSpec& s, uint64_t hash, const DerivedType& d) {
  if (std::ranges::all_of(*d.limits, [](const Node* l) { return l == nullptr; })) d.limits->clear();
  TG_CHECK(d.limits->empty() || d.limits->size() == d.shape->size(), "{} limits for {} axes",
           d.limits->size(), d.shape->size());
  const size_t bytes = node_bytes(s.src.size(), d.limits->size(), s.arg.size(), d.shape->size());
  TG_CHECK(s.arg.size() < 0xffff && d.shape->size() < 0xff, "{} arguments, {} axes", s.arg.size(),
           d.shape->size());
  Node* n = static_cast<Node*>(::operator new(bytes));
  new (&n->refs) std::atomic<uint32_t>(1);
  n->op = s.op;
  n->dtype = d.dtype;
  n->space = d.space;
  new (&n->noted) std::atomic<bool>(false);
  n->hash = hash;
  n->n_src = static_cast<uint32_t>(s.src.size());
  n->n_arg = static_cast<uint16_t>(s.arg.size());
  n->n_dim = static_cast<uint8_t>(d.shape->size());
  n->owns_resource = s.resource != nullptr;
  n->lanes = d.lanes;
  n->device = d.device;
  n->n_limit = static_cast<uint32_t>(d.limits->size());
  n->bucket_next = nullptr;
  n->resource = s.resource;
  if (s.resource != nullptr) s.resource->retain();
  auto* tail = reinterpret_cast<char*>(n + 1);
  auto append = [&tail](const void* data, size_t size) {
    if (size != 0) std::memcpy(tail, data, size);
    tail += size;
  };
  append(s.src.data(), s.src.size_bytes());
  append(d.limits->data(), d.limits->size() * sizeof(Node*));
  append(s.arg.data(), s.arg.size_bytes());
  append(d.shape->data(), d.shape->size() * sizeof(Dim));
  for (Node* child : s.src) retain(child);
  for (Node* l : *d.limits) {
    if (l != nullptr) retain(l);
  }
  table().live_nodes.fetch_add(1, std::memory_order_relaxed);
  table().live_bytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return n;
}

// Unlinks and frees one dead node; its sources are appended to `orphans` for the caller to drop.
void destroy(Node* n, std::vector<Node*>& orphans) {
  set_note(n, {});
  Shard& shard = table().shard(n->hash);
  {
    std::lock_guard guard(shard.lock);
    Node** link = shard.bucket(n->hash);
    while (*link != nullptr && *link != n) link = &(*link)->bucket_next;
    if (*link == n) {
      *link = n->bucket_next;
      --shard.count;
    }
  }
  orphans.insert(orphans.end(), n->src().begin(), n->src().end());
  for (Node* l : n->limits()) {
    if (l != nullptr) orphans.push_back(l);
  }
  const size_t bytes = node_bytes(n->n_src, n->n_limit, n->n_arg, n->n_dim);
  table().live_nodes.fetch_sub(1, std::memory_order_relaxed);
  table().live_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  if (n->owns_resource) n->resource->release();
  ::operator delete(n);
}

}  // namespace

bool try_retain(Node* n) {
  uint32_t c = n->refs.load(std::memory_order_relaxed);
  while (c != 0) {
    if (n->refs.compare_exchange_weak(c, c + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

Node* intern(const NodeSpec& spec) {
  const OpRecord& r = record(spec.op);
  const bool states_type = (r.groups & kStatesType) != 0;
  const uint64_t hash = structural_hash(spec, r);
  Shard& shard = table().shard(hash);
  {
    std::lock_guard guard(shard.lock);
    if (Node* n = find_locked(shard, spec, hash, states_type)) return n;
  }
  TG_CHECK(r.arity < 0 || static_cast<size_t>(r.arity) == spec.src.size(),
           "{} takes {} sources, got {}", r.name, r.arity, spec.src.size());
  std::vector<Dim> shape;
  std::vector<Node*> limits;
  DerivedType derived{
      .dtype = spec.dtype, .device = spec.device, .shape = &shape, .limits = &limits};
  r.type(spec, derived);
  Node* fresh = create(spec, hash, derived);
  Node* present = nullptr;
  {
    std::lock_guard guard(shard.lock);
    present = find_locked(shard, spec, hash, states_type);
    if (present == nullptr) {
      if (shard.count >= shard.buckets.size()) shard.grow();
      Node** b = shard.bucket(hash);
      fresh->bucket_next = *b;
      *b = fresh;
      ++shard.count;
    }
  }
  if (present == nullptr) return fresh;
  release(fresh);  // another thread made the same node in between; ours was never in the table
  return present;
}

void release(Node* n) {
  if (n->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  std::vector<Node*> work;
  destroy(n, work);
  while (!work.empty()) {
    Node* next = work.back();
    work.pop_back();
    if (next->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(next, work);
  }
}

InternerStats interner_stats() {
  return {table().live_nodes.load(std::memory_order_relaxed),
          table().live_bytes.load(std::memory_order_relaxed)};
}

}  // namespace tg
