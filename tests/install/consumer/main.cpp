// The smallest program that uses the installed library: it must compile, link and run with the
// package alone.
#include <tg/tg.h>

#include <iostream>

int main() {
  std::cout << "tinygrad " << tg::version() << "\n";
  return 0;
}
