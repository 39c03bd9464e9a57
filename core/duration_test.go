package core_test

import (
	"testing"
	"time"

	"cupola/core"
)

func TestShortDurationLeavesOutWhatIsNothing(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 10 * time.Minute: "10m", 90 * time.Minute: "1h30m", 2 * time.Hour: "2h",
		time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s", -time.Hour: "-1h",
	} {
		got := core.ShortDuration(d)
		if back, err := time.ParseDuration(got); got != want || err != nil || back != d {
			t.Errorf("%s: %s, %v", want, got, err)
		}
	}
}
