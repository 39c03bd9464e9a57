package tmux

import (
	"context"

	"cupola/core/engine/tmux/wire"
)

// overSocket sends as many commands at once as a message can hold. Like a single
// message, it stops behind the first that fails.
func overSocket(ctx context.Context, client *wire.Client, kind effect, commands []command) (reply, error) {
	ask := client.Run
	if kind == reads {
		ask = client.Query
	}
	var all reply
	for len(commands) > 0 {
		n := fitting(commands)
		result, err := ask(ctx, flatten(commands[:n]))
		if err != nil {
			return reply{}, err
		}
		all.stdout = join(all.stdout, result.Stdout)
		all.stderr = join(all.stderr, result.Stderr)
		if all.exit = result.Exit; all.exit != 0 {
			break
		}
		commands = commands[n:]
	}
	return all, nil
}

// fitting counts the commands, at least one, that fit a message together.
func fitting(commands []command) int {
	total := 0
	for i, c := range commands {
		if total += c.size(); total > maxArgv && i > 0 {
			return i
		}
	}
	return len(commands)
}

// join appends without copying the first part, which is most often all.
func join(all, more []byte) []byte {
	if len(all) == 0 {
		return more
	}
	return append(all, more...)
}
