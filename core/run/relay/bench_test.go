package relay

import (
	"os"
	"testing"
	"time"

	"cupola/core/run/relay/stream"
)

// BenchmarkAnswerOnFile reports what the record of an answer in short lines costs while it comes, in seconds a MB: the
// same for any size.
func BenchmarkAnswerOnFile(b *testing.B) {
	for name, size := range map[string]int{"100KB": 100 << 10, "1MB": 1 << 20, "4MB": 4 << 20} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				directory := Directory{Dir: b.TempDir()}
				if err := os.MkdirAll(directory.files().Folder("abcdefgh"), 0o700); err != nil {
					b.Fatal(err)
				}
				log, err := directory.eventLog("abcdefgh")
				if err != nil {
					b.Fatal(err)
				}
				const line = "a short line\n"
				began := time.Now()
				for n := 0; n < size; n += len(line) {
					log.write(&Event{Type: stream.Text, Message: 1, Text: line})
				}
				log.close()
				b.ReportMetric(time.Since(began).Seconds()/float64(size)*(1<<20), "s/MB")
			}
		})
	}
}
