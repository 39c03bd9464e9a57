package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// usage is the resource usage of a process since its start.
type usage struct {
	// processor is the time of all its threads on a processor.
	processor time.Duration
	// childPages counts the pages that its ended children touched: none where it
	// forked no process.
	childPages int
}

// usageOf reads what a process has used. It skips the test on a system that
// does not say it.
func usageOf(t testing.TB, pid int) usage {
	t.Helper()
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if len(threads) == 0 {
		t.Skip("needs /proc with schedstat")
	}
	var u usage
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it ended meanwhile
		}
		first, _, _ := strings.Cut(string(text), " ")
		ran, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", thread, err)
		}
		u.processor += time.Duration(ran)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	const childMinorFaults = 11 - 3 // counted from the state, the third field
	u.childPages, err = strconv.Atoi(strings.Fields(string(rest))[childMinorFaults])
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The memory of a process: all that is resident, with the pages of its program that it shares with others, and its own.
const resident, private = "VmRSS:", "RssAnon:"

// memoryMB is memory of a process in megabytes.
func memoryMB(t testing.TB, pid int, which string) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("needs /proc: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if size, ok := strings.CutPrefix(line, which); ok {
			kilobytes, err := strconv.Atoi(strings.Fields(size)[0])
			if err != nil {
				t.Fatal(err)
			}
			return float64(kilobytes) / 1024
		}
	}
	t.Fatalf("no %s in %s", which, text)
	return 0
}

// load is how many processes want a processor, as a mean over a minute, and 0
// where the system does not say it.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	mean, _ := strconv.ParseFloat(first, 64)
	return mean
}
