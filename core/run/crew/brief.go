package crew

import (
	"fmt"
	"strings"
)

// separator is between the briefing and the task.
const separator = "\n\n---\n\n"

// Briefing returns the prompt of a member before the first task.
func Briefing(c *Crew, member *Member) string {
	var others []string
	for i := range c.Members {
		if c.Members[i].Name != member.Name {
			others = append(others, c.Members[i].Name)
		}
	}
	var b strings.Builder
	say := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	say("You are %s, one agent of a crew that works on one task.", member.Name)
	if len(others) == 0 {
		say("There is no other agent.")
	} else {
		say("The other agents: %s.", strings.Join(others, ", "))
	}
	say("The crew has %d turns after this one, then it ends whatever is open.", c.Limits.MaxTurns)
	say("")
	say("How you talk:")
	say("- Plain text is a note. It is kept, but no one reads it while you work.")
	say("- A line that begins with @NAME: is a message to that agent, who answers in the next turn. Use the full " +
		"name, at the start of the line, outside of code and quotes.")
	say("- Such a message ends at a blank line. For a long one, put @NAME: alone on its line: all that follows, " +
		"up to the next such line, belongs to it.")
	say("- @user: is for the result alone. The user reads it at the end; no one answers.")
	say("- @all: goes to every other agent.")
	say("")
	say("Write to the one who is needed next, and only if you need an answer or have one to give: every message " +
		"costs a turn. Do not thank, greet or say goodbye. If nothing is left to say, write to no one.")
	if len(others) > 0 {
		say("")
		say("Example:")
		say("I read the two files that the task names.")
		say("@%s: Is the lock in store.go held while the file is written?", others[0])
	}
	say("")
	say("%s", calling(member))
	b.WriteString("Give your work itself, not an announcement of it.")
	return b.String()
}

// calling returns the task of a member.
func calling(member *Member) string {
	if member.Brief != "" {
		return "What you are for: " + strings.TrimSpace(member.Brief)
	}
	return fmt.Sprintf("Stay in your role: %s.", member.Role())
}

// FirstPrompt returns the prompt of a member in turn 0.
func FirstPrompt(c *Crew, member *Member) string { return Briefing(c, member) + separator + c.Prompt }

// NextPrompt returns the prompt of a member in a later turn: how close the end is, then the messages to it.
func NextPrompt(c *Crew, turn int, last bool, messages []Delivery) string {
	var blocks []string
	switch {
	case last || turn >= c.Limits.MaxTurns:
		blocks = append(blocks, "[This is the final turn. Write the result to @user: now, and write to no one else.]")
	case turn == c.Limits.MaxTurns-1:
		blocks = append(blocks, "[One turn is left after this one. Come to a result; it goes to @user:.]")
	}
	most := c.Limits.Deliverable(messages)
	for i := range messages {
		blocks = append(blocks, fmt.Sprintf("@%s says: %s", messages[i].From, Cut(messages[i].Text, most)))
	}
	return strings.Join(blocks, "\n\n")
}

// Cut is the beginning of a text that is longer than most bytes, with a word on how much is missing.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := strings.ToValidUTF8(text[:most], "")
	return fmt.Sprintf("%s\n[The message was cut here: %d of %d bytes are left out.]", kept, len(text)-len(kept),
		len(text))
}
