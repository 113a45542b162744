"""Runs the test suite of mpi4py as its own test/main.py does, and writes down how every test ended.

Usage: python mpi4py-record.py FOLDER-OF-TESTS RESULTS [OPTIONS OF main.py]

RESULTS.RANK gets one line per test, as it happens, so that a crash names the test that it struck:
`start NAME`, then one of `ok`, `skip`, `fail`, `expected-fail`, `unexpected-ok` and the name.
"""

import importlib
import sys
import unittest


class Recorder(unittest.TextTestResult):
    """A result that writes a line for every event."""

    file = None

    def _say(self, what, test):
        self.file.write(f"{what} {test.id()}\n")
        self.file.flush()

    def startTest(self, test):
        super().startTest(test)
        self._say("start", test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say("skip", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say("fail", test)

    def addError(self, test, err):
        super().addError(test, err)
        self._say("fail", test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._say("fail", test)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._say("expected-fail", test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._say("unexpected-ok", test)


class Runner(unittest.TextTestRunner):
    """The usual runner, which also records."""

    resultclass = Recorder

    def run(self, test):
        # Only now: the program decides how MPI is initialized.
        rank = importlib.import_module("mpi4py.MPI").COMM_WORLD.Get_rank()
        with open(f"{results}.{rank}", "w", encoding="utf-8") as file:
            Recorder.file = file
            return super().run(test)


tests, results = sys.argv[1:3]
sys.argv[1:3] = []
sys.dont_write_bytecode = True
sys.path.insert(0, tests)
importlib.import_module("main").main(module=None, testRunner=Runner)
