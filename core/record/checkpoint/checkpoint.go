// Package checkpoint keeps records of sessions: what ran in them and how it was
// started, what it showed, what was sent, and what had changed in the trees that
// they worked in. Each is a folder:
//
//	checkpoint.json   the record; without it the folder is none
//	prompts.jsonl     the prompts that were sent, the oldest first
//	panes/N.txt       what pane N showed, N.ansi with colours
//	trees/N.patch     what had changed in a tree, as git apply takes it
//
// A folder appears whole or not at all, is for the user alone, and is never
// written again. The package knows no terminal; it changes no trees except those that
// it applies a patch to. Errors are *core.Error.
package checkpoint

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
)

// Version is the format of the records that are written. Newer ones are not read.
const Version = 1

// Checkpoint is the record of a session at one moment.
type Checkpoint struct {
	Version int       `json:"version"`
	Name    string    `json:"name"`
	Session string    `json:"session"`
	At      time.Time `json:"at"`
	// Server is the path of the terminal server's socket.
	Server string `json:"server"`
	// Note is a remark of the user who made it; empty for none.
	Note string `json:"note,omitempty"`
	// Recipe describes the session, with the ids of the agents' own sessions.
	Recipe recipe.Recipe `json:"recipe"`
	// Panes are in the order of Recipe's.
	Panes []Pane `json:"panes"`
	Trees []Tree `json:"trees"`
	// Prompts counts those in prompts.jsonl.
	Prompts int `json:"prompts"`
}

// Pane is the record of one pane.
type Pane struct {
	Ordinal int         `json:"ordinal"`
	Agent   string      `json:"agent"`
	Kind    core.Kind   `json:"kind"`
	State   core.State  `json:"state"`
	Reason  core.Reason `json:"reason"`
	Title   string      `json:"title"`
	// Program is the name of the program that was in the foreground.
	Program string `json:"program"`
	Window  int    `json:"window"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	// Branch is the branch of the agent's own worktree; empty without one.
	Branch string `json:"branch"`
	// Lost is the reason why the agent's own session is not resumed; empty if it is, or if the agent has none.
	Lost string `json:"lost,omitempty"`
	// Plain and ANSI are files in the checkpoint's folder with Lines lines from Source,
	// without and with colours. If Complete is false, Why says what is missing.
	Plain    string `json:"plain"`
	ANSI     string `json:"ansi"`
	Lines    int    `json:"lines"`
	Source   string `json:"source"`
	Complete bool   `json:"complete"`
	Why      string `json:"why"`
}

// Prompt is a prompt that was sent to the session, as prompts.jsonl records it.
type Prompt struct {
	ID      string       `json:"id"`
	At      time.Time    `json:"at"`
	Origin  string       `json:"origin"`
	To      string       `json:"to"`
	Outcome core.Outcome `json:"outcome"`
	Text    string       `json:"text"`
}

// nameForm matches valid names: each is also a valid folder name on every system, and needs no quotes in any shell.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })

// odd matches characters that a session's name may hold and a checkpoint's may not.
var odd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9._-]+`) })

// checkName returns InvalidInput for an invalid name, with a valid one that is similar in the hint.
func checkName(name string) error {
	if nameForm().MatchString(name) {
		return nil
	}
	err := core.Errorf(core.InvalidInput,
		"a checkpoint cannot be named %q: it takes letters, digits, dots, dashes and underscores, at most 100", name)
	if plain := plainName(name); plain != "" {
		err.Suggestions = []string{plain}
	}
	return err
}

// DefaultName returns the name of a checkpoint that is made without one.
func DefaultName(session string, at time.Time) string {
	name := cmp.Or(plainName(session), "session")
	return fmt.Sprintf("%s-%s", name, at.UTC().Format("20060102-150405"))
}

func plainName(text string) string {
	text = strings.Trim(odd().ReplaceAllString(text, "-"), "-._")
	return text[:min(len(text), 80)]
}
