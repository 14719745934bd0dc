// Programs through CreateProcess: Windows. Standard input is a temporary file that holds the text;
// a thread reads each of the two output pipes; a job object holds the program and its children, so
// that a time-out reaches all of them.
#include <fmt/format.h>

#include <array>
#include <thread>

#include "support/check.h"
#include "support/file.h"
#include "support/os/os.h"
#include "support/os/win32.h"
#include "support/subprocess.h"

namespace tg::os {
namespace {

[[noreturn]] void start_failed(const std::string& program) {
  const std::string reason = reason_of_windows(GetLastError());
  user_error<DeviceError>("run_process", fmt::format("cannot start \"{}\": {}", program, reason));
}

// As the C runtime of the program takes it apart again: backslashes count before quotes only.
std::string quoted(const std::string& argument) {
  std::string out = "\"";
  size_t slashes = 0;
  for (const char c : argument) {
    if (c == '"') out.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    out += c;
  }
  return out.append(slashes, '\\') + "\"";
}

std::wstring command_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& a : arguments) line += (line.empty() ? "" : " ") + quoted(a);
  return wide(line);
}

// Handles that the program gets; all others stay with this process.
SECURITY_ATTRIBUTES inherited() { return {sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE}; }

struct Pipe {
  explicit Pipe(const std::string& program) {
    SECURITY_ATTRIBUTES attributes = inherited();
    if (CreatePipe(read_end.place(), write_end.place(), &attributes, 0) == 0 ||
        SetHandleInformation(read_end.get(), HANDLE_FLAG_INHERIT, 0) == 0)
      start_failed(program);
  }
  Handle read_end, write_end;
};

// Until all who hold the other end have closed it.
void drain(HANDLE pipe, std::string& text) {
  std::array<char, 16384> buffer;
  DWORD got = 0;
  while (ReadFile(pipe, buffer.data(), static_cast<DWORD>(buffer.size()), &got, nullptr) != 0)
    text.append(buffer.data(), got);
}

// The program, suspended, in a job that ends with its last handle. Only the three streams are
// inherited, so that programs that start at once do not hold each other's pipes open.
class Program {
 public:
  Program(const std::string& path, const std::vector<std::string>& arguments, HANDLE input,
          HANDLE output, HANDLE errors)
      : job_(CreateJobObjectW(nullptr, nullptr)) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    std::array<HANDLE, 3> streams = {input, output, errors};
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    std::vector<char> memory(size);
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = input;
    startup.StartupInfo.hStdOutput = output;
    startup.StartupInfo.hStdError = errors;
    startup.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.data());
    if (InitializeProcThreadAttributeList(startup.lpAttributeList, 1, 0, &size) == 0)
      start_failed(path);
    UpdateProcThreadAttribute(startup.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                              streams.data(), sizeof streams, nullptr, nullptr);
    std::wstring line = command_line(arguments);
    PROCESS_INFORMATION made{};
    const DWORD how = CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT;
    const bool started = CreateProcessW(wide(path).c_str(), line.data(), nullptr, nullptr, TRUE,
                                        how, nullptr, nullptr, &startup.StartupInfo, &made) != 0;
    const DWORD error = GetLastError();
    DeleteProcThreadAttributeList(startup.lpAttributeList);
    SetLastError(error);
    if (!started) start_failed(path);
    *process_.place() = made.hProcess;
    const Handle thread(made.hThread);
    AssignProcessToJobObject(job_.get(), process_.get());
    ResumeThread(thread.get());
  }

  bool wait(std::chrono::milliseconds timeout) const {
    const auto most = static_cast<int64_t>(INFINITE) - 1;
    const auto time = static_cast<DWORD>(std::clamp<int64_t>(timeout.count(), 0, most));
    return WaitForSingleObject(process_.get(), time) == WAIT_OBJECT_0;
  }
  void kill() const {
    TerminateJobObject(job_.get(), 1);
    TerminateProcess(process_.get(), 1);
  }
  int exit_code() const {
    DWORD code = 0;
    return GetExitCodeProcess(process_.get(), &code) != 0 ? static_cast<int>(code) : -1;
  }

 private:
  Handle job_, process_;
};

}  // namespace

ProcessResult run_program(const std::string& path, const std::vector<std::string>& arguments,
                          const ProcessOptions& how) {
  const TempDir folder("tg-input");
  const std::filesystem::path input_path = folder.path() / "input";
  write_file(input_path, how.input);
  SECURITY_ATTRIBUTES attributes = inherited();
  Handle input(CreateFileW(input_path.c_str(), GENERIC_READ, FILE_SHARE_READ, &attributes,
                           OPEN_EXISTING, 0, nullptr));
  if (!input) start_failed(path);
  Pipe output(path), errors(path);
  const Program program(path, arguments, input.get(), output.write_end.get(),
                        errors.write_end.get());
  input.close();
  output.write_end.close();
  errors.write_end.close();

  ProcessResult result;
  std::thread of_output([&] { drain(output.read_end.get(), result.output); });
  std::thread of_errors([&] { drain(errors.read_end.get(), result.errors); });
  result.timed_out = !program.wait(how.timeout);
  if (!result.timed_out) result.exit_code = program.exit_code();
  // A server that the program left behind may hold the pipes open, so it goes, too.
  program.kill();
  of_output.join();
  of_errors.join();
  return result;
}

int run_attached(const std::string& path, const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& variables) {
  for (const auto& [name, value] : variables)
    SetEnvironmentVariableW(wide(name).c_str(), wide(value).c_str());
  STARTUPINFOW start{};
  start.cb = sizeof(start);
  PROCESS_INFORMATION made{};
  std::wstring line = command_line(arguments);
  if (CreateProcessW(wide(path).c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr,
                     &start, &made) == 0)
    start_failed(path);
  WaitForSingleObject(made.hProcess, INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(made.hProcess, &code);
  CloseHandle(made.hThread);
  CloseHandle(made.hProcess);
  return static_cast<int>(code);
}

std::span<const std::string_view> program_suffixes() {
  static constexpr std::array<std::string_view, 2> kSuffixes = {"", ".exe"};
  return kSuffixes;
}

bool is_program(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(wide(path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

// Programs that crash end with an exit code there.
std::string signal_name(int signal) { return fmt::format("signal {}", signal); }

}  // namespace tg::os
