package guide

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/verb/registry"
)

// Verb describes a verb.
type Verb struct {
	Description string `json:"description"`
	// Effect is the effect of the verb, and Level the level that a client of a server needs for it; absent where that
	// is the same. A verb of a list without an effect reads.
	Effect string `json:"effect,omitempty"`
	Level  string `json:"level,omitempty"`
	// Usage is the subcommand with its arguments; flags follow. In a list it is the arguments alone, and absent where
	// none is required.
	Usage string `json:"usage,omitempty"`
	*Full
}

// Full holds the fields that a complete description adds.
type Full struct {
	// Scope is the kind of target: global, session or resource.
	Scope string `json:"scope"`
	// Robot is the flag form: --robot-NAME, with =SESSION where it takes one.
	Robot string `json:"robot"`
	// AliasOf is the command that the verb is another name of; absent for a real verb.
	AliasOf string `json:"alias_of,omitempty"`
	// Flags are the names of the verb's own flags; FlagDetails is all about them.
	Flags       []string `json:"flags"`
	Details     string   `json:"details,omitempty"`
	Aliases     []string `json:"aliases,omitempty"`
	Arguments   []Flag   `json:"arguments"`
	FlagDetails []Flag   `json:"flag_details"`
	Formats     []string `json:"formats"`
	// Presets are the named selections of --fields.
	Presets  map[string][]string `json:"field_presets,omitempty"`
	Fields   []string            `json:"fields,omitempty"`
	Examples []string            `json:"examples" names:"command"`
	// SeeAlso names the verbs that are of use with this one or after it.
	SeeAlso []string    `json:"see_also,omitempty"`
	Errors  []core.Code `json:"errors"`
	Streams bool        `json:"streams"`
	// SchemaType is the name of the answer's shape in the verb schema.
	SchemaType     string `json:"schema_type"`
	ResponseSchema any    `json:"response_schema,omitempty"`
}

// Flag describes an input.
type Flag struct {
	Name string `json:"name"`
	// Scope is global for flags of every verb, shared for those that mean the same
	// with several, and verb for those of one; empty for arguments.
	Scope       string   `json:"scope,omitempty"`
	Short       string   `json:"short,omitempty"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Default     string   `json:"default,omitempty"`
	Values      []string `json:"values,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Aliases     []string `json:"aliases,omitempty"`
	Deprecated  []string `json:"deprecated_aliases,omitempty"`
}

// Describe describes a verb of a catalogue, shortly or with everything but its
// schema.
func Describe(c *registry.Catalog, v *registry.Verb, full bool) Verb {
	d := Verb{Description: v.Short, Effect: string(v.Effect), Usage: strings.TrimSuffix(v.Usage(), " [flags]")}
	if v.Level != v.Effect {
		d.Level = string(v.Level)
	}
	if !full {
		if v.Effect == registry.Reads {
			d.Effect = ""
		}
		d.Usage = strings.TrimSpace(strings.TrimPrefix(d.Usage, "cupola "+v.Name))
		if strings.HasPrefix(d.Usage, "[") {
			d.Usage = ""
		}
		return d
	}
	d.Full = &Full{
		Scope: string(v.Scope), Robot: v.RobotFlag(), AliasOf: v.Of, Flags: v.Flags(),
		Details: v.Long, Aliases: slices.Concat(v.Aliases, c.Phrases(v)), Arguments: []Flag{}, FlagDetails: []Flag{},
		Formats: formats(v), Presets: v.Rows().Presets, Fields: v.Rows().Columns(), Examples: v.Examples(),
		SeeAlso: v.Related, Errors: errorsOf(v), Streams: v.Streams, SchemaType: v.Schema,
	}
	if v.Scope != registry.Global {
		d.Robot += "=" + argumentName(v)
	}
	for _, field := range v.Fields() {
		if field.Arg > 0 {
			d.Arguments = append(d.Arguments, describeField(field))
		}
		if field.Flag() {
			flag := describeField(field)
			flag.Scope = scopeOf(c, field)
			d.FlagDetails = append(d.FlagDetails, flag)
		}
	}
	return d
}

// scopeOf says how many verbs take a flag.
func scopeOf(c *registry.Catalog, field *registry.Field) string {
	switch {
	case registry.GlobalField(field.Name) != nil:
		return "global"
	case len(c.TakenBy(field.Name)) > 1:
		return "shared"
	}
	return "verb"
}

func argumentName(v *registry.Verb) string {
	if v.Scope == registry.Session {
		return "SESSION"
	}
	return "VALUE"
}

func describeField(field *registry.Field) Flag {
	f := Flag{
		Name: field.Name, Short: field.Short, Type: field.Type, Description: field.Help, Default: field.Default,
		Values: field.Enum, Required: field.Required,
	}
	for _, alias := range field.Aliases {
		if alias.Deprecated {
			f.Deprecated = append(f.Deprecated, alias.Name)
		} else {
			f.Aliases = append(f.Aliases, alias.Name)
		}
	}
	return f
}

func formats(v *registry.Verb) []string {
	switch {
	case v.Streams:
		return []string{"ndjson"}
	case v.List != "":
		return []string{"json", "toon", "markdown", "terse", "ndjson"}
	}
	return []string{"json", "toon", "markdown", "terse"}
}

// anyVerb are the codes that every verb can fail with.
var anyVerb = []core.Code{
	core.InvalidFlag, core.InvalidInput, core.UnknownFlag, core.TooManyValues, core.TooFewValues,
	core.Cancelled, core.InternalError,
}

func errorsOf(v *registry.Verb) []core.Code {
	codes := append([]core.Code{}, v.Errors...)
	for _, field := range v.Fields() {
		if field.Required && !slices.Contains(codes, core.MissingRequired) {
			codes = append(codes, core.MissingRequired)
			break
		}
	}
	return append(codes, anyVerb...)
}

// Globals describes the flags that every verb takes.
func Globals() []Flag {
	return core.Map(registry.GlobalFields(), func(field *registry.Field) Flag {
		flag := describeField(field)
		flag.Scope = "global"
		return flag
	})
}

// Aliases returns a line for each alias of a catalog: its name, and the real verb's command.
func Aliases(c *registry.Catalog) []string {
	lines := core.Map(c.Aliases(), func(verb *registry.Verb) string { return verb.Name + ": " + verb.Of })
	slices.Sort(lines)
	return lines
}

// Deprecation is a deprecated flag, or form of one, and what replaces it.
type Deprecation struct {
	Verb       string `json:"verb"`
	Deprecated string `json:"deprecated"`
	Use        string `json:"use"`
}

// deprecatedFor says how long a deprecated form lives.
const deprecatedFor = "A deprecated form works, and warns, for two minor versions after the release that deprecates it."

// Deprecations lists what is deprecated of all verbs.
func Deprecations(c *registry.Catalog) []Deprecation {
	rows := []Deprecation{}
	for _, verb := range c.Verbs {
		if legacy, use := verb.ValueForm(); legacy != "" {
			rows = append(rows, Deprecation{Verb: verb.Name, Deprecated: legacy, Use: use})
		}
		for _, field := range verb.Fields() {
			for _, alias := range field.Aliases {
				if alias.Deprecated {
					rows = append(rows,
						Deprecation{Verb: verb.Name, Deprecated: "--" + alias.Name, Use: "--" + field.Name})
				}
			}
		}
	}
	return rows
}
