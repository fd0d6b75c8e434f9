"""Documents that try to inject markup or scripts; a script that ran would set `window.harmed`."""

from __future__ import annotations

_HARM = "window.harmed = true; alert(1)"

PAYLOADS = {
    "script": f"<script>{_HARM}</script>",
    "end of script": f"</script><script>{_HARM}</script>",
    "end of style": f"</style><script>{_HARM}</script>",
    "end of title": f"</title><script>{_HARM}</script>",
    "image": f"<img src=x onerror='{_HARM}'>",
    "svg": f"<svg onload='{_HARM}'>",
    "quotes": f"\" onmouseover=\"{_HARM}\" x=\"' onfocus='{_HARM}' autofocus tabindex=1 '",
    "address": f"[a](javascript:{_HARM}) <javascript:{_HARM}>",
    "template": "{{ 7*7 }} {% for x in y %} {# c #} ${7*7}",
    "comment": "<!-- --!> <!--<script>",
    "entities": "&lt;script&gt; &#60;b&#62; &amp;amp; &nbsp; &notit;",
    "cdata": "<![CDATA[ ]]> <?php ?> <!doctype x>",
    "end of the source": "</div></main></body></html>",
    "base": "<base href='https://harm.example/'><meta http-equiv=refresh content=0>",
    "separators": "a\u2028b\u2029c",
    "controls": "\x00 \x08 \x1b[31m \x7f \ud800 \udfff \ufeff",
    "json": '"}]}; \\u003c \\" \\',
}


def document(payload: str) -> str:
    """Return a document with a payload in every place for text."""
    return (
        f"---\ntitle: >-\n  {payload}\nother: 1\n---\n\n{payload}\n\n"
        f"# {payload}\n\nText {payload}.\n\n"
        f"## A {payload}\n\n```{payload.replace('`', '')}\n{payload}\n```\n\n"
        f"| a | {payload} |\n|---|---|\n| {payload} | b |\n\n"
        f"- {payload}\n  - {payload}\n\n    {payload}\n\n"
        f"### {payload}\n\n> {payload}\n\n[r]: {payload}\n"
    )


DOCUMENTS = {name: document(payload) for name, payload in PAYLOADS.items()}
ALL = "\n\n".join(DOCUMENTS.values())
