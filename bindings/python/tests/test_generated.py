"""What generate.py writes from the manifest is what is committed."""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Generated(unittest.TestCase):
  def test_generated_files_are_those_of_the_manifest(self):
    run = subprocess.run([sys.executable, "bindings/python/generator/generate.py",
                          "bindings/manifest.json", "--check"], cwd=ROOT, capture_output=True, text=True)
    self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
  unittest.main()
