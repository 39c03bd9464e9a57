package tui

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"cupola/theme"
	"cupola/tui/intent"
)

// allIntents has one of each type.
var allIntents = []intent.Intent{
	intent.Fork{},
	intent.Acknowledge{},
	renamed,
	intent.Answer{},
	intent.Arrange{},
	intent.AskAdd{},
	intent.AskAgain{},
	intent.AskAnswer{},
	intent.AskArrange{},
	intent.AskCancel{},
	intent.AskCheckpoint{},
	intent.AskCommand{},
	intent.AskComment{},
	intent.Comment{},
	intent.AskCommit{},
	intent.AskCrew{},
	intent.AskDelete{},
	intent.AskDiscard{},
	intent.AskFilter{},
	intent.AskFind{},
	intent.AskFinish{},
	intent.AskKill{},
	intent.AskLabel{},
	intent.AskMergeTree{},
	intent.AskPublish{},
	intent.AskRelay{},
	intent.AskRename{},
	intent.AskRestart{},
	intent.AskSay{},
	intent.AskSearch{},
	intent.AskSend{},
	intent.AskSnooze{},
	intent.AskQueue{},
	intent.AskRule{},
	intent.AskSetting{},
	intent.AskSpawn{},
	intent.AskStart{},
	intent.AskStories{},
	intent.AskText{},
	intent.AskTheme{},
	intent.Attach{},
	intent.Back{},
	intent.Backends{},
	intent.Choose{},
	intent.Chosen{},
	intent.Copy{},
	intent.CopyText{},
	intent.CopyReply{},
	intent.Demo{},
	intent.Dismiss{},
	intent.Each{},
	intent.Edit{},
	intent.Find{},
	intent.FindNext{},
	intent.GoTo{},
	intent.Help{},
	intent.Interrupt{},
	intent.Jump{},
	intent.ListCheckpoints{},
	intent.LookAt{},
	intent.Looked{},
	intent.Mark{},
	intent.Move{},
	intent.NextBase{},
	intent.NextFeed{},
	intent.NextField{},
	intent.NextGroup{},
	intent.NextKind{},
	intent.NextNeedsYou{},
	intent.NextProject{},
	intent.NextSession{},
	intent.NextTab{},
	intent.NextTalker{},
	intent.OnHost{},
	intent.Open{},
	intent.OpenPalette{},
	intent.Option{},
	intent.PauseRun{},
	intent.Own{},
	intent.Peek{},
	intent.Pick{},
	intent.Pin{},
	intent.PickStory{},
	intent.PlanRun{},
	intent.Press{},
	intent.Question{},
	intent.Quit{},
	intent.Read{},
	intent.Recollect{},
	intent.Redraw{},
	intent.Refuse{},
	intent.Replay{},
	intent.Resize{},
	intent.ResetSetting{},
	intent.Resume{},
	intent.RunCommand{},
	intent.RunOwn{},
	intent.Scroll{},
	intent.Search{},
	intent.Shift{},
	intent.Show{},
	intent.ShowTab{},
	intent.Stage{},
	intent.Submit{},
	intent.Suspend{},
	intent.ToggleGrid{},
	intent.ToggleMatrix{},
	intent.ToggleWrap{},
	intent.Turn{},
	intent.TurnAtLimit{},
	intent.Type{},
	intent.TypeInto{},
	intent.Undo{},
	intent.UseTheme{},
}

// TestEveryAnswerEndsItsAct goes over all intents: whatever message answers one, it can be asked for again.
func TestEveryAnswerEndsItsAct(t *testing.T) {
	listed := map[string]bool{}
	for _, wanted := range allIntents {
		listed[reflect.TypeOf(wanted).Name()] = true
		s := newHarness(t, theme.None, 80, 24)
		for range 2 {
			cmd := s.model.perform(wanted)
			if cmd == nil {
				t.Fatalf("%T is under way for ever", wanted)
			}
			s.model.Update(cmd())
		}
	}
	files, err := filepath.Glob("intent/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	declared := regexp.MustCompile(`(?m)^func \((?:\w+ )?(\w+)\) isIntent`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			if !listed[found[1]] {
				t.Errorf("%s is not among the intents of this test", found[1])
			}
		}
	}
}

func TestAMessageFadesUnlessItIsAnError(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.model.setStatus(theme.Good, "it was sent")
	s.model.Update(nil)
	s.shows("it was sent   Enter open")
	s.model.Update(faded{s.model.saidAt})
	s.hides("it was sent")
	s.model.setStatus(theme.Danger, "it failed")
	if s.model.fade() != nil {
		t.Error("an error goes by itself")
	}
}

func TestTheScreensAreListedAndClicked(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.shows("1 fleet  2 grid  3 inbox 4  4 changes")
	zone, hit := s.model.zones.At(18, 1)
	if open, is := zone.Target.(intent.Open); !hit || !is || open.Screen != "inbox" {
		t.Errorf("the name of the inbox is %+v", zone.Target)
	}
}
