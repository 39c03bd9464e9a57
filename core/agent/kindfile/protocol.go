package kindfile

import (
	"fmt"
	"strings"
)

// ByProtocol returns the file of a new kind whose program speaks the Agent Client Protocol. In its panes Cupola shows
// the conversation itself, so that it needs no rules for a screen.
func ByProtocol(name string, command []string) string {
	return fmt.Sprintf(`# An agent that speaks the Agent Client Protocol. docs/acp.md describes it, docs/kinds.md every key.
id = %s
name = %s

[launch]
command = ["{self}", "acp:%[4]s"]
model = ["-m", "{model}"]
resume = ["-r", "{session}"]
timeout = "60s"

[process]
hosts = ["cupola"]
script = '^acp:%[4]s$'

[acp]
command = %[3]s

# The agent's own names of the modes in which it can be started.
# [acp.mode]
# plan = ""
# ask = ""
# accept-edits = ""
# auto = ""
`, quoted(name), quoted(strings.ToUpper(name[:1])+name[1:]), list(command...), name)
}
