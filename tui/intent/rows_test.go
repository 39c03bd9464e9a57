package intent

import "testing"

func TestIntentsLeadToRows(t *testing.T) {
	rows := Rows{At: 5, Of: 40, Page: 10, Wheel: 3}
	for wanted, want := range map[Intent]int{
		Move{By: 1}: 6, Move{By: -9}: 0, Scroll{By: -1}: 2, Turn{By: 1}: 15, Turn{By: 9}: 39, Jump{}: 0,
		Jump{Last: true}: 39,
	} {
		if at, is := rows.Moved(wanted); !is || at != want {
			t.Errorf("%#v leads to %d, want %d", wanted, at, want)
		}
	}
	if at, is := rows.Moved(Back{}); is || at != 5 {
		t.Errorf("Back leads to %d, %t", at, is)
	}
	if at, is := (Rows{}).Moved(Jump{Last: true}); !is || at != 0 {
		t.Errorf("without rows: %d, %t", at, is)
	}
}
