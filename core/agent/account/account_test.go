package account_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/agent/account"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const (
	before = 1795175999000
	after  = 1795180000000
)

// secret is in every file that holds one; it must not be in any answer.
const secret = "sk-hidden"

// found is every account of a provider in words, on a machine with some files.
func found(t *testing.T, provider, system string, files, env map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for path, text := range files {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "SECRET", secret)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	variable := func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	}
	for i := range account.Providers {
		if account.Providers[i].Name != provider {
			continue
		}
		var words []string
		for _, a := range account.Providers[i].Find(variable, system, noon) {
			if text := fmt.Sprintf("%+v", a); strings.Contains(text, secret) {
				t.Errorf("a secret got out: %s", text)
			}
			active := ""
			if a.Active {
				active = "*"
			}
			words = append(words,
				strings.Join(strings.Fields(fmt.Sprintf("%s%s %s %s %s", active, a.State, a.Method, a.Name, a.Plan)),
					" "))
		}
		return strings.Join(words, ", ")
	}
	t.Fatalf("no provider %s", provider)
	return ""
}

func TestWhoIsSignedInIsSeenFromWhatAgentsKeep(t *testing.T) {
	type files = map[string]string
	oauth := func(expires int64, refresh string) string {
		return fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"SECRET","refreshToken":%q,"expiresAt":%d,"subscriptionType":"max"}}`, refresh, expires)
	}
	whose := `{"oauthAccount":{"emailAddress":"dev@example.org"}}`
	for name, test := range map[string]struct {
		provider, system string
		files, env       files
		want             string
	}{
		"none": {"anthropic", "linux", nil, nil, "signed_out"},
		"claude": {
			"anthropic", "linux",
			files{".claude/.credentials.json": oauth(after, ""), ".claude.json": whose},
			nil,
			"*signed_in oauth dev@example.org max",
		},
		"claude, over": {
			"anthropic", "linux",
			files{".claude/.credentials.json": oauth(before, "")},
			nil,
			"*expired oauth max",
		},
		"claude, renewed": {
			"anthropic", "linux",
			files{".claude/.credentials.json": oauth(before, "SECRET")},
			nil, "*signed_in oauth max",
		},
		"claude, left": {
			"anthropic", "linux",
			files{".claude.json": whose},
			nil,
			"*signed_out dev@example.org",
		},
		"claude, keychain": {
			"anthropic", "darwin",
			files{".claude.json": whose},
			nil,
			"*unknown oauth dev@example.org",
		},
		"claude, damaged": {
			"anthropic", "linux",
			files{".claude/.credentials.json": `{"claudeAiOauth":{"accessToken":"SECRET"`},
			nil, "signed_out",
		},
		"claude, of other type": {
			"anthropic", "linux",
			files{".claude/.credentials.json": `{"claudeAiOauth":["SECRET"]}`, ".claude.json": "[]"},
			nil,
			"signed_out",
		},
		"claude, two ways": {
			"anthropic", "linux",
			files{".claude/.credentials.json": oauth(after, "")},
			files{"ANTHROPIC_API_KEY": secret},
			"*signed_in oauth max, signed_in api_key",
		},
		"codex": {
			"openai", "linux",
			files{".codex/auth.json": `{"OPENAI_API_KEY":null,"tokens":{"access_token":"SECRET","refresh_token":"SECRET","account_id":"acc-1"}}`},
			nil, "*signed_in oauth acc-1",
		},
		"a key": {
			"openai", "linux",
			files{".codex/auth.json": `{"OPENAI_API_KEY":"SECRET"}`},
			nil,
			"*signed_in api_key",
		},
		"gemini": {
			"google", "linux", files{
				".gemini/oauth_creds.json":     fmt.Sprintf(`{"access_token":"SECRET","expiry_date":%d}`, after),
				".gemini/google_accounts.json": `{"active":"a@example.org","old":["b@example.org"]}`,
			}, nil, "*signed_in oauth a@example.org, signed_out b@example.org",
		},
		"an environment": {"google", "linux", nil, files{"GEMINI_API_KEY": secret}, "*signed_in api_key"},
		"opencode": {
			"opencode", "linux",
			files{".local/share/opencode/auth.json": `{"openai":{"type":"api","key":"SECRET"},"anthropic":{"type":"oauth","access":"SECRET","expires":5},"x":{}}`},
			nil, "*expired oauth anthropic, signed_in api_key openai",
		},
		"copilot": {
			"github", "linux",
			files{".copilot/config.json": `{"logged_in_users":[{"login":"a"},{"login":"b"}],"last_logged_in_user":{"login":"b"},"copilot_tokens":{"x":"SECRET"}}`},
			nil, "*signed_in oauth b, signed_in oauth a",
		},
		"qwen": {
			"qwen", "linux",
			files{".qwen/oauth_creds.json": fmt.Sprintf(`{"access_token":"SECRET","expiry_date":%d}`, before)},
			nil,
			"*expired oauth",
		},
	} {
		if got := found(t, test.provider, test.system, test.files, test.env); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func FuzzFiles(f *testing.F) {
	f.Add(`{"claudeAiOauth":{"accessToken":"x","expiresAt":1e99}}`)
	f.Add(`{"logged_in_users":[{"login":5}],"old":[1],"tokens":{"access_token":{}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		home := t.TempDir()
		for _, path := range []string{
			".claude/.credentials.json", ".codex/auth.json", ".gemini/google_accounts.json",
			".local/share/opencode/auth.json", ".copilot/config.json",
		} {
			path = filepath.Join(home, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i := range account.Providers {
			p := &account.Providers[i]
			accounts := p.Find(func(name string) string { return map[string]string{"HOME": home}[name] }, "linux", noon)
			if len(accounts) == 0 || accounts[0].Provider == "" || accounts[0].State == "" {
				t.Errorf("%s: %+v", p.Name, accounts)
			}
		}
	})
}
