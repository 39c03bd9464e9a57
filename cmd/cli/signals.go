package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"cupola/robot/registry"
)

// quick is how long a verb that only reads may take before signals are listened
// to. Until then they end it where it stands, which harms nothing; to listen
// would cost it a tenth of its time.
const quick = 50 * time.Millisecond

// interruptible returns a context that ends with the first signal to leave that
// comes later than after. A second one ends the program at once.
func interruptible(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	listen := func() {
		heeded := leaving()
		if len(heeded) == 0 {
			return // to ask for none of them would be to ask for every signal there is
		}
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, heeded...)
		go func() {
			<-signals
			signal.Stop(signals)
			cancel()
		}()
	}
	if after == 0 {
		listen()
		return ctx, cancel
	}
	timer := time.AfterFunc(after, listen)
	return ctx, func() {
		timer.Stop()
		cancel()
	}
}

// leaving are the signals that ask the program to leave, also those that would leave
// the terminal as the program has set it, but for those that it was
// started to ignore, as nohup and the background of a script have it.
func leaving() []os.Signal {
	return slices.DeleteFunc([]os.Signal{
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGABRT,
	}, signal.Ignored)
}

// grace is how long signals need not be listened to.
func (p *program) grace() time.Duration {
	name := "status"
	if len(p.inv.words) > 0 {
		name = p.inv.words[0]
	} else if !p.robotic {
		return 0 // the dashboard
	}
	if verb := p.catalog.Find(name); verb != nil && verb.Effect == registry.Reads && !verb.Streams {
		return quick
	}
	return 0
}
