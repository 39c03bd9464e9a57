package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"cupola/core"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// topicLines lists the pages of help that are about no command.
func topicLines() []string {
	return core.Map(guide.HelpTopics(), func(topic guide.HelpTopic) string {
		return fmt.Sprintf("  %-16s %s", "help "+topic.Name, topic.Short)
	})
}

// flagsTopic is the topic of help about the flags of every command.
const flagsTopic = "flags"

// topicNames returns the topics of help other than commands.
func topicNames() []string {
	names := core.Map(guide.HelpTopics(), func(topic guide.HelpTopic) string { return topic.Name })
	return append(names, allCommands, flagsTopic)
}

// explain shows the help of a command or about a topic.
func (t *tree) explain(ctx context.Context, root *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] == allCommands {
		t.allHelp, args = true, nil
	}
	if len(args) == 1 {
		topic, ok := guide.FindTopic(args[0])
		switch {
		case ok && t.line.explicit():
			return t.out.reply(ctx, "help", topic)
		case ok:
			return t.out.print(topic.Text())
		}
	}
	if len(args) == 1 && args[0] == flagsTopic {
		return t.out.print("Flags of every command:\n" + root.PersistentFlags().FlagUsages())
	}
	for n := min(len(args), registry.MostWords); n > 1; n-- {
		if verb := t.line.catalog.Phrase(args[:n]...); verb != nil {
			args = append([]string{verb.Name}, args[n:]...)
			break
		}
	}
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		if answered, err := t.explainGroup(ctx, args); answered {
			return err
		}
		return suggest.Help(t.line.catalog, args[:known(t.line.catalog, args)], topicNames())
	}
	if err := cmd.Help(); err != nil {
		return &core.Error{Code: core.IOError, Err: err}
	}
	return nil
}

// explainGroup lists the commands whose forms begin with words; answered is false if none does.
func (t *tree) explainGroup(ctx context.Context, words []string) (answered bool, err error) {
	of, is := groupOf(t.line.catalog, words)
	switch {
	case !is:
		return false, nil
	case t.line.explicit():
		return true, t.out.reply(ctx, "help", of)
	}
	return true, t.out.print(of.Text())
}

// known returns how many words of a line begin a form of a verb together, at least 1.
func known(catalog *registry.Catalog, words []string) int {
	n := 1
	for n < len(words) && len(catalog.Begun(words[:n+1]...)) > 0 {
		n++
	}
	return n
}
