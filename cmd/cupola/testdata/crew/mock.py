# Goes into the fake model, before its main program: members of crews say what crew.json beside it
# gives them. The file is {"name": ["first answer", "second", ...]}; the last is repeated, and {n} in
# it is the number of the answer. "ERROR 500" answers with that error, "STALL 60 text" waits before
# the text, "REPEAT 1000 @x:" is followed by so many letters, "TOKENS 5000 text" counts so much input.
crew_now = threading.local()
crew_newest, crew_plan = newest_prompt, plan_for
CREW_FIRST = re.compile(r"You are (\S+), one agent of a crew")
CREW_LATER = re.compile(r"(?m)^@\S+ says: |^\[(?:This is the final turn|One turn is left)")


def newest_prompt(items, is_result):
    crew_now.member, crew_now.answer = None, -1
    for item in items:
        if item.get("role") != "user":
            continue
        content = "\n".join(raw_texts(item.get("content", item.get("parts"))))
        if found := CREW_FIRST.search(content):
            crew_now.member = found[1]
        if found or CREW_LATER.search(content):
            crew_now.answer += 1
    return crew_newest(items, is_result)


def plan_for(prompt, after_tool, offered):
    if not crew_now.member:
        return crew_plan(prompt, after_tool, offered)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "crew.json")) as f:
        says = json.load(f).get(crew_now.member, [""])
    text = says[min(crew_now.answer, len(says) - 1)].replace("{n}", str(crew_now.answer))
    p = Plan()
    while found := re.match(r"(?s)(ERROR|STALL|REPEAT|TOKENS) (\d+) ?(.*)", text):
        word, number, text = found[1], int(found[2]), found[3]
        if word == "ERROR":
            p.error = number
        elif word == "STALL":
            p.stall = number
        elif word == "TOKENS":
            p.input_tokens = number
        else:
            text += "x" * number
    p.text = text or "I have nothing to say."
    return p


