package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/agent"
)

const kindsHead = `# Agent kinds of your own

An agent kind says how a program is started, how it is recognised, which keys drive it, and how its screen is read. A file
` + "`NAME.toml` in `~/.config/cupola/agents`" + ` adds a kind or changes one: of a kind that comes with Cupola it needs only the keys
that differ. A file that cannot be used is left out, with a warning that names line and key; the other kinds work on.

## In five minutes

Start the program in a command pane, then record its states one after another. Each call says which to bring about next
and with which command:

    cupola spawn try --cmd robo                                    # robo is the program
    cupola kind record robo try.1                                  # what to do first
    cupola kind record robo try.1 --state=idle
    cupola send try.1 'count to fifty' --force                     # and while it works:
    cupola kind record robo try.1 --state=working
    cupola kind record robo try.1 --state=waiting --reason=approval   # while it asks for your permission
    cupola kind check robo                                         # are all recorded screens read right?

What the pane showed is kept in ` + "`~/.config/cupola/agents/NAME/`" + ` as cases, and ` + "`NAME.toml`" + ` is derived from all of them, as long
as it is not changed by hand. Then ` + "`cupola spawn api --agents robo=2`" + ` starts agents of the kind, and ` + "`cupola adopt try.1`" + `
takes over the one that runs there. Check ` + "`keys.interrupt`" + `. Dialogs need no rules for their choices: they are read by how programs draw and
word them.

By hand, begin with a commented copy, and see which rule matches where:

    cupola kind new robo --from pi
    cupola kind check robo --screen ~/.config/cupola/agents/robo/02-working.json
    tmux capture-pane -p -e | cupola kind check robo --screen - --cursor 2,20,true

## What only a recording shows

- A rule without a recorded screen is a guess. Record errors and limits when they happen.
- Choose the smallest region: text that an agent prints about errors or permissions must not match. "dialog" looks only at
  screens without an input box, "above" and "below" only at rows next to it.
- Without ` + "`[[typing.escape]]`" + ` a prompt that begins with ` + "`!` or `/`" + ` may run as a command of the program: try it once.
- ` + "`[headless.sandbox]`" + ` promises something to those who ask for a sandbox. Variables and flags that another program obeys
  hold nothing here: see it refuse a write before you write a guarantee.
- Replies, costs and resuming come from the program's own records. Cupola reads the records of the kinds that come with it;
  for others, replies are read from the screen, by ` + "`[turn]`" + `.

## Every key

Patterns are regular expressions in Go's syntax, best written in single quotes; they see rows without colours. Durations
are texts such as "400ms". This list is made from the program itself.
`

// kindsPage returns docs/kinds.md: the keys of agent kinds as Markdown.
func kindsPage() string {
	var b strings.Builder
	b.WriteString(kindsHead)
	for _, section := range agent.Sections() {
		title := "Above all tables"
		if section.Name != "" {
			title = "`" + section.Header() + "`"
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| key | value | meaning |\n|---|---|---|\n", title, section.Says)
		for _, key := range section.Keys {
			says := strings.ReplaceAll(key.Says, "|", `\|`)
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimPrefix(key.Name, section.Name+"."), key.Form, says)
		}
	}
	return b.String()
}

// writeKinds writes the files of the kinds as Go.
func writeKinds() error {
	dir := filepath.Join("core", "agent")
	kinds := core.Map(agent.Natives, func(n agent.Native) string { return string(n.Kind) })
	code, err := agent.Golang(os.DirFS(filepath.Join(dir, "kinds")), kinds...)
	if err != nil {
		return fmt.Errorf("agent kinds: %w", err)
	}
	if code, err = format.Source(code); err != nil {
		return fmt.Errorf("agent kinds: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "builtin.go"), code, 0o644)
}
