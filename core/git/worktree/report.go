package worktree

import "slices"

// Report is the work of Make beside git's own.
type Report struct {
	// Copied are the files and folders that were copied, cloned or linked, by their paths in the repository.
	Copied []string
	Lacks  []Lack
}

// Lacking is a kind of thing that the repository's folder has and a new worktree lacks.
type Lacking int

// LacksLocal are files with settings of this machine, such as .env, that no pattern names; LacksRest the number of
// files above the limit; LacksClone and LacksLink folders that the file system cannot share; LacksFile files that could
// not be copied; LacksIgnored files that a pattern names and git does not ignore; LacksSubmodule submodules that could
// not be checked out without a network; LacksContent files of git lfs that are pointers.
const (
	LacksLocal Lacking = iota
	LacksRest
	LacksClone
	LacksLink
	LacksFile
	LacksIgnored
	LacksSubmodule
	LacksContent
)

// Lack is a kind of thing that a new worktree lacks.
type Lack struct {
	What Lacking
	// Names are paths in the repository; of LacksRest, a number.
	Names []string
	// Why is the reason why the first one is lacking; empty if the kind says that.
	Why string
}

// lacks adds a thing to the report, once.
func (r *Report) lacks(what Lacking, name string, why error) {
	i := slices.IndexFunc(r.Lacks, func(l Lack) bool { return l.What == what })
	if i < 0 {
		i = len(r.Lacks)
		r.Lacks = append(r.Lacks, Lack{What: what})
		if why != nil {
			r.Lacks[i].Why = why.Error()
		}
	}
	if l := &r.Lacks[i]; !slices.Contains(l.Names, name) {
		l.Names = append(l.Names, name)
	}
}
