package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// bridgeErrors are the error codes of other people's tools.
var bridgeErrors = []core.Code{
	core.ToolNotFound, core.BackendFailed, core.CredentialMissing, core.AuthFailed, core.RateLimited, core.NetworkError,
	core.DecodeFailed, core.Timeout, core.PermissionDenied, core.ConfigInvalid,
}

// BridgeVerbs are the verbs of the tools that come with Cupola, and of those that
// the user added. Their files are read when a verb is first described or called.
func BridgeVerbs(known *bridge.Bridges) []*registry.Verb {
	entries := bridge.Index()
	added := known.Added()
	return core.Map(slices.Concat(entries, added), func(entry bridge.Entry) *registry.Verb {
		return bridgeVerb(known, entry)
	})
}

// bridgeVerb is the verb TOOL-ACTION.
func bridgeVerb(known *bridge.Bridges, entry bridge.Entry) *registry.Verb {
	d := registry.Declaration[*verb.Local]{
		Name: entry.Tool + "-" + entry.Action, Tool: entry.Tool, Group: verb.GroupTools,
		Short: entry.Short, Long: entry.Long,
		Scope: registry.Global, Effect: registry.Effect(entry.Effect), Errors: bridgeErrors, List: entry.List,
		Shape: func() registry.Shape { return bridgeShape(known, entry) },
		Run: func(ctx context.Context, env *verb.Local, in any) (registry.Result, error) {
			return callBridge(ctx, env, entry, in)
		},
	}
	if entry.Resource {
		d.Scope = registry.Resource
	}
	return registry.Declare(d).SeeAlso("tools", "status")
}

// actionOf finds the action of an entry.
func actionOf(known *bridge.Bridges, entry bridge.Entry) (*bridge.Action, error) {
	tool, err := known.Tool(entry.Tool)
	if err != nil {
		return nil, err
	}
	action := tool.Actions[entry.Action]
	if action == nil {
		return nil, core.Errorf(core.ConfigInvalid, "the bridge %s has no action %s", entry.Tool, entry.Action)
	}
	return action, nil
}

// callBridge runs an action with an input.
func callBridge(ctx context.Context, env *verb.Local, entry bridge.Entry, in any) (registry.Result, error) {
	action, err := actionOf(env.Bridges, entry)
	if err != nil {
		return registry.Result{}, err
	}
	if unknown := UnknownModifiers(action); len(unknown) > 0 {
		return registry.Result{},
			core.Errorf(core.ConfigInvalid, "bridge %s.toml: action %s takes %s, which does not exist", entry.Tool,
				entry.Action, strings.Join(unknown, ", "))
	}
	given := readInput(in, env.Now())
	if err := bridgeConsent(env, action, in, given.consent); err != nil {
		return registry.Result{}, err
	}
	answer, err := env.Bridges.Call(ctx, action, given.values, given.timeout)
	if err != nil {
		return registry.Result{}, err
	}
	value, err := given.output(action, answer)
	if err != nil {
		return registry.Result{}, err
	}
	result := registry.Result{
		Value: value, Hints: bridgeHints(action, answer, given),
		Human: func() *report.Report { return bridgeReport(action, answer) },
	}
	for _, next := range answer.Next {
		if len(next.Words) > 0 && env.Catalog.Find(next.Words[0]) != nil {
			result.Next = append(result.Next, registry.Action{
				Action: next.Action, Description: next.Description,
				Command: shell.Line(append([]string{"cupola"}, next.Words...)...),
			})
		}
	}
	return result, nil
}

// bridgeConsent asks before an action that destroys.
func bridgeConsent(env *verb.Local, action *bridge.Action, in any, given bool) error {
	if registry.Effect(action.Effect) != registry.Destroys {
		return nil
	}
	may := verb.Permission{Verb: action.Tool.ID + "-" + action.Name, In: in, Given: given}
	return may.Ask(env.Who(), action.Short+"?")
}

// bridgeHints returns the hints of the tool's answer and of its page.
func bridgeHints(action *bridge.Action, answer *bridge.Answer, given bridgeInput) *registry.Hints {
	hints := &registry.Hints{
		Summary: answer.Hints.Summary, SuggestedAction: answer.Hints.SuggestedAction,
		SaferAlternative: answer.Hints.SaferAlternative,
	}
	if answer.More {
		offset, _ := given.values["offset"].(int)
		limit, _ := given.values["limit"].(int)
		next := offset + len(answer.Rows)
		hints.NextOffset = &next
		if left := answer.Total - next; left > 0 && limit > 0 {
			pages := (left + limit - 1) / limit
			hints.PagesRemaining = &pages
		}
	}
	if action.List != nil && hints.Summary == "" {
		hints.Summary = fmt.Sprintf("%d of %d %s", len(answer.Rows), answer.Total, action.List.Name)
	}
	return hints
}
