"""Several questions at once: charged together or not at all, and answered from one look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hedgerow.answers.answer import Answer
from hedgerow.answers.questions import Asking, Question
from hedgerow.noise.measures import Loss

Asked = tuple[Question, Loss]


class Together(Asking[int]):
    """Collects questions; each is answered under the number it gets. Made by `Session.together`.

    Nothing is charged before `answers` is called, and what does not fit into the budget as a
    whole is refused as a whole.
    """

    def __init__(self, answer: Callable[[Sequence[Asked]], tuple[Answer, ...]]) -> None:
        self._answer = answer
        self._asked: list[Asked] = []

    def ask(self, question: Question, loss: Loss) -> int:
        """Note a question; its place among the answers."""
        self._asked.append((question, loss))
        return len(self._asked) - 1

    def answers(self) -> tuple[Answer, ...]:
        """Pay for all questions and answer them, in the order they were asked."""
        asked, self._asked = self._asked, []
        return self._answer(asked)
