package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/config/tomlfile"
)

// Fault is a part of the settings that is not used: a file that cannot be read, a key that does not exist, or a value
// that is not allowed.
type Fault struct {
	Layer Layer
	// Path is the file; empty for the environment.
	Path string
	// Key is the setting or the unknown key; empty where the file cannot be read.
	Key string
	// Whole is true if nothing of the file is used.
	Whole bool
	// Unknown is true for a key that does not exist.
	Unknown bool
	// Err is the error, with file and line.
	Err *core.Error

	// terminals is true for a file whose keys of Engine are used in spite of the fault.
	terminals bool
}

// mostFaults is how many faults of one file are listed.
const mostFaults = 20

// mostKeys is how many keys a file may have: to look at more would hold up every command.
const mostKeys = 5000

// mostWarnings is how many faults of one layer have a warning of their own.
const mostWarnings = 3

// Faults returns what is not used of the settings, in the order of the layers.
func (c *Config) Faults() []*Fault { return c.faults }

// FaultsOf returns the faults of one layer.
func (c *Config) FaultsOf(layer Layer) []*Fault {
	var of []*Fault
	for _, fault := range c.faults {
		if fault.Layer == layer {
			of = append(of, fault)
		}
	}
	return of
}

// Warnings returns the faults, a line each; of many in one layer it has the first and counts the others.
func (c *Config) Warnings() []string {
	var warnings []string
	for _, layer := range []Layer{User, Project, Environment} {
		of := c.FaultsOf(layer)
		for i, fault := range of {
			if i == mostWarnings && len(of) > mostWarnings+1 {
				more := strconv.Itoa(len(of) - i)
				if len(of) == mostFaults {
					more += " or"
				}
				warnings = append(warnings, of[0].where()+": "+more+" more parts of the settings are not used")
				break
			}
			warnings = append(warnings, c.Describe(fault))
		}
	}
	return warnings
}

// Describe says what is wrong, what was probably meant, and what holds instead.
func (c *Config) Describe(f *Fault) string {
	said := f.Err.Error()
	if len(f.Err.Suggestions) > 0 {
		said += "; did you mean " + f.Err.Suggestions[0] + "?"
	}
	at := indexOf(f.Key)
	switch {
	case f.terminals:
		return said + "; nothing of the file is used but its section engine"
	case f.Whole && f.touches("engine"):
		return said + "; nothing of the file is used, and only the usual terminal servers are asked: " +
			"CUPOLA_ENGINE_SOCKET names another"
	case f.Whole:
		return said + "; nothing of the file is used"
	case f.Unknown || at < 0:
		return said + " (it is not used)"
	case f.Key == engineSocket && c.Engine.Socket == "":
		return said + "; only the usual terminal servers are asked"
	}
	held := cmp.Or(c.Value(keys()[at]), "empty")
	return said + "; what holds is " + held
}

// Need returns the fault that makes settings or sections unreliable: a file that cannot be read, a value that is not
// allowed, or an unknown key that was probably meant for one of them. Verbs call it for settings whose default would do
// harm in place of the user's value.
func (c *Config) Need(names ...string) error {
	for _, fault := range c.faults {
		for _, name := range names {
			if rank(c.origins[name].Layer) <= rank(fault.Layer) && fault.touches(name) {
				err := *fault.Err
				err.Remedies = append(err.Remedies, core.RemedyMendSettings)
				return &err
			}
		}
	}
	return nil
}

// touches reports whether a fault may be about a setting or a section.
func (f *Fault) touches(name string) bool {
	if f.Whole {
		return f.Layer == User && (!f.terminals || !within(name, "engine"))
	}
	if !f.Unknown {
		return within(f.Key, name) || within(name, f.Key)
	}
	return slices.ContainsFunc(f.Err.Suggestions, func(meant string) bool {
		return within(meant, name) || within(name, meant)
	})
}

// misleads reports whether an entry of a table would say something else without the key that is left out.
func (f *Fault) misleads() bool { return !f.Unknown || len(f.Err.Suggestions) > 0 }

// where is the file, or the environment.
func (f *Fault) where() string {
	if f.Path == "" {
		return "environment"
	}
	return f.Path
}

// within reports whether a name is another one or below it.
func within(name, above string) bool { return name == above || strings.HasPrefix(name, above+".") }

// leaveOut takes down a fault.
func (c *Config) leaveOut(f *Fault) {
	if of := len(c.FaultsOf(f.Layer)); of < mostFaults || f.Layer == Environment {
		c.faults = append(c.faults, f)
	}
}

// settle puts in place of settings that are in doubt the values that do no harm, where those are not the defaults.
func (c *Config) settle() {
	for _, key := range keys() {
		if key.Safe == "" {
			continue
		}
		from := c.origins[key.Name].Layer
		for _, fault := range c.faults {
			named := !fault.Whole && fault.Key == key.Name && rank(from) <= rank(fault.Layer)
			if named || from == "" && fault.touches(key.Name) {
				value, err := parse(key, key.Safe)
				if err != nil {
					panic("config: " + err.Error())
				}
				c.put(key, value, origin{Layer: Default})
			}
		}
	}
}

// rank is the place of a layer in the order in which they win.
func rank(layer Layer) int {
	for i, l := range []Layer{Default, User, Project, Environment} {
		if l == layer {
			return i
		}
	}
	return 0
}

// engineSocket is the setting that names a private terminal server.
const engineSocket = "engine.socket"

// salvage takes in the lines of the section engine of a text that is no TOML, for they say whose terminals are driven.
// It returns false if they may say more than it understood.
func (c *Config) salvage(f *file) bool {
	if strings.Contains(f.text, `"""`) || strings.Contains(f.text, `'''`) {
		return false // a line may be part of a text
	}
	section, certain := "", true
	for line := range strings.Lines(strings.TrimPrefix(f.text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, _, closed := strings.Cut(line[1:], "]")
			section, certain = strings.TrimSpace(name), certain && closed
			continue
		}
		text := line
		switch {
		case section == "engine":
			text = "[engine]\n" + line
		case section != "" || !strings.HasPrefix(line, "engine"):
			continue
		}
		certain = c.salvageLine(f, text) && certain
	}
	return certain
}

// salvageLine takes in one statement of the section engine, and returns false for one that it does not understand or
// that says something again.
func (c *Config) salvageLine(f *file, text string) bool {
	var raw map[string]any
	meta, err := tomlfile.Parse(text, &raw)
	if err != nil {
		return false
	}
	certain := true
	for _, name := range meta.Keys() {
		at, value := indexOf(name.String()), at(raw, name)
		if at < 0 || !within(name.String(), "engine") {
			continue
		}
		fit, err := convert(keys()[at], value)
		_, again := c.origins[name.String()]
		certain = certain && err == nil && !again
		if err == nil {
			c.put(keys()[at], fit, origin{Layer: f.Layer, file: f})
		}
	}
	return certain
}
