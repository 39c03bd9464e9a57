# Goes into the fake model, before its main program: it does the stories that it is asked to do, with the tools of
# Claude Code and Codex. It looks at the files, which are on this machine, to see what is left to do. A story with
# "promised" in its title is only said to be done in the first try; one with "shared" writes a line into that file.
story_now = threading.local()
story_newest, story_plan = newest_prompt, plan_for
STORY = re.compile(r"(?m)^# Story (\S+): (.*)$")
STORY_DIR = re.compile(r"(?m) in the git worktree (.*)\.$")
STORY_TASKS = re.compile(r"(?m)^Its tasks, in the file (.*):$")
STORY_MARKS = re.compile(r"(?m)^(<<<<<<< .*|=======|>>>>>>> .*)\n")


def newest_prompt(items, is_result):
    story_now.results = 0
    for item in reversed(items):
        if item.get("role") == "user" and list(texts(item.get("content", item.get("parts")))):
            break
        story_now.results += bool(is_result(item))
    return story_newest(items, is_result)


def story_text(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def story_edits(story, title, folder, tasks):
    """What is left to do, as (path, old text, new text)."""
    edits = []
    for task in re.findall(rf"(?m)^- \[ \] ({re.escape(story)}\.\d+ )", story_text(tasks)):
        edits.append((tasks, f"- [ ] {task}", f"- [x] {task}"))
    shared, line = os.path.join(folder, "shared"), f"story {story}\n"
    old = story_text(shared)
    new = STORY_MARKS.sub("", old)
    if "shared" in title.lower() and line not in new:
        new += line
    if old != new:
        edits.append((shared, old, new))
    made = os.path.join(folder, "made-" + story)
    if story_text(made) != line:
        edits.append((made, "", line))
    return edits


def plan_for(prompt, after_tool, offered):
    asked, folder, tasks = STORY.search(prompt), STORY_DIR.search(prompt), STORY_TASKS.search(prompt)
    if not (asked and folder and tasks):
        return story_plan(prompt, after_tool, offered)
    story, title, folder = asked[1], asked[2], folder[1]
    p = Plan(f"Story {story} is done, and all its tasks are ticked.\n\nLEARNED: story {story} was not hard")
    if "promised" in title and "# Why the last try was not accepted" not in prompt:
        return p
    edits = story_edits(story, title, folder, os.path.join(folder, tasks[1]))
    if not edits or story_now.results > 12:
        return p
    p.text = "I will change the files."
    if shell := next((name for name in ("shell_command", "exec_command", "exec") if name in offered), None):
        code = "".join(f"p={path!r}; t=open(p).read() if os.path.exists(p) else ''; "
                       f"open(p, 'w').write(t.replace({old!r}, {new!r}, 1) if {old!r} else {new!r}); "
                       for path, old, new in edits)
        command = "python3 - <<'END'\nimport os\n" + code + "\nEND"
        p.tool = (shell, script("exec_command", {"cmd": command}) if shell == "exec" else
                  {"cmd" if shell == "exec_command" else "command": command})
        return p
    path, old, new = edits[0]
    reads = [path for path in dict.fromkeys(path for path, old, _ in edits if old)]
    if story_now.results < len(reads):
        p.tool = ("Read", {"file_path": reads[story_now.results]})
    elif path.endswith(".md"):
        p.tool = ("Edit", {"file_path": path, "old_string": old, "new_string": new})
    else:
        p.tool = ("Write", {"file_path": path, "content": new})
    return p

