// Package host is how other machines with a Cupola of their own are reached: by the user's own ssh, with its
// configuration, keys, agent and jump hosts. One connection a host is kept for some minutes and shared by all
// processes (ssh's ControlMaster). A machine's name is in front of the names of its sessions: HOST/SESSION.N.
package host

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/near"
)

// Local names this machine where hosts are chosen.
const Local = "local"

// All chooses this machine and every host that is enabled, and Any the one of them with most room for agents. With
// ":LABEL" they choose among the hosts that have the label.
const (
	All = "all"
	Any = "any"
)

// DefaultTimeout is how long a host may take to answer its first line.
const DefaultTimeout = 10 * time.Second

// Settings say how one host is reached, as a file of settings holds them. The zero value reaches a host by its name.
type Settings struct {
	// SSH is the destination that ssh is given; empty is the host's name.
	SSH string `toml:"ssh"`
	// Options are more arguments of ssh, before the destination.
	Options []string `toml:"options"`
	// Program is Cupola on that machine; empty finds it on the PATH, in ~/.local/bin and in /usr/local/bin.
	Program string `toml:"program"`
	// Disabled hosts are kept, but not asked.
	Disabled bool `toml:"disabled"`
	// Labels say what the host is for.
	Labels []string `toml:"labels"`
}

// Access is the purpose of a link.
type Access string

// Reads is a link whose calls only read; Acts one whose calls may do anything.
const (
	Reads Access = "read"
	Acts  Access = "act"
)

// Host is a machine with a Cupola of its own.
type Host struct {
	Name string
	Settings
	// OnBus is true for a host that is not in the settings, but on the bus.
	OnBus bool
	// Timeout is how long it may take to be reached; 0 is DefaultTimeout.
	Timeout time.Duration
}

// Destination returns the destination that is passed to ssh.
func (h *Host) Destination() string { return cmp.Or(h.SSH, h.Name) }

// Hosts are the hosts of the settings.
type Hosts struct {
	settings map[string]Settings
	// bus are the names of the hosts on the bus.
	bus []string
	// Timeout is the time limit of every host.
	Timeout time.Duration
	// Missing is why the hosts of the bus are not known; nil if they are, or if there is no bus.
	Missing error
}

// WithBus returns the hosts together with those of the bus. A host of the settings comes before one of the bus.
func (h Hosts) WithBus(names ...string) Hosts {
	h.bus = names
	return h
}

// OnBus reports whether a host is on the bus, be it in the settings too.
func (h Hosts) OnBus(name string) bool { return slices.Contains(h.bus, name) }

// Of returns the hosts of the settings.
func Of(settings map[string]Settings) Hosts { return Hosts{settings: settings} }

// Names returns the names of all hosts, sorted.
func (h Hosts) Names() []string {
	names := slices.AppendSeq(slices.Clone(h.bus), maps.Keys(h.settings))
	slices.Sort(names)
	return slices.Compact(names)
}

// Disabled returns the names of the hosts that are disabled, sorted.
func (h Hosts) Disabled() []string {
	return slices.DeleteFunc(h.Names(), func(name string) bool { return !h.settings[name].Disabled })
}

// Find returns a host by its exact name.
func (h Hosts) Find(name string) (found *Host, known bool) {
	own, is := h.settings[name]
	found = &Host{Name: name, Settings: own, Timeout: h.Timeout, OnBus: !is && h.OnBus(name)}
	return found, is || found.OnBus
}

// Select returns the hosts that words name: a name, a pattern such as gpu*, Local, or All. Each host is there once, in
// the order of the words; this machine is nil. A pattern and All leave out what is disabled. A word that names no host
// is NotFound with the near miss, and one that names a disabled host NotReady.
func (h Hosts) Select(words ...string) ([]*Host, error) {
	var chosen []*Host
	add := func(host *Host) {
		for _, other := range chosen {
			if (other == nil) == (host == nil) && (host == nil || other.Name == host.Name) {
				return
			}
		}
		chosen = append(chosen, host)
	}
	for _, word := range words {
		host, exact := h.Find(word)
		switch {
		case exact && host.Disabled:
			return nil, &core.Error{
				Code: core.NotReady, Message: fmt.Sprintf("host %s is disabled", host.Name),
				Remedies: []core.Remedy{core.RemedyEnableHost, core.RemedyListHosts},
				Subject:  core.Subject{Host: host.Name},
			}
		case exact:
			add(host)
		case word == Local:
			add(nil)
		default:
			matched, err := h.match(word)
			if err != nil {
				return nil, err
			}
			for _, host := range matched {
				add(host)
			}
		}
	}
	return chosen, nil
}

