package tools

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/verb/registry"
)

// bridgeModifiers are the modifiers that tools share. An action has those that
// it takes; every action has a time limit and can answer in more detail.
type bridgeModifiers struct {
	Query     string            `help:"What to look for"`
	Limit     int               `flag:"limit,n" alias:"robot-limit" min:"1" help:"Most rows to return"`
	Offset    int               `alias:"robot-offset" min:"0" help:"Rows to skip"`
	Since     registry.Since    `since:"time" help:"Only results since this time"`
	Until     registry.Since    `since:"time" help:"Only results before this time"`
	Agent     string            `help:"Only this agent, as the tool names it"`
	Workspace registry.ReadPath `help:"Only this folder"`
	Category  string            `help:"Only this category"`
	Tag       string            `help:"Only this tag"`
	Command   string            `help:"The shell command to judge; it is not run"`
	Project   registry.ReadPath `help:"Only this project: the path of its folder"`
	ID        string            `help:"Which one"`
	IDs       []string          `flag:"ids" help:"Which ones"`
	Reason    string            `help:"Why"`
	DryRun    bool              `flag:"dry-run" help:"Show what would be done and do nothing"`
	Timeout   time.Duration     `help:"How long the tool may take (default: its own limit)"`
	registry.Detail
	registry.Consent
}

// always are the modifiers that every action has, and consents those of actions
// that destroy.
var (
	always   = []string{"timeout", "verbose"}
	consents = []string{"yes", "force"}
)

// sharedModifiers are the fields of bridgeModifiers by the names of their flags.
func sharedModifiers() map[string]reflect.StructField {
	shared := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[bridgeModifiers]()) {
		if !field.Anonymous {
			shared[flagName(field)] = field
		}
	}
	return shared
}

func flagName(field reflect.StructField) string {
	if name, _, _ := strings.Cut(field.Tag.Get("flag"), ","); name != "" {
		return name
	}
	return strings.ToLower(field.Name)
}

// UnknownModifiers returns the modifiers that an action takes and no modifier declares.
func UnknownModifiers(action *bridge.Action) []string {
	shared := sharedModifiers()
	return slices.DeleteFunc(slices.Clone(action.Takes), func(name string) bool {
		_, known := shared[name]
		_, own := action.Tool.Flags[name]
		return known || own
	})
}

// modifiersOf are the names of the modifiers that an action has, in their order.
func modifiersOf(action *bridge.Action) []string {
	names := slices.Clone(action.Takes)
	if registry.Effect(action.Effect) == registry.Destroys {
		names = append(names, consents...)
	}
	return append(names, always...)
}

// inputType makes the input struct of an action.
func inputType(action *bridge.Action) reflect.Type {
	shared := sharedModifiers()
	var fields []reflect.StructField
	for _, name := range modifiersOf(action) {
		field, ok := shared[name]
		if own, declared := action.Tool.Flags[name]; declared {
			field, ok = ownModifier(name, own), true
		}
		if !ok || slices.ContainsFunc(fields, func(f reflect.StructField) bool { return f.Name == field.Name }) {
			continue
		}
		fields = append(fields,
			reflect.StructField{Name: field.Name, Type: field.Type, Tag: inputTag(action, name, field.Tag)})
	}
	return reflect.StructOf(fields)
}

// ownModifier is a modifier that one tool alone knows, as a field.
func ownModifier(name string, flag bridge.Flag) reflect.StructField {
	types := map[string]reflect.Type{
		"int": reflect.TypeFor[int](), "bool": reflect.TypeFor[bool](),
		"path": reflect.TypeFor[registry.WritePath](),
	}
	kind, ok := types[flag.Type]
	if !ok {
		kind = reflect.TypeFor[string]()
	}
	tag := `help:` + strconv.Quote(flag.Help)
	if len(flag.Enum) > 0 {
		tag += ` enum:` + strconv.Quote(strings.Join(flag.Enum, ","))
	}
	return reflect.StructField{Name: goName(name), Type: kind, Tag: reflect.StructTag(tag)}
}

