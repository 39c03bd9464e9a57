package core

import (
	"cmp"
	"strconv"
	"strings"
)

// Address is the place of a session or a pane. It is written HOST/SESSION.PANE; an empty part is left out with its
// mark. The zero value is nowhere.
type Address struct {
	// Host is the name that this machine has for another one; empty is this machine.
	Host string
	// Session is a session's name, id or identity; empty where the pane's id says all.
	Session string
	// Pane is the pane's ordinal in the session, or its id; empty is the session itself.
	Pane string
}

// AddressOf is the address of a pane of a session of this machine.
func AddressOf(session string, ordinal int) Address {
	return Address{Session: session, Pane: strconv.Itoa(ordinal)}
}

// ParseAddress reads an address, whose part before the first slash is a host: no id of a terminal server has a slash.
// Where the name of a session may have one, the hosts are to be known (host.Hosts.Address).
func ParseAddress(text string) Address {
	host, rest, is := strings.Cut(text, "/")
	if !is || host == "" {
		return ParseLocalAddress(text)
	}
	at := ParseLocalAddress(rest)
	at.Host = host
	return at
}

// ParseLocalAddress reads an address of this machine.
func ParseLocalAddress(text string) Address {
	if strings.HasPrefix(text, "%") {
		return Address{Pane: text}
	}
	if dot := strings.LastIndexByte(text, '.'); dot > 0 && dot < len(text)-1 {
		return Address{Session: text[:dot], Pane: text[dot+1:]}
	}
	return Address{Session: text}
}

// String returns what ParseAddress reads.
func (a Address) String() string {
	name := a.There()
	if a.Host == "" {
		return name
	}
	return OnHost(a.Host, name)
}

// There is the address on its own machine.
func (a Address) There() string {
	if a.Session != "" && a.Pane != "" {
		return a.Session + "." + a.Pane
	}
	return cmp.Or(a.Session, a.Pane)
}

// OnHost returns this machine's name for something of a host: the host's name, then its name or id there.
func OnHost[Name ~string](host string, name Name) Name { return Name(host+"/") + name }

// Host is the host that has the pane; empty is this machine.
func (id PaneID) Host() string { return ParseAddress(string(id)).Host }

// Host is the host that has the session; empty is this machine.
func (id SessionID) Host() string { return ParseAddress(string(id)).Host }
