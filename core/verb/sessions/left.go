package sessions

import (
	"fmt"

	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/core/text/report"
)

// processRow is a process of an agent.
type processRow struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

// leftRow is a process that was not ended.
type leftRow struct {
	processRow
	Why string `json:"why"`
}

func processRows(procs []process.Proc) []processRow {
	var rows []processRow
	for _, p := range procs {
		rows = append(rows, processRow{p.PID, p.Name})
	}
	return rows
}

func leftRows(left []job.Left) []leftRow {
	var rows []leftRow
	for i := range left {
		rows = append(rows, leftRow{processRow{left[i].PID, left[i].Name}, left[i].Why})
	}
	return rows
}

// endingLines and leftLines list the processes that would end, and the ones that keep running.
func endingLines(ending []processRow) []report.Line {
	var lines []report.Line
	for _, p := range ending {
		lines = append(lines, report.Line{
			report.Toned(report.Dim, fmt.Sprintf("  with process %d (%s)", p.PID, p.Name)),
		})
	}
	return lines
}

func leftLines(left []leftRow) []report.Line {
	var lines []report.Line
	for _, p := range left {
		lines = append(lines, report.Line{report.Toned(report.Warn,
			fmt.Sprintf("  process %d (%s) keeps running: %s", p.PID, p.Name, p.Why))})
	}
	return lines
}
