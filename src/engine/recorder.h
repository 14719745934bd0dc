// What a thread runs while a call is being captured: every realised plan with its storage, every
// draw of random numbers, and prints of the numbers that are frozen into the graphs. Recording
// changes nothing about how graphs run. What becomes of a recording: capture.h.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/plan.h"
#include "runtime/buffer.h"

namespace tg {

/// A plan as it ran.
struct RecordedRun {
  std::shared_ptr<const Plan> plan;
  std::vector<Ref<Buffer>> storage;  ///< by buffer of the schedule; empty for temporaries
  Bindings bindings;
};

/// Storage that holds the state of one draw: it is filled again before each replay.
struct RecordedDraw {
  Ref<Buffer> state;
  int64_t numbers = 0;
};

/// A number made of variables that must not be negative, in any call: a slice that fits the values
/// of the recorded call may not fit those of another.
struct RecordedBound {
  UOp number;        ///< with the values of the recorded call
  std::string what;  ///< what goes wrong below 0
};

/// What a run, or a tensor made of host data, froze.
struct RecordedPrint {
  uint64_t structure = 0;
  std::vector<std::string> numbers;
  bool is_data = false;
};

/// While it lives, this thread's runs are recorded. Recorders do not nest.
class Recorder {
 public:
  /// `Watch` only takes the prints, to tell what differs from the next call.
  enum class Mode : uint8_t { Watch, Record };

  explicit Recorder(Mode mode);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The recorder of this thread, or null.
  static Recorder* current();

  Mode mode() const { return mode_; }
  void add_run(const CanonicalGraph& graph, std::shared_ptr<const Plan> plan,
               std::vector<Ref<Buffer>> storage);
  void add_draw(Ref<Buffer> state, int64_t numbers);
  /// A tensor made of numbers of the host: `what` is its text if it is one number, else its shape.
  void add_data(std::span<const std::byte> data, const std::string& what);

  void add_bound(RecordedBound bound) { bounds_.push_back(std::move(bound)); }

  const std::vector<RecordedBound>& bounds() const { return bounds_; }
  const std::vector<RecordedRun>& runs() const { return runs_; }
  const std::vector<RecordedDraw>& draws() const { return draws_; }

  std::vector<RecordedPrint>& prints() { return prints_; }
  /// What runs read or wrote besides temporaries, in both modes. Not kept alive: for comparison.
  const std::unordered_set<const Buffer*>& storage() const { return storage_; }

 private:
  Mode mode_;
  std::vector<RecordedRun> runs_;
  std::vector<RecordedDraw> draws_;
  std::vector<RecordedBound> bounds_;
  std::vector<RecordedPrint> prints_;
  std::unordered_set<const Buffer*> storage_;
};

/// The first number or host tensor by which two recordings of the same structure differ, as a
/// clause
/// ("0.1 became 0.2"); empty if there is none or if the structures differ.
std::string recorded_difference(std::span<const RecordedPrint> first,
                                std::span<const RecordedPrint> second);

}  // namespace tg
