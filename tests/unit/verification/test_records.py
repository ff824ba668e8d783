"""A verification that was interrupted goes on with the jobs that are left, and with no others."""

from verification.check import Job
from verification.records import Records

SHORT, LONG = Job("a", {"n": 10, "sizes": (2, 3)}), Job("a", {"n": 1000, "sizes": (2, 3)})


def test_what_was_found_is_there_again(tmp_path):
    Records("code", tmp_path).add("ranks", SHORT, {"z": 1.5}, 2.0)
    records = Records("code", tmp_path)
    assert ("ranks", SHORT) in records
    assert records.of("ranks", [SHORT]) == {"a": {"z": 1.5}}
    assert records.seconds("ranks", [SHORT]) == 2.0


def test_it_does_not_stand_for_a_longer_job_another_check_or_other_code(tmp_path):
    Records("code", tmp_path).add("ranks", SHORT, {"z": 1.5}, 2.0)
    records = Records("code", tmp_path)
    assert ("ranks", LONG) not in records
    assert records.of("ranks", [LONG]) == {}
    assert ("kills", SHORT) not in records
    assert ("ranks", SHORT) not in Records("other", tmp_path)


def test_the_last_record_counts(tmp_path):
    records = Records("code", tmp_path)
    for z in (1.0, 2.0):
        records.add("ranks", LONG, {"z": z}, 1.0)
    assert Records("code", tmp_path).of("ranks", [LONG]) == {"a": {"z": 2.0}}
