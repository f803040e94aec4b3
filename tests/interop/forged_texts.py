"""Forged checkpoints and PGNs that differ from the true ones in one meaning."""

import re

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def other_notes(note, dice):
    origin, size, root, *rest = note.split("\n")
    yield "another origin", "\n".join([origin + "x", size, root, *rest])
    yield "another size", "\n".join([origin, str(int(size) + 1), root, *rest])
    yield "another root", "\n".join([origin, size, flipped(root, dice), *rest])
    yield "an extension line", "\n".join([origin, size, root, "more", *rest])
    head, _, signature = note.rpartition(" ")
    yield "another signature", f"{head} {flipped(signature, dice)}"
    yield "another key id", f"{head} {'B' if signature[0] != 'B' else 'C'}{signature[1:]}"
    yield "stray bits in the signature", f"{head} {stray(signature)}"
    yield "without signature", note.rpartition("—")[0]
    yield "without its last line feed", note[:-1]


def flipped(text, dice):
    """Base64 with another character somewhere in it, past a key id and before what may be padding."""
    place = dice.randrange(8, len(text) - 5)
    return text[:place] + dice.choice(BASE64.replace(text[place], "")) + text[place + 1 :]


def stray(signature):
    """The same bytes in another spelling: the last character before the padding has two unused bits."""
    body = signature.rstrip("=\n")
    return body[:-1] + BASE64[BASE64.index(body[-1]) + 1] + signature[len(body) :]


def other_pgns(text):
    tokens = text.split()
    for token in {"1-0", "0-1", "1/2-1/2", "*"} - {tokens[-1]}:
        yield f"ends with {token}", text.rstrip()[: -len(tokens[-1])] + token + "\n"
    for name, value in re.findall(r'\[(White|Black|Result|Date|GameId|Termination|UTCTime) "([^"]*)"\]', text):
        last = "q" if value[-1] != "q" else "w"
        other = ("0-1" if value != "0-1" else "1-0") if name == "Result" else value[:-1] + last
        yield f"another {name}", text.replace(f'[{name} "{value}"]', f'[{name} "{other}"]')
    head, _, moves = text.partition("\n\n")
    yield "a comment among the tags", f"{head}\n; ada cheated\n\n{moves}"
    if "1." in moves:
        first = moves.split()[1]
        yield "another first move", f"{head}\n\n{moves.replace(first, 'Na3' if first != 'Na3' else 'Nh3', 1)}"
        for words, added in (("a comment", " {ada cheated}"), ("a judgement", "??")):
            yield words, f"{head}\n\n{moves.replace(first, first + added, 1)}"
        if len(first) == 2:
            yield "a longer first move", f"{head}\n\n{moves.replace(first, f'{first[0]}2{first}', 1)}"
        yield "without the last move", f"{head}\n\n{' '.join([*moves.split()[:-2], tokens[-1]])}\n"
