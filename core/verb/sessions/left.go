package sessions

import (
	"fmt"

	"cupola/core"
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
	return core.Map(procs, func(p process.Proc) processRow { return processRow{p.PID, p.Name} })
}

func leftRows(left []job.Left) []leftRow {
	return core.Map(left, func(l job.Left) leftRow { return leftRow{processRow{l.PID, l.Name}, l.Why} })
}

// endingLines and leftLines list the processes that would end, and the ones that keep running.
func endingLines(ending []processRow) []report.Line {
	return core.Map(ending, func(p processRow) report.Line {
		return report.Line{
			report.Toned(report.Dim, fmt.Sprintf("  with process %d (%s)", p.PID, p.Name)),
		}
	})
}

func leftLines(left []leftRow) []report.Line {
	return core.Map(left, func(p leftRow) report.Line {
		return report.Line{report.Toned(report.Warn,
			fmt.Sprintf("  process %d (%s) keeps running: %s", p.PID, p.Name, p.Why))}
	})
}
