"""What a story suggests, read and applied as an editor would: to see whether it repairs the program."""
import re


def suggestions(story, file="train.py"):
    """The edits that a story suggests, each a list of ``(how, first line, last line, code)`` that belong together."""
    found, inside = [], False
    for line in story.splitlines():
        label = line[2:].split(" ", 1)[0]
        if label == "fix" and line.startswith("  fix"):
            inside, line = True, line[5:]
        elif label and not label.isspace():
            inside = False
        if not inside:
            continue
        together = line.strip().startswith("and ")
        parts = re.split(r"\s{3,}", line.strip().removeprefix("and ").strip())
        at = re.fullmatch(rf"(after|before|move|remove|replace) {re.escape(file)}:(\d+)(?:-(\d+))?(?: add| by)?", parts[0])
        below = re.search(rf"below {re.escape(file)}:(\d+)$", line)
        above = re.search(rf"above {re.escape(file)}:(\d+)$", line)
        into = re.search(rf"move {re.escape(file)}:(\d+)(?:-(\d+))? into the loop", line)
        if below and at and at[1] == "move":
            edit = ("move", int(at[2]), int(below[1]), int(at[3] or at[2]))
        elif above and at and at[1] == "move":
            edit = ("move up", int(at[2]), int(above[1]), int(at[3] or at[2]))
        elif into:
            edit = ("into the loop", int(into[1]), int(into[2] or into[1]), "")
        elif parts[0] == "or by" and found:
            edit = (*found[-1][0][:3], parts[1])
        elif at and len(parts) > 1:
            edit = (at[1], int(at[2]), int(at[3] or at[2]), parts[1])
        elif together and found:
            edit = (*found[-1][-1][:3], parts[0])
        else:
            continue
        if together:
            found[-1].append(edit)
        else:
            found.append([edit])
    return found


def applied(source, edits):
    """``source`` after ``edits``."""
    lines = {number: [line] for number, line in enumerate(source.splitlines(), 1)}
    after = {}
    for how, first, last, code in edits:
        indent = re.match(r"\s*", lines[first][-1])[0]
        if how == "replace":
            lines[first] = [indent + code]
            lines.update((number, []) for number in range(first + 1, last + 1))
        elif how == "before":
            lines[first].insert(len(lines[first]) - 1, indent + code)
        elif how == "after":
            after.setdefault(last, []).append(indent + code)
        elif how == "move":
            for number in range(first, code + 1):           # (its last line stands where others have their code)
                after.setdefault(last, []).append(lines[number][-1])
                lines[number] = []
        elif how == "move up":
            moved = [lines[number][-1] for number in range(first, code + 1)]
            lines.update((number, []) for number in range(first, code + 1))
            lines[last][-1:-1] = moved
        elif how == "remove":
            lines.update((number, []) for number in range(first, last + 1))
        elif how == "into the loop":
            moved = [lines[number][-1][len(indent):] for number in range(first, last + 1)]
            lines.update((number, []) for number in range(first, last + 1))
            loop = next(n for n, text in lines.items() if n > first and text and re.match(r"\s*(for|while)\b", text[0]))
            body = next(re.match(r"\s*", text[0])[0] for n, text in lines.items() if n > loop and text and text[0].strip())
            after.setdefault(loop, [])[:0] = [body + line for line in moved]
    return "\n".join(line for number, kept in lines.items() for line in (*kept, *after.get(number, ()))) + "\n"
