package kinds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/kindfile"
	"cupola/core/agent/kinds"
	"cupola/core/system/plainfile"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type kindNewIn struct {
	Name   string             `arg:"1" required:"true" help:"Name of the new kind: small letters, digits and dashes"`
	From   string             `help:"Begin with a copy of this kind (pi, claude, one of your own)"`
	ACP    registry.Program   `name:"acp" help:"Command of a program that speaks the Agent Client Protocol: the kind needs no rules for a screen"`
	Output registry.WritePath `help:"File to write instead of NAME.toml in the folder of agent kinds; - returns the text only"`
	Force  bool               `help:"Overwrite an existing file"`
}

type kindNewOut struct {
	Kind string `json:"kind"`
	// Path is the file that was written; absent for --output=-, where Text is its content.
	Path string `json:"path,omitempty"`
	Text string `json:"text,omitempty"`
}

var kindNew = registry.Define(registry.Spec[*verb.Env, kindNewIn, kindNewOut]{
	Name: "kind-new", Group: verb.GroupSetup, Short: "Begin the file of an agent kind",
	Long: "The file explains each key. A copy of another kind leaves out what is true of that program alone: where " +
		"its files are, and what its sandboxes hold.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"mine --from=opencode --output=-", "mine --output=-", "goose --acp='goose acp' --output=-"},
	Errors: []core.Code{
		core.AlreadyExists, core.NotFound, core.IOError, core.PermissionDenied, core.ConfigInvalid,
	},
	Run: runKindNew,
}).SeeAlso("kind-check", "kind-record", "tools")

// head is the comment at the top of a file.
const head = "An agent kind of your own. 'cupola kind check FILE' says what is wrong with it and, with --screen, " +
	"which rule matched where; 'cupola kind record NAME PANE' derives input box and rules from what a pane shows. " +
	"docs/kinds.md describes every key."

// checkName returns InvalidInput for a name that no kind can have.
func checkName(name string) error {
	if !agent.IsID(name) {
		return &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("%q is no name of an agent kind", name),
			Hint: "Take small letters, digits and dashes, beginning with a letter.",
		}
	}
	return nil
}

// Check sees that the name can be one.
func (in kindNewIn) Check() error {
	if in.ACP != "" && in.From != "" {
		return registry.Conflict("--acp", "--from")
	}
	return checkName(in.Name)
}

func runKindNew(_ context.Context, env *verb.Env, in kindNewIn) (kindNewOut, error) {
	known := env.Kinds()
	if taken, ok := known.Find(in.Name); ok && builtIn(taken.ID) {
		return kindNewOut{}, &core.Error{
			Code: core.AlreadyExists, Message: fmt.Sprintf("%s is already the kind %s", in.Name, taken.ID),
			Hint: "Take another name. To change that kind, write only the keys that differ into " +
				filepath.Join(env.Paths.Agents(), string(taken.ID)+".toml") + ".",
		}
	}
	text, err := newFile(env, known, in)
	if err != nil {
		return kindNewOut{}, err
	}
	out := kindNewOut{Kind: in.Name}
	if in.Output == "-" {
		out.Text = text
		return out, nil
	}
	out.Path = filepath.Join(env.Paths.Agents(), in.Name+".toml")
	if in.Output != "" {
		out.Path = verb.Absolute(env.Dir, in.Output)
	}
	return out, write(out.Path, text, in.Force)
}

// builtIn reports whether a kind comes with Cupola.
func builtIn(id core.Kind) bool {
	_, ok := kinds.Text(string(id))
	return ok
}

// newFile returns the text of the new file.
func newFile(env *verb.Env, known *agent.Kinds, in kindNewIn) (string, error) {
	switch {
	case in.ACP != "":
		argv, err := shell.Words(string(in.ACP))
		if err != nil || len(argv) == 0 || argv[0] == "" {
			return "", core.Errorf(core.InvalidInput, "--acp: %q is no command line", in.ACP)
		}
		return kindfile.ByProtocol(in.Name, argv), nil
	case in.From == "":
		return kindfile.New(in.Name, head), nil
	}
	from, ok := known.Find(in.From)
	if !ok {
		return "", &core.Error{
			Code: core.NotFound, Message: "there is no agent kind " + in.From, Hint: "List them with 'cupola tools'.",
			Suggestions: known.Near(in.From),
		}
	}
	if text, ok := kinds.Text(string(from.ID)); ok {
		return kindfile.From(in.Name, string(from.ID), text, head), nil
	}
	text, err := plainfile.Read(filepath.Join(env.Paths.Agents(), string(from.ID)+".toml"), plainfile.Text)
	if err != nil {
		return "", core.FileError("read the file of "+in.From, err)
	}
	return kindfile.From(in.Name, string(from.ID), string(text), head), nil
}

// write writes a file, and makes its folder if there is none. Without force, a file that exists is AlreadyExists.
func write(path, text string, force bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return core.FileError("make the folder of the agent kinds", err)
	}
	return verb.WriteFile(path, text, force)
}

// Next returns the next steps.
func (o kindNewOut) Next() []registry.Action {
	if o.Path == "" {
		return nil
	}
	return verb.NextOnly("check", "Check it after each change", "kind-check", o.Path)
}

// Report shows a person the file.
func (o kindNewOut) Report() *report.Report {
	if o.Path == "" {
		return (&report.Report{}).Add(report.Block{Raw: o.Text})
	}
	return report.Say(report.Text("Wrote "), report.Toned(report.Strong, o.Path))
}
