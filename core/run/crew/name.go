package crew

import (
	crand "crypto/rand"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/text/near"
)

// firstNames are the names of members where only their role is given.
var firstNames = [...]string{
	"abel", "alma", "amos", "anya", "arlo", "bea", "boris", "cleo", "cora", "dana", "dario", "edda", "elio", "enid",
	"ezra", "faye", "finn", "gala", "gus", "hedy", "hugo", "ilse", "ines", "ivan", "jana", "jonas", "juno", "kai",
	"kira", "lars", "lena", "leo", "luca", "mara", "milo", "mina", "nell", "nico", "nora", "olga", "oren", "petra",
	"remy", "rosa", "saul", "tess", "theo", "vera", "wim", "zora",
}

var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
})

// longestName is how long a name may be, in bytes.
const longestName = 48

// Most is how many members a crew may have.
const Most = 16

// MemberSpec is a member as the user names it.
type MemberSpec struct {
	// Role is a role, or a whole name if it has a dot.
	Role, Backend, Model, Brief string
}

// ParseMemberSpec reads "role:backend" or "role:backend:model". A model may have colons.
func ParseMemberSpec(word string) (MemberSpec, error) {
	role, rest, found := strings.Cut(strings.TrimSpace(word), ":")
	backend, model, _ := strings.Cut(rest, ":")
	role, backend = strings.TrimSpace(role), strings.TrimSpace(backend)
	if !found || role == "" || backend == "" {
		return MemberSpec{}, &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("%q names no agent of a crew", word),
			Hint: "Write role:backend or role:backend:model, such as reviewer:claude.",
		}
	}
	return MemberSpec{Role: role, Backend: backend, Model: strings.TrimSpace(model)}, nil
}

// NewMembers returns the members of a crew: it checks their names, and puts a first name before a role
// that has none. Pick returns a number below n.
func NewMembers(wanted []MemberSpec, pick func(n int) int) ([]Member, error) {
	if len(wanted) == 0 {
		return nil, core.Errorf(core.MissingRequired, "a crew needs agents")
	}
	if len(wanted) > Most {
		return nil, core.Errorf(core.InvalidInput, "%d agents are too many for a crew: %d at most", len(wanted), Most)
	}
	free := slices.Clone(firstNames[:])
	members := make([]Member, len(wanted))
	for i, want := range wanted {
		if err := checkName(want.Role); err != nil {
			return nil, err
		}
		if first, _, whole := strings.Cut(want.Role, "."); whole {
			free = slices.DeleteFunc(free, func(name string) bool { return name == strings.ToLower(first) })
			if slices.ContainsFunc(members[:i], func(m Member) bool { return strings.EqualFold(m.Name, want.Role) }) {
				return nil, core.Errorf(core.InvalidInput, "two agents are named %s", want.Role)
			}
		}
		members[i] = Member{
			Name: want.Role, Backend: want.Backend, Model: want.Model, Brief: want.Brief, Status: Idle, CostKnown: true,
		}
	}
	for i := range members {
		if strings.Contains(members[i].Name, ".") {
			continue
		}
		n := pick(len(free))
		members[i].Name = free[n] + "." + members[i].Name
		free = slices.Delete(free, n, n+1)
	}
	return members, nil
}

// SeededPick returns a pick that is the same for the same text, so that a crew has the names that a dry
// run showed.
func SeededPick(text string) func(n int) int {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	return rand.New(rand.NewPCG(hash.Sum64(), 0)).IntN
}

func checkName(name string) error {
	switch {
	case len(name) > longestName || !nameForm().MatchString(name):
		return &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("%q cannot be the name or role of an agent", name),
			Hint: fmt.Sprintf("Letters, digits, _ and - make one, with a dot between first name and role: "+
				"ada.reviewer; "+
				"%d characters at most.", longestName),
		}
	case slices.Contains([]string{All, User, System}, strings.ToLower(name)):
		return core.Errorf(core.InvalidInput, "%q is taken: all, user and crew mean others", name)
	}
	return nil
}

// UnknownMember makes the error of a name that no member of a crew has.
func UnknownMember(name string, names []string) error {
	return &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("no agent of the crew is named %q", name),
		Suggestions: near.Words(name, short(names)), Slip: core.Slip{Word: name},
		Hint: "There are: " + strings.Join(names, ", ") + ".", Details: map[string]any{"agents": names},
	}
}

// roleOf is the part of a name behind the first dot.
func roleOf(name string) string {
	if _, role, found := strings.Cut(name, "."); found {
		return role
	}
	return name
}

// NewID returns an id for a crew, which no other one has.
func NewID() string { return strings.ToLower(crand.Text()[:7]) }

// Labels are the names of the members as those of panes, folders and branches: in their order, each once, with
// dashes in place of dots.
func (c *Crew) Labels() []string {
	labels := make([]string, len(c.Members))
	for i, name := range c.Names() {
		label := strings.ReplaceAll(name, ".", "-")
		if _, err := strconv.Atoi(label); err == nil {
			label = "agent-" + label
		}
		free := label
		for n := 2; slices.ContainsFunc(labels[:i], func(l string) bool { return strings.EqualFold(l, free) }); n++ {
			free = label + "-" + strconv.Itoa(n)
		}
		labels[i] = free
	}
	return labels
}

// Label is the name of a member as that of its pane, folder and branch.
func (c *Crew) Label(member string) string {
	if i := slices.Index(c.Names(), member); i >= 0 {
		return c.Labels()[i]
	}
	return member
}

// Group is the name of a crew as that of its session and of the folder with its worktrees.
func (c *Crew) Group() string {
	if c.Session != "" {
		return c.Session
	}
	return "crew-" + c.ID
}
