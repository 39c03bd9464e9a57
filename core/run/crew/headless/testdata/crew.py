# What the mock model of the harness says to members of crews: see agents_test.go. It goes before the end of mock.py.
PLAIN_PLAN, PLAIN_BODY = plan_for, Handler.body
HERE = os.path.dirname(os.path.abspath(__file__))
asked = threading.local()


def crew_body(handler):
    asked.body, asked.path = PLAIN_BODY(handler), handler.path
    return asked.body


def crew_turns():
    """What the crew said in the conversation, one text for each turn of the member."""
    body = asked.body
    for item in body.get("messages") or body.get("contents") or body.get("input") or []:
        if item.get("role") != "user":
            continue
        text = "\n".join(raw_texts(item.get("content", item.get("parts"))))
        if re.search(r"one agent of a crew|^\s*@\S+ says: |^\[This is the final turn|^\[One turn is left", text, re.M):
            yield text


def crew_plan(prompt, after_tool, offered):
    turns = list(crew_turns())
    member = re.search(r"You are (\S+), one agent of a crew", "\n".join(turns))
    if not member or not offered:
        return PLAIN_PLAN(prompt, after_tool, offered)
    name, turn = member.group(1), len(turns) - 1
    with open(os.path.join(HERE, "crew.json")) as f:
        says = json.load(f)[name]
    with lock, open(os.path.join(HERE, "crew.log"), "a") as f:
        model = asked.body.get("model") or asked.path
        f.write(json.dumps({"member": name, "turn": turn, "model": model, "prompt": turns[-1]}) + "\n")
    say = says[min(turn, len(says) - 1)]
    if say.get("mock"):
        return PLAIN_PLAN(say["mock"], after_tool, offered)
    return Plan(say.get("text", "").replace("{n}", str(turn)), delay=say.get("slow", 0), error=say.get("error"))


Handler.body, plan_for = crew_body, crew_plan


