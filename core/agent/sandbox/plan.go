package sandbox

import (
	"os"
	"path/filepath"

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

// Plan is what holds one program: a file that is read once, by the process that holds the sandbox.
type Plan struct {
	Name string `json:"name"`
	By   string `json:"by"`
	// Holder is the command line up to the program.
	Holder []string `json:"holder"`
	// Copies are the files to read from descriptors, the first of which is FirstFile.
	Copies []string `json:"copies"`
	// Doorway is the folder outside that is Doorway inside.
	Doorway string `json:"doorway"`
	// Network and Hosts say what is reached beside the own loopback.
	Network string   `json:"network"`
	Hosts   []string `json:"hosts,omitempty"`
	// Made are folders of the project that were made to be guarded; those that are empty are removed at the end.
	Made []string `json:"made,omitempty"`
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
	if p.Network == "" {
		p.Network = NetworkOff
	}
	switch p.By {
	case Bubblewrap:
		p.Holder = bubblewrap(v, p.Network, doorway, FirstFile)
		p.Program = append([]string{real(r.Self), EnterWord}, r.Argv...)
	default:
		return nil, core.Errorf(core.NotImplemented, "a sandbox cannot be held by %s yet", p.By)
	}
	return p, nil
}

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

// Wrap returns the command line and the inherited environment with which the program runs in its sandbox. What is needed
// for that is written into a folder of this user's.
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
