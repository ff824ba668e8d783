"""One process at a time writes into a folder, and a killed one does not stand in the way."""

import os
import threading

import pytest

from tetiwd.errors import RunFolderError
from tetiwd.io.folder_lock import NAME, check_nobody_writes, writing_into


def test_a_second_one_is_told_who_is_there(tmp_path):
    with writing_into(tmp_path):
        says = f"process {os.getpid()} is writing into"
        with pytest.raises(RunFolderError, match=says):
            check_nobody_writes(tmp_path)
        with pytest.raises(RunFolderError, match=says), writing_into(tmp_path):
            pass
        assert (tmp_path / NAME).exists()
    assert not (tmp_path / NAME).exists()
    check_nobody_writes(tmp_path)


def test_a_number_left_behind_means_nothing(tmp_path):
    (tmp_path / NAME).write_text("1")
    check_nobody_writes(tmp_path)
    with writing_into(tmp_path):
        assert (tmp_path / NAME).read_text() == str(os.getpid())


def test_of_many_at_once_only_one_is_inside(tmp_path):
    inside, most, refused = [], [], []

    def work():
        try:
            with writing_into(tmp_path):
                inside.append(1)
                most.append(len(inside))
                inside.pop()
        except RunFolderError:
            refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1}
    assert len(most) + len(refused) == 20
