package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/private"
	"cupola/core/system/process/job"
	"cupola/core/system/textfile"
)

// The words with which this program holds a sandbox, and is the first program inside one.
const (
	HoldWord  = "sandbox-hold"
	EnterWord = "sandbox-enter"
)

// Plan is the sandbox of one program: a file that the process reads once that holds the sandbox.
type Plan struct {
	Name string `json:"name"`
	By   string `json:"by"`
	// Holder is the command line up to the program.
	Holder []string `json:"holder"`
	// Copies are the files to read from descriptors, beginning with FirstFile.
	Copies []string `json:"copies"`
	// Doorway is the folder outside that is Doorway inside.
	Doorway string `json:"doorway"`
	// Network and Hosts say what is reached beside the own loopback.
	Network string   `json:"network"`
	Hosts   []string `json:"hosts,omitempty"`
	// Made are folders of the project that were made to be guarded; those that are empty are removed at the end.
	Made []string `json:"made,omitempty"`
	// CopiesInDoorway is true if copied files are put into the doorway instead.
	CopiesInDoorway bool `json:"copies_in_doorway,omitempty"`
	// Before is a command that must succeed before, and Stop one that ends what does not end with the holder; empty for
	// none.
	Before []string `json:"before,omitempty"`
	Stop   []string `json:"stop,omitempty"`
	// Program is its command line inside.
	Program []string `json:"program"`
}

// FirstFile is the descriptor of the first copied file.
const FirstFile = 3

// Plan returns what holds the program. Doorway is a folder that need not exist.
func (r *Request) Plan(v *View, doorway string) (*Plan, error) {
	p := &Plan{
		Name: r.Name, By: r.By(), Doorway: doorway, Network: r.Settings.Network, Hosts: r.Settings.Hosts,
		Copies: v.copies(), Made: v.Made, Program: r.Argv,
	}
	if len(r.Before) > 0 && p.By != Devcontainer { // this program is not in a devcontainer
		p.Program = slices.Concat([]string{resolved(r.Self)}, r.Before, r.Argv)
	}
	p.Network = cmp.Or(p.Network, NetworkOff)
	// The ports come first: "-" if there are none.
	enter := append([]string{resolved(r.Self), EnterWord, cmp.Or(strings.Join(p.ports(), ","), "-")}, p.Program...)
	switch p.By {
	case Bubblewrap:
		p.Holder, p.Program = bubblewrap(v, p.Network, doorway, FirstFile), enter
	case SandboxExec:
		p.Holder, p.Copies = seatbelt(v, p.Network, doorway), nil
	case Podman, Docker:
		p.Holder, p.Program = r.container(v, p.By, doorway), enter
		p.CopiesInDoorway = true
		p.Stop = []string{p.By, "rm", "--force", containerName(doorway)}
	case Devcontainer:
		p.Holder, p.Copies = devcontainer(v.Root), nil
		p.Before = []string{"devcontainer", "up", "--workspace-folder", v.Root}
	}
	return p, nil
}

// copyPath returns the path of a copied file in a doorway.
func copyPath(doorway string, n int) string { return filepath.Join(doorway, fmt.Sprintf("copy-%d", n)) }

// Copy returns the path of the n-th copied file, if copies are in the doorway.
func (p *Plan) Copy(n int) string { return copyPath(p.Doorway, n) }

// Write writes the plan into a folder, as a file of its own, and returns its path.
func (p *Plan) Write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := private.CheckFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return textfile.WriteJSON(path, p)
}

// Wrap returns the command line and the inherited environment with which the program runs in its sandbox. It writes the
// plan for that into a folder of this user's.
func (r *Request) Wrap(folder string) (argv, environ []string, err error) {
	if err := r.Check(); err != nil {
		return nil, nil, err
	}
	v, err := r.View()
	if err != nil {
		return nil, nil, err
	}
	id := job.NewID()[:10]
	p, err := r.Plan(v, filepath.Join(folder, id))
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(folder, id+".json")
	if err := p.Write(path); err != nil {
		return nil, nil, core.Errorf(core.IOError, "the sandbox %s: %w", r.Name, err)
	}
	return append([]string{r.Self, HoldWord, path}, r.Argv...), r.Inherited(), nil
}
