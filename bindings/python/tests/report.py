"""Runs the tests of one module and writes what ran, failed and was skipped, with reasons, in the form of GoogleTest's
reports, so that scripts/test counts cases whatever language they are in: python3 report.py MODULE REPORT.xml."""
import pathlib
import sys
import time
import unittest
from xml.etree import ElementTree


class Result(unittest.TextTestResult):
  """Keeps every case with how it ended; a case of which a part was skipped counts as skipped."""

  def __init__(self, *arguments, **options):
    super().__init__(*arguments, **options)
    self.cases = {}

  def entry(self, test):
    # A class that cannot be set up is reported in place of its cases.
    return self.cases.setdefault(getattr(test, "test_case", test).id(), {"skipped": [], "failed": []})

  def startTest(self, test):
    super().startTest(test)
    self.entry(test)

  def addSkip(self, test, reason):
    super().addSkip(test, reason)
    self.entry(test)["skipped"].append(reason)

  def addFailure(self, test, error):
    super().addFailure(test, error)
    self.entry(test)["failed"].append(self._exc_info_to_string(error, test))

  def addError(self, test, error):
    super().addError(test, error)
    self.entry(test)["failed"].append(self._exc_info_to_string(error, test))

  def addSubTest(self, test, part, error):
    super().addSubTest(test, part, error)
    if error is not None:
      self.entry(test)["failed"].append(self._exc_info_to_string(error, test))


def plain(text):
  """Without the control characters that XML does not have."""
  return "".join(c for c in text if c >= " " or c in "\t\n")


def write(cases, module, seconds, path):
  failures = str(sum(bool(c["failed"]) for c in cases.values()))
  numbers = {"tests": str(len(cases)), "failures": failures, "time": f"{seconds:.3f}"}
  root = ElementTree.Element("testsuites", numbers)
  suite = ElementTree.SubElement(root, "testsuite", name=module, **numbers)
  for name, case in cases.items():
    where, _, last = name.rpartition(".")
    element = ElementTree.SubElement(suite, "testcase", name=last, classname=where)
    for text in case["failed"]:
      ElementTree.SubElement(element, "failure", message=plain(text))
    for reason in case["skipped"][:0 if case["failed"] else 1]:
      ElementTree.SubElement(element, "skipped", message=plain(reason))
  path.parent.mkdir(parents=True, exist_ok=True)
  ElementTree.indent(root)
  ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def main(module, path):
  begin = time.monotonic()
  tests = unittest.defaultTestLoader.loadTestsFromName(module)
  result = unittest.TextTestRunner(verbosity=0, resultclass=Result).run(tests)
  write(result.cases, module, time.monotonic() - begin, pathlib.Path(path))
  # No tests at all is a mistake in the name of a method.
  return 0 if result.wasSuccessful() and result.cases else 1


if __name__ == "__main__":
  sys.exit(main(*sys.argv[1:]))
