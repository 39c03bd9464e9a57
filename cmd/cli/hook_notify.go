package cli

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/alert/notify"
	"cupola/core/config"
	"cupola/core/fleet/observe"
	"cupola/core/verb"
)

// notifyWord is the argument of the process that notifies the user where no keeper runs.
const notifyWord = "-notify"

const (
	// notifySettle is how long it waits: who answers at once needs no notification, and the dialog is drawn then.
	notifySettle = 1500 * time.Millisecond
	// notifyWithin is the most time that it may take.
	notifyWithin = time.Minute
)

// notifyLater starts the process that notifies the user, if the settings have a way that needs no terminal. The agent
// does not wait for it.
func (h *hookRun) notifyLater() error {
	paths := config.PathsOf(h.Getenv)
	set := config.Load(paths, h.Getenv).Notify
	if len(set.Services) == 0 && len(set.Command) == 0 && !set.Desktop && len(toBrowsers(paths)) == 0 {
		return nil
	}
	//nolint:noctx // it outlives this process
	cmd := exec.Command(self(), hookWord, notifyWord)
	cmd.Env = inherited(os.Environ(), os.Getpid())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// hasNotified reports whether notifications are out that can be withdrawn.
func (h *hookRun) hasNotified() bool {
	return len(notify.Ledger{Dir: config.Notified(config.PathsOf(h.Getenv))}.Posted()) > 0
}

// notifyNow notifies the user of all agents that wait, of each question once, and withdraws the notifications of
// questions that are answered, unless a keeper does.
func (h *hookRun) notifyNow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	if err := core.Sleep(ctx, notifySettle); err != nil {
		return err
	}
	paths := config.PathsOf(h.Getenv)
	f, _, err := h.fleet(verb.Kinds(paths))
	if err != nil || f.Announcer.Kept(ctx) {
		return err
	}
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return err
	}
	opts := notifyOptions(config.Load(paths, h.Getenv).Notify, paths, slog.New(slog.DiscardHandler))
	opts.Again = 0 // a keeper does that
	n := notify.New(opts)
	for _, a := range opts.Ledger.Posted() {
		if !slices.ContainsFunc(snapshot.Alerts, func(open core.Alert) bool { return open.ID == a.ID }) {
			n.Over(ctx, a)
		}
	}
	for i := range snapshot.Alerts {
		if a := &snapshot.Alerts[i]; a.State == core.Waiting && a.DismissedAt.IsZero() {
			change := alert.Change{Type: core.AlertRaised, Alert: *a}
			change.Locate(snapshot)
			n.Changed(ctx, change)
		}
	}
	n.Wait()
	return nil
}
