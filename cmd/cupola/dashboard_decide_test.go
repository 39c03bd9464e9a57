package main

import "testing"

func TestAQuestionIsAnsweredFromTheDashboard(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	d := newDisplay(t, m, 120, 32).open()
	d.selected("scr_1")
	d.keys("d")
	d.shows("waits for nothing")
	d.keys("s")
	d.shows("Send to api.1")
	d.text("approve touch zz")
	d.keys("C-s")
	d.shows("Needs you", "api.1", "approval", "!1")
	d.keys("w", "d")
	d.shows("api.1 waits: approval", "1. Yes", "y approve")
	d.keys("Down", "Up", "Enter")
	d.shows("api.1 was answered: Yes")
	d.lacks("Needs you")
	d.keys("e")
	d.shows("confidence", "screen")
	d.keys("Escape")
	d.lacks("confidence")
	d.keys("!")
	d.shows("no open alert")
	d.keys("Escape")
	d.shows("api")
}
