package agent

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// By is how the panes of a kind are shown.
type By string

// ByScreen shows the program's own screen, and ByProtocol the conversation, which the program has by the Agent Client
// Protocol.
const (
	ByScreen   By = "screen"
	ByProtocol By = "acp"
)

// Said names a way for people.
func (b By) Said() string {
	if b == ByProtocol {
		return "by protocol"
	}
	return "by screen"
}

// protocolArg begins the argument with which this program shows a conversation by protocol; the kind follows.
const protocolArg = "acp:"

// twinSuffix ends the id and the short name of a kind by protocol, behind the names of the kind by screen.
const twinSuffix = "-acp"

// twinTimeout is how long an agent by protocol may take to start.
const twinTimeout = time.Minute

// Shown returns how the panes of programs that are started so are shown.
func (l *Launch) Shown() By {
	if len(l.Command) > 1 && strings.HasPrefix(l.Command[1], protocolArg) {
		return ByProtocol
	}
	return ByScreen
}

// Speaks reports whether the panes of a kind show its conversation by protocol; false for nil.
func Speaks(k *Kind) bool { return k != nil && k.Launch.Shown() == ByProtocol }

// Installable is a program that panes of a kind need.
type Installable struct {
	Kind *Kind
	// Program is its name or its path.
	Program string
	// Ways are how its panes can be shown, the usual way first.
	Ways []By
}

// Installables returns the programs of all kinds, each once. The adapter by which a program has the protocol comes
// last, under the kind by protocol.
func (ks *Kinds) Installables() []Installable {
	var all []Installable
	for _, k := range ks.all {
		one := Installable{k, "", []By{k.Launch.Shown()}}
		if one.Ways[0] == ByProtocol {
			one.Program = k.ACP.Command[0]
		} else if len(k.Launch.Command) > 0 {
			one.Program = k.Launch.Command[0]
		}
		if one.Ways[0] == ByScreen && k.ACP.Given() && k.ACP.Command[0] == one.Program {
			one.Ways = append(one.Ways, ByProtocol)
		}
		if one.Program != "" && one.Program != Self {
			all = append(all, one)
		}
	}
	for _, twin := range ks.twins {
		screen, _ := ks.Find(string(twin.Screen))
		if program := twin.ACP.Command[0]; program != screen.Launch.Command[0] {
			all = append(all, Installable{twin, program, []By{ByProtocol}})
		}
	}
	return all
}

// twinOf makes the kind whose panes show the conversations of a kind by protocol: another one, since it has other keys
// and no rules for a screen.
func twinOf(k *Kind) *Kind {
	word := protocolArg + string(k.ID) + twinSuffix
	t := &Kind{
		ID: k.ID + twinSuffix, Short: k.Short + twinSuffix, Name: k.Name + " by protocol",
		Launch: Launch{
			Command: []string{Self, word}, Model: []string{"-m", ModelName}, Timeout: twinTimeout,
			Install: k.ACP.Install, Env: k.Launch.Env, InheritEnv: k.Launch.InheritEnv, Modes: map[string]Mode{},
		},
		Process: Process{Hosts: []string{"cupola"}, Script: "^" + word + "$"},
		ACP:     k.ACP, Sandbox: k.Sandbox, Doubt: k.Doubt, Screen: k.ID,
		builtin: func() *screenSpec {
			k.rulebook()
			return &screenSpec{context: contextSpec{Window: k.screen.context.Window}}
		},
	}
	t.Launch.Install = cmp.Or(t.Launch.Install, k.Launch.Install)
	if k.ACP.Continues != "never" {
		t.Launch.Resume = []string{"-r", SessionID}
	}
	for _, mode := range slices.Sorted(maps.Keys(k.ACP.Modes)) {
		t.Launch.Modes[mode] = Mode{Args: []string{"-o", k.ACP.Modes[mode]}}
	}
	return t
}

// Twin returns the kind that a kind is when its panes are shown in a way: itself, or the other one of a pair. It
// returns NotImplemented if the kind has none for that.
func (ks *Kinds) Twin(k *Kind, by By) (*Kind, error) {
	switch {
	case by == "" || by == k.Launch.Shown():
		return k, nil
	case by == ByScreen && k.Screen != "":
		if screen, known := ks.Find(string(k.Screen)); known {
			return screen, nil
		}
	case by == ByProtocol && k.ACP.Given():
		if twin, known := ks.Find(string(k.ID + twinSuffix)); known {
			return twin, nil
		}
	}
	e := core.Errorf(core.NotImplemented, "%s has no screen of its own", k.Name)
	if by == ByProtocol {
		e = core.Errorf(core.NotImplemented, "%s is not known to speak the Agent Client Protocol", k.Name)
		e.Hint = "Its file says how, in the part [acp]; docs/acp.md lists the kinds that do."
	}
	return nil, e
}

// twins are the kinds by protocol of kinds that are shown by their screens.
func twins(all []*Kind) []*Kind {
	var made []*Kind
	for _, k := range all {
		if k.ACP.Given() && k.Launch.Shown() == ByScreen {
			made = append(made, twinOf(k))
		}
	}
	return made
}
