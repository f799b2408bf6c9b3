"""The programs run where ``LEAFWARD_LIBRARIES`` names a Python that has the libraries: ``make test-libraries`` makes one."""
import os

collect_ignore = [] if os.environ.get("LEAFWARD_LIBRARIES") else ["test_programs.py"]
