"""What the model would have chosen of published studies' layouts."""

import pytest

from validation.choices import Layout, Study, chosen

SMALL = Layout("small", measured=100, predicted=102, a_month=10, run=1)
MIDDLE = Layout("middle", measured=150, predicted=90, a_month=15, run=2)
LARGE = Layout("large", measured=200, predicted=260, a_month=30, run=4)


def test_a_layout_predicted_too_low_is_passed_over_for_a_dearer_one() -> None:
    found = list(chosen([SMALL, MIDDLE, LARGE]))
    assert [choice.rate for choice in found] == [95, 142.5, 190]
    assert [choice.chosen for choice in found] == [SMALL, LARGE, LARGE]
    assert [choice.best for choice in found] == [SMALL, MIDDLE, LARGE]
    assert [choice.regret for choice in found] == [0, 15, 0]


def test_what_a_layout_lacks_counts_three_times() -> None:
    boasts = Layout("boasts", measured=95, predicted=300, a_month=5, run=1)
    choice = list(chosen([boasts, LARGE]))[-1]
    assert (choice.chosen, choice.best, choice.missing) == (boasts, LARGE, 0.5)
    # It costs less, which does not count, and lacks half.
    assert choice.regret == 3 * 0.5 * 30


def test_a_rate_that_the_model_gives_to_none_is_counted_apart() -> None:
    assert [choice.chosen for choice in chosen([MIDDLE])] == [None]
    cells = Study("study", "load", [[SMALL, MIDDLE, LARGE], [MIDDLE]]).row()
    assert cells[1:] == ["3", "4", "2", "1", "$5.00 of $18.33", "0.0 %", "$9.00", "$4.00"]


@pytest.mark.parametrize("of", [[SMALL], [SMALL, LARGE]])
def test_who_predicts_well_regrets_nothing(of: list[Layout]) -> None:
    assert sum(choice.regret for choice in chosen(of)) == 0