// goName makes a field's name of a flag's: xf-mode is XfMode.
func goName(flag string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(flag, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// inputTag adds to a modifier's tag what the action says of it.
func inputTag(action *bridge.Action, name string, tag reflect.StructTag) reflect.StructTag {
	words := []string{}
	if tag.Get("flag") == "" {
		words = append(words, `flag:`+strconv.Quote(name))
	}
	aliases := tag.Get("alias")
	if slices.Contains(action.Tool.Deprecated, name) {
		aliases = strings.TrimPrefix(aliases+",!"+action.Tool.ID+"-"+name, ",")
	}
	if aliases != "" {
		words = append(words, `alias:`+strconv.Quote(aliases))
	}
	if slices.Contains(action.Require, name) {
		words = append(words, `required:"true"`)
	}
	switch {
	case action.Argument != name:
	case name == "ids":
		words = append(words, `arg:"rest"`)
	case action.Resource:
		words = append(words, `arg:"1"`)
	default:
		words = append(words, `inline:"legacy"`)
	}
	// The first of two equal keys is read.
	return reflect.StructTag(strings.TrimSpace(strings.Join(words, " ") + " " + string(tag)))
}

// shapes holds the registry.Shape of each *bridge.Action that was asked for: types are made once in a process.
var shapes sync.Map

// bridgeShape makes the types of an action's verb. Where the user's file cannot be read they are the ones that come
// with Cupola, and the run says why.
func bridgeShape(known *bridge.Bridges, entry bridge.Entry) registry.Shape {
	action, err := actionOf(known, entry)
	if err != nil {
		action, err = actionOf(bridge.Open(nil, nil), entry)
	}
	if err != nil {
		return registry.Shape{Output: reflect.TypeFor[struct{}](), Default: struct{}{}, Examples: []any{struct{}{}}}
	}
	made, _ := shapes.Load(action)
	if shape, known := made.(registry.Shape); known {
		return shape
	}
	input := inputType(action)
	shape := registry.Shape{Output: outputType(action), Default: filled(input, action.Default)}
	if entry.List != "" {
		shape.Presets = map[string][]string{"minimal": entry.Minimal}
		if len(entry.Standard) > 0 {
			shape.Presets["standard"] = entry.Standard
		}
	}
	for _, example := range action.Example {
		values := maps.Clone(action.Default)
		if values == nil {
			values = map[string]string{}
		}
		maps.Copy(values, example)
		shape.Examples = append(shape.Examples, filled(input, values))
	}
	shapes.Store(action, shape)
	return shape
}

// filled makes an input of texts. A text that makes no value is left out; tests
// hold the tools that come with Cupola to theirs.
func filled(input reflect.Type, texts map[string]string) any {
	value := reflect.New(input).Elem()
	for i := range input.NumField() {
		text, given := texts[flagName(input.Field(i))]
		if !given {
			continue
		}
		switch target := value.Field(i).Addr().Interface().(type) {
		case *string:
			*target = text
		case *int:
			*target, _ = strconv.Atoi(text)
		case *bool:
			*target = text == "true"
		case *[]string:
			*target = strings.Fields(text)
		case *time.Duration:
			*target, _ = core.ParseDuration(text)
		case *registry.Since:
			_ = target.UnmarshalText([]byte(text))
		}
	}
	return value.Interface()
}

// bridgeInput is the input of a call of an action.
type bridgeInput struct {
	values           bridge.Values
	filters          map[string]string
	timeout          time.Duration
	verbose, consent bool
}

// readInput reads an input struct that inputType made. Durations count from now.
func readInput(in any, now time.Time) bridgeInput {
	given := bridgeInput{values: bridge.Values{}, filters: map[string]string{}}
	value := reflect.ValueOf(in)
	for i := range value.NumField() {
		name, field := flagName(value.Type().Field(i)), value.Field(i).Interface()
		switch name {
		case "timeout":
			given.timeout, _ = field.(time.Duration)
		case "verbose":
			given.verbose, _ = field.(bool)
		case "yes", "force":
			on, _ := field.(bool)
			given.consent = given.consent || on
		}
		given.filters[name] = fmt.Sprint(field)
		if value.Field(i).IsZero() {
			given.filters[name] = ""
			continue
		}
		if since, isTime := field.(registry.Since); isTime {
			field = since.AsTime(now)
		}
		if value.Field(i).Kind() == reflect.String { // whatever its type is called
			field = value.Field(i).String()
		}
		given.values[name] = field
	}
	return given
}
