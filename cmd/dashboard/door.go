package dashboard

import (
	"context"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/verb/registry"
	"cupola/core/verb/remote"
	"cupola/tui/effect"
)

// Doing names the running action of the verb that takes an input.
func (d *Dashboard) Doing(input any) string {
	if verb := d.Env.Catalog.Taking(input); verb != nil {
		return verb.Doing
	}
	return ""
}

// Call calls the verb that takes an input, on this machine or on the host that the place names. The verb has the
// environment that the command line gives it: what a user may do there, they may do here. Nothing is asked, for the
// dashboard's forms have asked.
func (d *Dashboard) Call(ctx context.Context, at registry.Target, input any) (effect.Answer, error) {
	verb := d.Env.Catalog.Taking(input)
	if verb == nil {
		return effect.Answer{}, core.Errorf(core.InternalError, "no verb takes a %T", input)
	}
	input, err := registry.Ready(verb, input, at)
	if err == nil {
		input, err = d.Env.Border.Admit(verb, input)
	}
	if err != nil {
		return effect.Answer{}, err
	}
	env, done := d.OneCall()
	defer done()
	env.Human, env.Origin, env.OwnPane, env.OwnShell = true, origin, d.Env.OwnPane, d.Env.OwnShell
	env.Stdin = func() (string, error) { return "-", nil } // a dash that was typed is a dash
	called, input, err := d.Network.OnHosts(ctx, env, verb, input, nil, host.Report)
	if err != nil {
		return effect.Answer{}, err
	}
	env.Settings()
	env.Kinds()
	_ = env.Warnings() // of the user's files: the dashboard printed them when it started
	reply, err := called.Call(ctx, env, input, nil)
	if err != nil {
		return d.partly(verb, err), err
	}
	value, err := remote.Typed(verb, reply.Value)
	if err != nil {
		return effect.Answer{}, err
	}
	answer := effect.Answer{Said: registry.Said(value), Value: value, Undo: lastActed(env)}
	if answer.Said == "" {
		answer.Said = reply.Said()
	}
	for _, warning := range env.Warnings() {
		answer.Said += "; " + warning
	}
	return answer, nil
}

// partly returns the result of a verb that failed half-way.
func (d *Dashboard) partly(verb *registry.Verb, err error) effect.Answer {
	value, err := remote.Typed(verb, core.AsError(err).Details)
	if err != nil {
		return effect.Answer{}
	}
	return effect.Answer{Said: registry.Said(value), Value: value}
}
