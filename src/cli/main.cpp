// The program tg: hands its arguments and standard streams to the command line in cli.h.
#include <iostream>

#include "cli/cli.h"

int main(int argc, char** argv) {
  return tg::cli::run(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
