package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
	"cupola/core/system/process"
)

// claudeTitle is a shell's command that gives its terminal a title as Claude Code does.
const claudeTitle = `printf '\033]2;✳ Claude Code\007'; `

func TestAWrappedAgentIsRecognisedWhereTwoSignsAgree(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	program := filepath.Join(th.tmux.Dir, "claude")
	if err := os.Symlink("/bin/sleep", program); err != nil {
		t.Fatal(err)
	}
	hidden := filepath.Join(th.tmux.Dir, ".claude-unwrapped")
	if err := os.Symlink("/bin/sleep", hidden); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		command     string
		kind, maybe core.Kind
	}{
		"both":    {claudeTitle + program + " 1000; true", "claude", ""},
		"wrapped": {claudeTitle + hidden + " 1000; true", "claude", ""},
		"process": {program + " 1000; true", "", "claude"},
		"title":   {claudeTitle + "sleep 1000; true", "", ""},
		"piped":   {claudeTitle + program + " 1000 | cat; true", "", ""},
		"over":    {claudeTitle + program + " 0; sleep 1000; true", "", ""},
		"behind":  {claudeTitle + "sh -c '" + program + " 1000; true'; true", "claude", ""},
	}
	for name, c := range cases {
		th.tmux.Run("new-session", "-d", "-s", name, "--", "sh", "-c", c.command)
	}
	th.until(t, func(s *core.Snapshot) bool {
		for name, c := range cases {
			found := s.Session(name).Panes[0].Agent
			if found.Kind != c.kind || found.Maybe != c.maybe || c.kind != "" && found.Recognised != "signs" {
				return false
			}
		}
		return true
	})
	snapshot := th.until(t, func(*core.Snapshot) bool { return true })
	both := snapshot.Session("both").Panes[0]
	if p, err := process.Find(both.Agent.PID); err != nil || p.Name != "claude" || both.Agent.Name != "cc_1" ||
		both.Agent.Confidence < 0.9 {
		t.Errorf("%+v is %+v, %v", both.Agent, p, err)
	}
	if _, err := th.Launcher.Adopt(t.Context(), lifecycle.AdoptRequest{Pane: "process.0"}); err == nil {
		t.Error("a guess was adopted")
	} else {
		fleettest.WantError(t, err, core.MissingRequired, "claude")
	}
	if _, err := th.Launcher.Adopt(t.Context(), lifecycle.AdoptRequest{Pane: "wrapped.0"}); err != nil {
		t.Fatal(err)
	}
	wrapped := th.until(t, func(s *core.Snapshot) bool { return s.Session("wrapped").Panes[0].Managed })
	if pane := wrapped.Session("wrapped").Panes[0]; pane.Status.State == core.Exited {
		t.Errorf("once adopted: %+v", pane.Status)
	}
}

func TestAMemberOfATeamIsKnownByItsArguments(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	program := filepath.Join(th.tmux.Dir, "claude")
	if err := os.Symlink("/bin/sh", program); err != nil {
		t.Fatal(err)
	}
	th.tmux.Run("new-session", "-d", "-s", "mine", "--", program, "-c", "sleep 1000; true")
	th.tmux.Run("split-window", "-t", "mine", "--", program, "-c", "sleep 1000; true", "--agent-name", "rev",
		"--team-name=alpha", "--parent-session-id", "s-1")
	// Until a process becomes its program, it has the arguments of the terminal server.
	th.until(t, func(s *core.Snapshot) bool {
		lead, member := s.Session("mine").Panes[0].Agent, s.Session("mine").Panes[1].Agent
		return lead.Kind == "claude" && lead.Role == "" && member.Role == core.RoleMember && member.Team == "alpha" &&
			member.Member == "rev"
	})
}

func TestNothingIsTypedIntoAnOverviewOfAgents(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	program := filepath.Join(th.tmux.Dir, "claude")
	if err := os.Symlink("/bin/sh", program); err != nil {
		t.Fatal(err)
	}
	for name, title := range map[string]string{"one": "claude agents", "two": "2 awaiting input · claude agents"} {
		th.tmux.Run("new-session", "-d", "-s", name, "--", program, "-c",
			`printf '\033]2;'"`+title+`"'\007'; sleep 1000; true`)
		th.until(t, func(s *core.Snapshot) bool {
			pane := s.Session(name).Panes[0]
			return pane.Agent.Role == core.RoleOverview && pane.Status.State == core.Unknown && !pane.IsAgent()
		})
		sent, err := th.Sender.Send(t.Context(), deliver.Request{
			Target: resolve.Target{Session: name + ".0"}, Text: "hello", Force: true,
		})
		fleettest.WantError(t, err, core.DeliveryFailed, "")
		if len(sent.Deliveries) != 1 || sent.Deliveries[0].Outcome != core.Refused ||
			sent.Deliveries[0].Why != terminal.WhyOverview {
			t.Errorf("%q: %+v", title, sent)
		}
	}
}