// match returns the enabled hosts of a pattern, or of All.
func (h Hosts) match(word string) ([]*Host, error) {
	var matched []*Host
	entries, err := h.Entries(word)
	if word == All {
		matched, err = append(matched, nil), nil // there is this machine
	}
	if err != nil {
		return nil, err
	}
	for _, host := range entries {
		if !host.Disabled {
			matched = append(matched, host)
		}
	}
	if len(matched) == 0 {
		return nil, h.noMatch(word)
	}
	return matched, nil
}

// Entries returns the hosts that a word names, by name, with those that are disabled: a name, a pattern such as gpu*,
// All, or All with a label. There is at least one: a word that names none is NotFound with the near miss.
func (h Hosts) Entries(word string) ([]*Host, error) {
	if host, exact := h.Find(word); exact {
		return []*Host{host}, nil
	}
	pattern := word
	if word == All {
		pattern = "*"
	}
	label, labelled := strings.CutPrefix(word, All+":")
	var matched []*Host
	for _, name := range h.Names() {
		host, _ := h.Find(name)
		fits, err := path.Match(pattern, name)
		switch {
		case labelled:
			fits = slices.Contains(host.Labels, label)
		case err != nil:
			return nil, core.Errorf(core.InvalidInput, "the pattern of hosts %q is wrong: %v", core.Cut(word), err)
		}
		if fits {
			matched = append(matched, host)
		}
	}
	if len(matched) == 0 {
		return nil, h.noMatch(word)
	}
	return matched, nil
}

// noMatch is the error of a word that chooses no host.
func (h Hosts) noMatch(word string) error {
	label, labelled := strings.CutPrefix(word, All+":")
	if !labelled {
		return h.UnknownError(word)
	}
	var labels []string
	for _, name := range h.Names() {
		labels = append(labels, h.settings[name].Labels...)
	}
	err := &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no enabled host has the label %q", core.Cut(label)),
		Remedies: []core.Remedy{core.RemedyListHosts}, Suggestions: near.Words(label, labels),
	}
	if len(err.Suggestions) > 0 {
		err.Slip.Word = label
	}
	return err
}

// AnyOf returns the word that chooses all the hosts among which word chooses one: All, or All with the label.
func AnyOf(word string) (all string, is bool) {
	label, labelled := strings.CutPrefix(word, Any+":")
	switch {
	case word == Any:
		return All, true
	case labelled:
		return All + ":" + label, true
	}
	return "", false
}

// UnknownError is the error of a word that names no host. Where the bus does not answer, it is the bus's: the word may
// name one of its hosts.
func (h Hosts) UnknownError(word string) error {
	if h.Missing != nil {
		e := *core.AsError(h.Missing)
		e.Message = fmt.Sprintf("host %q is not in the settings, and %s", core.Cut(word), e.Message)
		e.Subject.Host = word
		return &e
	}
	err := &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("there is no host %q", core.Cut(word)),
		Remedies: []core.Remedy{core.RemedyListHosts}, Subject: core.Subject{Host: word},
		Suggestions: near.Words(word, append(h.Names(), Local, All, Any)),
	}
	if len(err.Suggestions) > 0 {
		err.Slip.Word = word
	}
	return err
}

// Address reads an address. What is no host's name before a slash, and is not Local, is part of a session's name.
func (h Hosts) Address(text string) core.Address {
	at := core.ParseAddress(text)
	if _, known := h.Find(at.Host); !known && at.Host != Local {
		return core.ParseLocalAddress(text)
	}
	return at
}

// nameMost is the longest name of a host, in bytes.
const nameMost = 63

// named reports whether a word can name a host: names are parts of addresses, and of sections of the settings.
func named(word string) bool {
	if word == "" || len(word) > nameMost || strings.ContainsAny(word[:1], "-_") {
		return false
	}
	return !strings.ContainsFunc(word, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// CheckLabel returns InvalidInput for a label that could not be chosen by.
func CheckLabel(word string) error {
	if !named(word) {
		return core.Errorf(core.InvalidInput, "%q is no label: letters, digits, - and _ make one", core.Cut(word))
	}
	return nil
}

// CheckName returns InvalidInput for a name that a host cannot have.
func CheckName(word string) error {
	if word == Local || word == All || word == Any {
		return core.Errorf(core.InvalidInput, "no host can be called %s: the word has a meaning of its own", word)
	}
	if !named(word) {
		return core.Errorf(core.InvalidInput,
			"a host cannot be called %q: names are letters, digits, - and _, and begin with a letter or digit",
			core.Cut(word))
	}
	return nil
}
