package main

import (
	"fmt"
	"strings"

	"cupola/core/config"
)

// configuration returns docs/configuration.md: the settings as Markdown.
func configuration() string {
	var b strings.Builder
	b.WriteString(`# Configuration

Nothing needs to be configured. Settings come from these places; each wins over those before it:

1. the defaults, listed below;
2. the user's file, ` + "`cupola/config.toml`" + ` in the configuration folder (` + "`$XDG_CONFIG_HOME`" + `, else ` + "`~/.config`" + `);
3. the project's file, ` + "`.cupola.toml`" + `: the nearest one from the working folder upward, as far as the root of the git
   repository or, without one, the home. Outside of both only the working folder itself is checked;
4. the environment: ` + "`CUPOLA_SECTION_KEY`" + `, such as ` + "`CUPOLA_ALERTS_IDLE=1h`" + `. An empty variable is ignored, and
   a list is written as in TOML, or with commas.

` + "`cupola config show --origin`" + ` says for every key where its value comes from, with file and line.

A key that does not exist, or a value that is not allowed, is not used and the rest of the file is; of a file that
cannot be read, nothing is used but its section engine where that can be read. Every answer warns of it, and
'cupola doctor' lists each fault with the command that repairs it. The default takes the place of what is not used, but
nothing is removed from the store while its limits are in doubt. Only commands for which a default would do harm refuse
with CONFIG_INVALID: a new session if the terminal server is in doubt, a relay if the backend is, a run if its limits
are, a host or the bus if theirs are.

A project's file cannot set keys that are the user's own to decide, such as which alerts there are and who is notified;
they are marked below, and nothing is used of a file that sets one. What it hides in its folder, the user is still
notified of.

` + "```sh" + `
cupola config init                      # a first file, all defaults as comments
cupola config set alerts.idle 1h        # comments and order of the file stay
cupola config set notify.command notify-send "an agent waits"
cupola config set sessions.hide_foreign true --in-project
cupola config set alerts.idle --unset
cupola config edit                      # opens $VISUAL or $EDITOR
` + "```" + `
`)
	section := ""
	for _, key := range config.Keys() {
		if len(key.Entry) > 0 {
			fmt.Fprintf(&b, "\n## [%s.\"NAME\"]\n\n%s. An entry has `%s`.", key.Name, key.Doc,
				strings.Join(key.Entry, "`, `"))
			if key.Guard != "" {
				b.WriteString(" The user's own: " + key.Guard + ".")
			}
			b.WriteString("\n")
			continue
		}
		if key.Section() != section {
			section = key.Section()
			fmt.Fprintf(&b, "\n## [%s]\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n", section)
		}
		doc := key.Doc + "."
		if key.Guard != "" {
			doc += " The user's own: " + key.Guard + "."
		}
		kind := key.Type
		if len(key.Enum) > 0 {
			kind = strings.Join(key.Enum, ", ")
		}
		value := "`" + key.Default() + "`"
		if key.Default() == "" {
			value = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key.Name, kind, value, doc)
	}
	b.WriteString(ownLooks)
	return b.String()
}

// ownLooks says how users write colours and keys of their own.
const ownLooks = `
## A theme of your own

A theme is a file of colours in the folder ` + "`cupola/themes`" + ` of the configuration; its name is the name of the file.
What it leaves out is as in the usual theme, and colours of terminals with fewer of them are the nearest.

` + "```toml" + `
[dark]                   # for dark backgrounds; [light] is for light ones
text = "#e5e7eb"
dim = "#a0a8b6"          # of little importance
strong = "#f3f4f6"       # read first
accent = "#7bd5dc"       # keys, and what has your attention
line = "#7d8593"         # between things
good = "#5fd39a"         # idle, delivered, added
warn = "#f0c060"         # limited
bad = "#ff8f87"          # errors, deleted, what destroys
busy = "#79b8ff"         # working
ask = "#f3a6dd"          # waiting for you
selection = "#2f3b4d"    # behind what is selected
` + "```" + `

` + "`F2`" + ` in the dashboard lists all themes and shows the selected one at once.

## Keys of your own

The file ` + "`cupola/keys.toml`" + ` of the configuration gives what keys do in the dashboard to other keys. Each of its tables is
one of keys.md, in small letters and with hyphens, or ` + "`everywhere`" + `; on the left is the usual key, on the right the one
that takes its place, or several.

` + "```toml" + `
[everywhere]
q = "Q"                  # q alone quits no more
":" = ["ctrl+p", "f1"]

[tree]
s = "p"                  # send a prompt
o = "s"                  # all that it has shown

[typing-into-a-pane]
"ctrl+]" = "f12"
` + "```" + `

If a key would mean two things, or there is no such key or table, the dashboard says so when it starts, and that table
keeps its usual keys. The footer, the help and the palette show your keys; messages name the usual ones.
`
