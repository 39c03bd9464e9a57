package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/agent/acp/rpc"
)

// The methods that set the mode and the model of agents that have no options for them.
const (
	setMode   = "session/set_mode"
	setModel  = "session/set_model"
	setOption = "session/set_config_option"
)

// wireSettings are the settings in the answer to a new or continued session.
type wireSettings struct {
	Modes *struct {
		Current string                                   `json:"currentModeId"`
		Modes   []struct{ ID, Name, Description string } `json:"availableModes"`
	}
	Models *struct {
		Current string `json:"currentModelId"`
		Models  []struct {
			ID                string `json:"modelId"`
			Name, Description string
		} `json:"availableModels"`
	}
	Options json.RawMessage `json:"configOptions"`
}

// settings returns the settings, those of a method before those of options.
func (w *wireSettings) settings() []Setting {
	var all []Setting
	if w.Modes != nil {
		mode := Setting{
			ID: ModeSetting, Name: "Mode", Category: ModeSetting, Value: id(w.Modes.Current), method: setMode,
		}
		for _, m := range firstOf(w.Modes.Modes, maxList) {
			mode.add(m.ID, m.Name, m.Description)
		}
		all = append(all, mode)
	}
	if w.Models != nil {
		model := Setting{
			ID: ModelSetting, Name: "Model", Category: ModelSetting, Value: id(w.Models.Current), method: setModel,
		}
		for _, m := range firstOf(w.Models.Models, maxList) {
			model.add(m.ID, m.Name, m.Description)
		}
		all = append(all, model)
	}
	for _, option := range optionsOf(w.Options) {
		if !slices.ContainsFunc(all, func(s Setting) bool { return s.Category == option.Category && s.method != "" }) {
			all = append(all, option)
		}
	}
	return all
}

// wireChoice is a value of an option, or a group of them.
type wireChoice struct {
	Value, Name, Description string
	Options                  []wireChoice
}

// optionsOf returns the settings that are options: those that are chosen from a list.
func optionsOf(raw json.RawMessage) []Setting {
	var wire []struct {
		ID, Name, Category, Type string
		Value                    string `json:"currentValue"`
		Options                  []wireChoice
	}
	rpc.Decode(raw, &wire)
	var all []Setting
	for _, w := range firstOf(wire, maxOptions) {
		s := Setting{
			ID: id(w.ID), Name: rpc.Line(w.Name, maxID), Category: rpc.Line(w.Category, maxID), Value: id(w.Value),
		}
		for _, choice := range firstOf(w.Options, maxList) {
			if len(choice.Options) == 0 {
				s.add(choice.Value, choice.Name, choice.Description)
			}
			for _, each := range firstOf(choice.Options, maxList) {
				s.add(each.Value, each.Name, each.Description)
			}
		}
		if s.ID != "" && len(s.Values) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func (s *Setting) add(value, name, help string) {
	if value = id(value); value != "" && len(s.Values) < maxList {
		s.Values = append(s.Values, Choice{value, rpc.Line(cmp.Or(name, value), maxName), rpc.Line(help, maxName)})
	}
}

// Find returns the value of a setting that has an id or a name; of several parts of names that fit, none.
func (s *Setting) Find(word string) (Choice, error) {
	for _, fits := range []func(Choice) bool{
		func(c Choice) bool { return c.ID == word },
		func(c Choice) bool { return strings.EqualFold(c.ID, word) || strings.EqualFold(c.Name, word) },
		func(c Choice) bool {
			return strings.Contains(strings.ToLower(c.ID+"\n"+c.Name), strings.ToLower(word))
		},
	} {
		var found []Choice
		for _, choice := range s.Values {
			if fits(choice) {
				found = append(found, choice)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	ids := core.Map(firstOf(s.Values, maxOptions), func(choice Choice) string { return choice.ID })
	return Choice{}, fmt.Errorf("the agent has no %s %q: it has %s", strings.ToLower(s.Name), word,
		strings.Join(ids, ", "))
}

// settingOf returns the setting of a category; nil if there is none.
func settingOf(all []Setting, category string) *Setting {
	for i := range all {
		if all[i].Category == category || all[i].ID == category {
			return &all[i]
		}
	}
	return nil
}
