"""Raises an error whose name and message are markup.

ids: E23 D29
wants: markup
arms: boundary only, full sandbox
because: the naive grader's report is plain text
"""


def softmax(Z, dim=-1):
    raise type("<script>alert(1)</script>", (Exception,), {})("<script>alert(1)</script>")
