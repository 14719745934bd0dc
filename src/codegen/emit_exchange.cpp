// Stores of short elements by work-items that hold a few neighbours each, as a matrix unit leaves
// its results: four work-items next to each other have the 16 bytes of a row between them, four
// times, at places that lie apart. They exchange words, so that each stores the 16 bytes of one
// place: a quarter of the accesses, and whole sectors of memory. Other stores: emit_items.cpp.
#include "codegen/emitter.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kExchanged = 4;  // work-items, and words of each
constexpr int kWordBits = 32;

bool depends_on(const UOp& u, const UOp& on) {
  return std::ranges::any_of(toposort(u), [&](const Node* n) { return n == on.node(); });
}

}  // namespace

// The work-items of four whose words follow each other, and the unrolled axis along which a
// work-item has the words of four places that lie a row of theirs apart.
std::optional<Emitter::Exchange> Emitter::exchange_of(const Affine& flat, LeafSet set,
                                                      const Neighbours& row, DType dtype) const {
  const auto bytes = static_cast<int64_t>(dtype_size(dtype));
  if (row.leaf < 0 || shuffle_size_ < kExchanged || bytes != 2 || row.points != row.together ||
      row.together * bytes * 8 != kWordBits)
    return {};
  Exchange x;
  for (const Affine::Term& t : flat.terms) {
    const int id = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    if (id < 0) continue;
    const Leaf& leaf = k_.leaves[static_cast<size_t>(id)];
    const bool fastest = leaf.work_items + 1 == std::ssize(work_items_);
    if (leaf.kind == Kind::Local && fastest && leaf.extent == kExchanged && t.coef == row.together)
      x.work_items = id;
    if (((set & unroll_) >> id & 1) != 0 && leaf.extent % kExchanged == 0 &&
        t.coef == kExchanged * row.together)
      x.places = id;
  }
  const bool aligned = std::ranges::all_of(flat.terms, [&](const Affine::Term& t) {
    const int id = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    return id == x.work_items || id == row.leaf || t.coef % (kExchanged * row.together) == 0;
  });
  if (x.work_items < 0 || x.places < 0 || !aligned ||
      flat.constant % (kExchanged * row.together) != 0)
    return {};
  return x;
}

// Two 16-bit elements as a word, the first in the lower half.
UOp Emitter::word_of(const UOp& low, const UOp& high) {
  const auto wide = [&](const UOp& v) {
    const UOp bits = v.dtype() == DType::UInt16 ? v : scopes_.put(bitcast(v, DType::UInt16));
    return scopes_.put(cast(bits, DType::UInt32));
  };
  const UOp half = scopes_.put(constant(Scalar::of_int(kWordBits / 2, DType::UInt32)));
  return scopes_.put(Op::Or, {wide(low), scopes_.put(Op::Shl, {wide(high), half})});
}

// And back, of several.
UOp Emitter::elements_of(std::span<const UOp> words, DType dtype) {
  const UOp half = scopes_.put(constant(Scalar::of_int(kWordBits / 2, DType::UInt32)));
  std::vector<UOp> elements;
  for (const UOp& w : words) {
    for (const UOp& v : {w, scopes_.put(Op::Shr, {w, half})}) {
      const UOp bits = scopes_.put(cast(v, DType::UInt16));
      elements.push_back(dtype == DType::UInt16 ? bits : scopes_.put(bitcast(bits, dtype)));
    }
  }
  return scopes_.put(make(Op::Stack, elements));
}

// Words [place] of four work-items become [work-item] of the place that is a work-item's number:
// a matrix is transposed by exchanging its blocks, of one element and then of two.
void Emitter::exchange_words(std::span<UOp> words, const UOp& work_item) {
  const auto bit = [&](int64_t distance) {
    const UOp one = scopes_.put(index_const(1)), two = scopes_.put(index_const(2));
    const UOp digit = floor_of(work_item, distance);
    const UOp odd = distance * 2 < kExchanged ? scopes_.put(Op::Mod, {digit, two}) : digit;
    return scopes_.put(Op::CmpLt, {odd, one});
  };
  for (int64_t distance = 1; distance < kExchanged; distance *= 2) {
    const UOp keeps_low = bit(distance);
    for (int64_t i = 0; i < kExchanged; ++i) {
      if ((i & distance) != 0) continue;
      UOp &low = words[static_cast<size_t>(i)], &high = words[static_cast<size_t>(i + distance)];
      const UOp sent = scopes_.put(Op::Where, {keeps_low, high, low});
      const UOp received = scopes_.put(Op::SubgroupShuffle, {sent}, {{distance}});
      high = scopes_.put(Op::Where, {keeps_low, received, high});
      low = scopes_.put(Op::Where, {keeps_low, low, received});
    }
  }
}

// False where the elements, or those of the four work-items, are stored under different conditions;
// then nothing was done.
bool Emitter::put_exchanged(const UOp& s, const std::vector<UOp>& order, const Point& corner,
                            const Neighbours& row, const Exchange& x,
                            FunctionRef<UOp(const Point&)> gate_at) {
  const auto at = [&](int64_t place, int64_t i) {
    Point p = at_neighbour(corner, row, i);
    p[static_cast<size_t>(x.places)] = place;
    leaf_[static_cast<size_t>(x.places)].bounds = {place, place};
    return p;
  };
  const int64_t places = leaf_[static_cast<size_t>(x.places)].extent;
  const UOp work_item = leaf_[static_cast<size_t>(x.work_items)].value;
  const UOp gate = gate_at(at(0, 0));
  if (gate && depends_on(gate, work_item)) return false;
  for (int64_t place = 0; place < places; ++place) {
    for (int64_t i = 0; i < row.points; ++i) {
      if (gate_at(at(place, i)) != gate) return false;
    }
  }
  const UOp v = s.src(1 + s.src_node(0)->n_dim);
  Affine flat = form_of(s).flat;
  const UOp range = k_.leaves[static_cast<size_t>(x.work_items)].range;
  flat.add_term(range, (kExchanged - 1) * row.together);
  for (int64_t first = 0; first < places; first += kExchanged) {
    std::vector<UOp> words;
    for (int64_t place = first; place < first + kExchanged; ++place) {
      std::vector<UOp> pair;
      for (int64_t i = 0; i < row.points; ++i) {
        evaluate(order, at(place, i));
        pair.push_back(value(v));
      }
      words.push_back(word_of(pair[0], pair[1]));
    }
    exchange_words(words, work_item);
    std::vector<UOp> src = {scopes_.put(s.src(0)), emit_scalar_sum(flat, at(first, 0)),
                            elements_of(words, v.dtype())};
    if (gate) src.push_back(gate);
    put_store(s, std::move(src));
  }
  at(0, 0);
  return true;
}

}  // namespace tg
