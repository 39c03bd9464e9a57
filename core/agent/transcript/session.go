package transcript

import (
	"context"

	"cupola/core"
)

// ReadSession reads the transcript of a session whose id is known. env returns the value of a variable of its process,
// and dir is the folder in which it works. It fails as Read does.
func ReadSession(ctx context.Context, kind core.Kind, env func(name string) string, dir, session string) (Account,
	error,
) {
	return Read(ctx, Subject{Kind: kind, Env: env, Dir: dir, Session: session}.Shared())
}
