package sessions

import (
	"context"
	"os"

	"cupola/core/fleet/lifecycle"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// Depart takes along where the branch of the caller's folder can be cloned from.
func (in SpawnIn) Depart(ctx context.Context, from registry.Env) (any, error) {
	env, is := from.(*verb.Env)
	if !is {
		return in, nil
	}
	err := in.Branched.Depart(ctx, env, "spawn", func() any { return in }, in.DryRun)
	return in, err
}

// bring brings the branch to this machine, has the request start in it, and returns its folder; empty without a branch.
func (in SpawnIn) bring(ctx context.Context, env *verb.Env, request *lifecycle.LaunchRequest) (string, error) {
	dir, err := in.Bring(ctx, env, string(in.Dir), in.DryRun)
	if dir == "" || err != nil {
		return "", err
	}
	request.Dir = dir
	if _, gone := os.Stat(dir); gone != nil && in.DryRun {
		request.Dir = "" // it is not there yet
	}
	return dir, nil
}
