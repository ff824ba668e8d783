"""A verification that was interrupted goes on with the jobs that are left, and with no others."""

import grimp
from verification.check import Job
from verification.records import Records
from verification.states import OUTER, what_it_does

SHORT, LONG = Job("a", {"n": 10, "sizes": (2, 3)}), Job("a", {"n": 1000, "sizes": (2, 3)})
CODE = {"ranks": "code", "kills": "code"}


def test_what_was_found_is_there_again(tmp_path):
    Records(CODE, tmp_path).add("ranks", SHORT, {"z": 1.5}, 2.0)
    records = Records(CODE, tmp_path)
    assert ("ranks", SHORT) in records
    assert records.of("ranks", [SHORT]) == {"a": {"z": 1.5}}
    assert records.seconds("ranks", [SHORT]) == 2.0


def test_it_does_not_stand_for_a_longer_job_another_check_or_other_code(tmp_path):
    Records(CODE, tmp_path).add("ranks", SHORT, {"z": 1.5}, 2.0)
    records = Records(CODE, tmp_path)
    assert ("ranks", LONG) not in records
    assert records.of("ranks", [LONG]) == {}
    assert ("kills", SHORT) not in records
    assert ("ranks", SHORT) not in Records({"ranks": "other"}, tmp_path)


def test_the_last_record_counts(tmp_path):
    records = Records(CODE, tmp_path)
    for z in (1.0, 2.0):
        records.add("ranks", LONG, {"z": z}, 1.0)
    assert Records(CODE, tmp_path).of("ranks", [LONG]) == {"a": {"z": 2.0}}


def test_checks_of_other_states_are_kept_apart(tmp_path):
    Records({"ranks": "inner", "kills": "old"}, tmp_path).add("ranks", SHORT, {"z": 1.5}, 2.0)
    assert ("ranks", SHORT) in Records({"ranks": "inner", "kills": "new"}, tmp_path)
    assert ("ranks", SHORT) not in Records({"ranks": "new", "kills": "inner"}, tmp_path)


def test_what_checks_of_the_sampler_depend_on_never_imports_the_rest():
    graph = grimp.build_graph("tetiwd", cache_dir=None)
    outer = {module for module in graph.modules if module.split(".")[1:2] and module.split(".")[1] in OUTER}
    assert {module.split(".")[1] for module in outer} == set(OUTER)
    crossing = {
        (module, imported)
        for module in graph.modules - outer - {"tetiwd"}
        for imported in graph.find_modules_directly_imported_by(module)
        if imported in outer
    }
    assert not crossing


def test_comments_and_docstrings_do_nothing():
    plain = 'def f(x):\n    return "text"\n\n\nclass A:\n    b = 1\n'
    told = '"""A."""\ndef f(x):  # c\n    """F."""\n    return "text"\n\n\nclass A:\n    """A."""\n    b = 1\n'
    other = plain.replace("text", "other text")
    assert what_it_does(plain, ".py") == what_it_does(told, ".py") != what_it_does(other, ".py")
    assert what_it_does("x  # y", ".pxd") != what_it_does("x", ".pxd")
