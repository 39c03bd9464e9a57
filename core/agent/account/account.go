// Package account finds the account that is signed in at each provider, in agents' files
// and in the environment. It checks that a secret exists; it neither decodes nor stores nor
// returns one. It uses no network, so it cannot know whether a provider still accepts a
// secret.
package account

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/plainfile"
)

// State is the ability of an agent to sign in.
type State string

// The states. Unknown means that a secret may be where it cannot be searched for, such as
// in the keychain of the system.
const (
	SignedIn  State = "signed_in"
	Expired   State = "expired"
	SignedOut State = "signed_out"
	Unknown   State = "unknown"
)

// Account is one way in which an agent may sign in at a provider.
type Account struct {
	Provider string `json:"provider" table:"PROVIDER,strong"`
	// Kind is the agent kind that uses it.
	Kind  core.Kind `json:"kind" table:"AGENT"`
	State State     `json:"state" table:"STATE,word"`
	// Method is oauth, api_key or token; empty if signed out.
	Method string `json:"method,omitempty" table:"BY"`
	// Name is the name or address of the account, Plan its subscription; each is empty if
	// unknown.
	Name string `json:"account,omitempty" table:"ACCOUNT"`
	Plan string `json:"plan,omitempty" table:"PLAN"`
	// Active is true for the account that the agent uses.
	Active bool `json:"active"`
	// Expires is when the secret expires; zero if unknown. If Renews is true, the agent
	// itself replaces it then.
	Expires time.Time `json:"expires_at,omitzero" table:"ENDS,dim"`
	Renews  bool      `json:"renews"`
	// Source is the file, or the variable of the environment.
	Source string `json:"source,omitempty" table:"FROM,dim,flex,drop=1"`
}

// Provider is a company or service that offers models to agents of a kind.
type Provider struct {
	Name string
	Kind core.Kind

	// find returns the accounts in the program's files; variables are the environment variables that hold a secret, and
	// their methods.
	find      func(home folders) []Account
	variables []variable
}

type variable struct{ name, method string }

// providers are by the format of what their programs keep.
var providers = map[agent.Format]Provider{
	agent.FormatClaude: {Name: "anthropic", find: claude, variables: []variable{
		{"ANTHROPIC_API_KEY", "api_key"}, {"ANTHROPIC_AUTH_TOKEN", "token"}, {"CLAUDE_CODE_OAUTH_TOKEN", "oauth"},
	}},
	agent.FormatCodex: {Name: "openai", find: codex, variables: []variable{
		{"CODEX_API_KEY", "api_key"}, {"OPENAI_API_KEY", "api_key"},
	}},
	agent.FormatGemini: {Name: "google", find: gemini, variables: []variable{
		{"GEMINI_API_KEY", "api_key"}, {"GOOGLE_API_KEY", "api_key"},
	}},
	agent.FormatOpenCode: {Name: "opencode", find: opencode},
	agent.FormatCopilot: {Name: "github", find: copilot, variables: []variable{
		{"COPILOT_GITHUB_TOKEN", "token"}, {"GH_TOKEN", "token"}, {"GITHUB_TOKEN", "token"},
	}},
	agent.FormatQwen: {Name: "qwen", find: qwen, variables: []variable{{"DASHSCOPE_API_KEY", "api_key"}}},
}

// Providers are the known providers, in the order in which they are shown.
var Providers = func() (all []Provider) {
	for _, n := range agent.Natives {
		if p, is := providers[n.Account]; is {
			p.Kind = n.Kind
			all = append(all, p)
		}
	}
	return all
}()

// Find returns the accounts of a provider as of now, first the one that its agent uses.
// There is always at least one, whose State may be SignedOut. System is a GOOS.
func (p *Provider) Find(env func(string) string, system string, now time.Time) []Account {
	found := p.find(folders{p.Kind, env, system})
	for _, v := range p.variables {
		if env(v.name) != "" {
			found = append(found,
				Account{
					Provider: p.Name, State: SignedIn, Method: v.method, Active: len(found) == 0,
					Source: "$" + v.name,
				})
		}
	}
	for i := range found {
		a := &found[i]
		a.Kind = p.Kind
		a.Provider = cmp.Or(a.Provider, p.Name)
		if a.State == SignedIn && !a.Expires.IsZero() && !a.Renews && !now.Before(a.Expires) {
			a.State = Expired
		}
	}
	slices.SortStableFunc(found, func(a, b Account) int {
		switch {
		case a.Active == b.Active:
			return 0
		case a.Active:
			return -1
		}
		return 1
	})
	if len(found) == 0 {
		return []Account{{Provider: p.Name, Kind: p.Kind, State: SignedOut}}
	}
	return found
}

// record is a JSON file that is read field by field.
type record json.RawMessage

// most bounds the size of a record.
const most = 8 << 20

// open reads a file; it is empty where it is not there, or no JSON.
func open(path string) record {
	text, err := plainfile.Read(path, most)
	if err != nil || !json.Valid(text) {
		return nil
	}
	return record(text)
}

// at returns a field by the names that lead to it; empty where there is none.
func (r record) at(names ...string) record {
	for _, name := range names {
		var fields map[string]json.RawMessage
		if json.Unmarshal(r, &fields) != nil {
			return nil
		}
		r = record(fields[name])
	}
	return r
}

// has reports whether a field holds anything. It does not decode it.
func (r record) has(names ...string) bool {
	value := bytes.TrimSpace(r.at(names...))
	return len(value) > 0 && !slices.Contains([]string{"null", `""`, "{}", "[]", "false"}, string(value))
}

// text decodes a field that is no secret.
func (r record) text(names ...string) string {
	var text string
	if json.Unmarshal(r.at(names...), &text) != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// moment decodes a time in Unix milliseconds.
func (r record) moment(names ...string) time.Time {
	var ms float64
	if json.Unmarshal(r.at(names...), &ms) != nil || ms <= 0 || ms > 1e15 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}
