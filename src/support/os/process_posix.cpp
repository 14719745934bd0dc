// Programs through posix_spawn: Linux and macOS. Standard input is a nameless file that holds the
// text, so that writing it can neither block nor raise SIGPIPE; only the two output pipes are
// watched.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "support/check.h"
#include "support/file.h"
#include "support/os/os.h"
#include "support/os/posix.h"
#include "support/subprocess.h"

namespace tg::os {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void start_failed(const std::string& program, int error) {
  user_error<DeviceError>("run_process", fmt::format("cannot start \"{}\": {}", program,
                                                     std::generic_category().message(error)));
}

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Pipe open_pipe(const std::string& program) {
  int ends[2] = {};
  if (!make_pipe(ends)) start_failed(program, errno);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// A file without a name that holds `text`, positioned at its start.
FileDescriptor input_file(const std::string& program, std::string_view text) {
  if (text.empty()) {
    FileDescriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null) start_failed(program, errno);
    return null;
  }
  FileDescriptor file(nameless_file());
  if (!file) start_failed(program, errno);
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file.get(), text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) start_failed(program, errno);
    done += static_cast<size_t>(written);
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0) start_failed(program, errno);
  return file;
}

// What posix_spawn shall do in the child: connect the streams, default signals, an own process
// group, so that a time-out also reaches the program's children.
class SpawnSetup {
 public:
  SpawnSetup(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  pid_t spawn(const std::string& path, const std::vector<std::string>& arguments) const {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, path.c_str(), &actions_, &attributes_, argv.data(), environment());
    if (error != 0) start_failed(path, error);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Appends what is there; returns false at the end of the stream.
bool drain(int fd, std::string& text) {
  std::array<char, 16384> buffer;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

// Collects both streams until their ends, or until the program has ended and nothing more comes: a
// server that it left behind may hold them open. False when the time is over first.
bool collect(pid_t pid, FileDescriptor& output, FileDescriptor& errors, Clock::time_point deadline,
             ProcessResult& result) {
  constexpr int64_t kLookAtProgram = 200;  // milliseconds
  while (output || errors) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    // A closed descriptor is -1, which poll ignores.
    std::array<pollfd, 2> watched = {pollfd{output.get(), POLLIN, 0},
                                     pollfd{errors.get(), POLLIN, 0}};
    const int ready =
        poll(watched.data(), watched.size(), static_cast<int>(std::min(left, kLookAtProgram)));
    if (ready == 0 && has_ended(pid)) return true;
    if (ready <= 0) continue;
    if (watched[0].revents != 0 && !drain(output.get(), result.output)) output.close();
    if (watched[1].revents != 0 && !drain(errors.get(), result.errors)) errors.close();
  }
  return true;
}

// Waits for the program's end, with steps that grow to 20 ms; false when the time is over first.
bool wait_until(pid_t pid, Clock::time_point deadline, int& status) {
  std::chrono::microseconds pause(50);
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    poll(nullptr, 0, static_cast<int>(pause.count() / 1000));
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

void kill_group(pid_t pid, int& status) {
  kill(-pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

// This process's environment with `variables` over it, as a program takes it.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> out;
  for (char** entry = environment(); *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool replaced = std::ranges::any_of(variables, [&](const auto& v) {
      return text.size() > v.first.size() && text.starts_with(v.first) &&
             text[v.first.size()] == '=';
    });
    if (!replaced) out.emplace_back(text);
  }
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

int run_attached(const std::string& path, const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> argv = arguments, environment = environment_with(variables);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, path.c_str(), nullptr, nullptr, pointers_to(argv).data(),
                                 pointers_to(environment).data());
  if (failed != 0) start_failed(path, failed);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;  // as shells count
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

std::span<const std::string_view> program_suffixes() {
  static constexpr std::array<std::string_view, 1> kSuffixes = {""};
  return kSuffixes;
}

bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string signal_name(int signal) { return strsignal(signal); }

ProcessResult run_program(const std::string& path, const std::vector<std::string>& arguments,
                          const ProcessOptions& how) {
  const FileDescriptor input = input_file(path, how.input);
  Pipe output = open_pipe(path);
  Pipe errors = open_pipe(path);
  const auto deadline = Clock::now() + how.timeout;
  const pid_t pid = SpawnSetup(input.get(), output.write_end.get(), errors.write_end.get())
                        .spawn(path, arguments);
  output.write_end.close();
  errors.write_end.close();

  ProcessResult result;
  int status = 0;
  try {
    result.timed_out = !collect(pid, output.read_end, errors.read_end, deadline, result) ||
                       !wait_until(pid, deadline, status);
  } catch (...) {  // no memory for the output
    kill_group(pid, status);
    throw;
  }
  if (result.timed_out) kill_group(pid, status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace tg::os
