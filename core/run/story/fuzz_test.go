package story_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"cupola/core/run/story"
)

func FuzzParse(f *testing.F) {
	for _, text := range oddTasks {
		f.Add([]byte(text))
	}
	f.Add([]byte("## 1. A (after 2)\n- [ ] 1.1 a\n```\n## 1. B\nDepends on: 1\n- [x] 1.1 b\n```\n## . C"))
	f.Fuzz(func(t *testing.T, text []byte) {
		stories, dropped := story.Parse(text)
		lines := bytes.Count(text, []byte("\n")) + 1
		storyIDs, taskIDs, last, tasks := map[string]bool{}, map[string]bool{}, 0, 0
		for _, s := range stories {
			if s.ID == "" || s.Title == "" || storyIDs[s.ID] || s.Line < 1 || s.Line > lines ||
				!utf8.ValidString(s.Title) {
				t.Fatalf("%q has the story %+v", text, s)
			}
			storyIDs[s.ID] = true
			for _, task := range s.Tasks {
				tasks++
				if task.ID == "" || taskIDs[task.ID] || task.Line <= last || task.Line > lines ||
					!utf8.ValidString(task.Text) || strings.Contains(task.Text, "\n") ||
					task.Done != strings.EqualFold(task.Mark, "x") {
					t.Fatalf("%q has the task %+v", text, task)
				}
				taskIDs[task.ID], last = true, task.Line
			}
		}
		for _, s := range stories {
			for _, id := range s.After {
				if !storyIDs[id] {
					t.Fatalf("%q depends on %s", text, id)
				}
			}
		}
		boxes := 0
		for n := range lines {
			if story.IsTask(n+1, text) {
				boxes++
			}
		}
		if boxes != tasks {
			t.Fatalf("%q has %d tasks, got %d", text, boxes, tasks)
		}
		for _, d := range dropped {
			if d.Line < 1 || d.Line > lines || d.Why == "" {
				t.Fatalf("%q drops %+v", text, d)
			}
		}
		again, _ := story.Parse(text)
		if fmt.Sprint(again) != fmt.Sprint(stories) {
			t.Fatalf("%q is read in two ways", text)
		}
	})
}

func FuzzScenarios(f *testing.F) {
	f.Add([]byte("## ADDED Requirements\n### Requirement: R\n#### Scenario: S\n" +
		"- **GIVEN** a\n- AND b\n- **WHEN c**\n  d\n- THEN e"))
	f.Add([]byte("#### S\r```\r- WHEN\r~~~\r**AND**"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, s := range story.Scenarios("x", text) {
			all := append(append([]string{s.Requirement, s.Name, s.When}, s.Given...), s.Then...)
			for _, part := range all {
				if !utf8.ValidString(part) || strings.ContainsAny(part, "\r\n") {
					t.Fatalf("%q has the scenario %+v", text, s)
				}
			}
			if strings.ContainsAny(s.RequirementID, " .,!/\n") || s.Capability != "x" {
				t.Fatalf("%q has the scenario %+v", text, s)
			}
		}
	})
}
