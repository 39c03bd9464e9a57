package config_test

import (
	"os"
	"testing"

	"cupola/core/config"
)

// full is a file that sets most keys.
const full = "# mine\n[engine]\ntransport = \"exec\"\n[store]\ndays = 30\nprompts = 1000\n[alerts]\nidle = " +
	"\"1h\"\nstalled = \"2m\"\n" +
	"[notify]\nbell = false\ncommand = [\"notify\", \"me\"]\nseverity = \"error\"\n"

func BenchmarkLoad(b *testing.B) {
	for name, text := range map[string]string{"none": "", "full": full} {
		b.Run(name, func(b *testing.B) {
			paths := config.Paths{Config: b.TempDir()}
			if text != "" {
				if err := os.WriteFile(paths.File(), []byte(text), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if c := config.Load(paths, func(string) string { return "" }); len(c.Faults()) > 0 {
					b.Fatal(c.Warnings())
				}
			}
		})
	}
}
