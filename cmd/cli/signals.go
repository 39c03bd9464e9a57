package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// quick is how long a verb that only reads may take before signals are handled. Until then a
// signal ends it at once, which harms nothing; handling would cost it a tenth of its time.
const quick = 50 * time.Millisecond

// interruptible returns a context that ends with the first signal that comes later than
// after. A second one ends the program at once.
func interruptible(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	listen := func() {
		handled := leaving()
		if len(handled) == 0 {
			return // an empty list would mean every signal
		}
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, handled...)
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

// leaving returns the signals that end the program, those included that would leave the
// terminal in its modes, but not those that are ignored from the start, as under nohup.
func leaving() []os.Signal {
	return slices.DeleteFunc([]os.Signal{
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGABRT,
	}, signal.Ignored)
}
