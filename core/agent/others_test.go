package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// asked is what a screen asks, and what can be chosen: labels with the keys that choose them from where the selection
// is. The zero value is that of a screen that asks nothing.
type asked struct {
	reason  core.Reason
	about   string
	options []string
}

// others are screens of programs that no rule was written for, with the cursor behind the last line.
var others = map[string]struct {
	screen string
	want   asked
}{
	"apt": {
		"$ sudo apt install jq\nThe following NEW packages will be installed:\n  jq libjq1\nNeed to get 357 kB of archives.\n" +
			"After this operation, 1068 kB of additional disk space will be used.\nDo you want to continue? [Y/n] ",
		asked{core.ReasonQuestion, "Do you want to continue? [Y/n]", []string{"yes: y Enter", "no: n Enter"}},
	},
	"ssh": {
		"The authenticity of host 'github.com (140.82.121.4)' can't be established.\n" +
			"ED25519 key fingerprint is SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU.\n" +
			"This key is not known by any other names.\n" +
			"Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
		asked{
			core.ReasonQuestion, "Are you sure you want to continue connecting (yes/no/[fingerprint])?",
			[]string{"yes: y e s Enter", "no: n o Enter"},
		},
	},
	"git username":   {"Username for 'https://github.com': ", asked{core.ReasonLogin, "Username for 'https://github.com':", nil}},
	"git password":   {"Password for 'https://ada@github.com': ", asked{core.ReasonLogin, "Password for 'https://ada@github.com':", nil}},
	"sudo":           {"[sudo] password for ada: ", asked{core.ReasonLogin, "[sudo] password for ada:", nil}},
	"key passphrase": {"Enter passphrase for key '/home/ada/.ssh/id': ", asked{core.ReasonLogin, "Enter passphrase for key '/home/ada/.ssh/id':", nil}},
	"git add -p": {
		"@@ -1,2 +1,3 @@\n hello\n+world\n(1/1) Stage this hunk [y,n,q,a,d,e,?]? ",
		asked{core.ReasonQuestion, "(1/1) Stage this hunk [y,n,q,a,d,e,?]?", []string{
			"yes: y Enter", "no: n Enter", "q: q Enter", "a: a Enter", "d: d Enter", "e: e Enter",
		}},
	},
	"rm": {
		"rm: remove write-protected regular file 'a'? ", asked{},
	},
	"npm init, a name": {"Press ^C at any time to quit.\npackage name: (demo) ", asked{}},
	"npm init, the end": {
		"{\n  \"name\": \"demo\",\n  \"license\": \"ISC\"\n}\n\n\nIs this OK? (yes) ",
		asked{core.ReasonQuestion, "Is this OK? (yes)", []string{"yes: y e s Enter", "no: n o Enter"}},
	},
	"npx": {
		"Need to install the following packages:\ncowsay@1.6.0\nOk to proceed? (y) ",
		asked{core.ReasonQuestion, "Ok to proceed? (y)", []string{"yes: y Enter", "no: n Enter"}},
	},
	"gh auth login": {
		"? Where do you use GitHub?  [Use arrows to move, type to filter]\n> GitHub.com\n  Other\n",
		asked{core.ReasonQuestion, "Where do you use GitHub?", []string{"GitHub.com: Enter", "Other: Down Enter"}},
	},
	"inquirer": {
		"? Which framework do you want? (Use arrow keys)\n❯ Vue\n  React\n  Svelte\n",
		asked{core.ReasonQuestion, "Which framework do you want?", []string{
			"Vue: Enter", "React: Down Enter", "Svelte: Down Down Enter",
		}},
	},
	"prompts": {
		"? Select a variant: › - Use arrow-keys. Return to submit.\n    TypeScript\n❯   JavaScript\n",
		asked{core.ReasonDialog, "Select a variant: › - Use arrow-keys. Return to submit.", []string{"TypeScript: Up Enter", "JavaScript: Enter"}},
	},
	"clack": {
		"┌  create-app\n│\n◆  Pick a project type.\n│  ○ TypeScript\n│  ● JavaScript\n└\n",
		asked{core.ReasonDialog, "Pick a project type.", []string{"TypeScript: Up Enter", "JavaScript: Enter"}},
	},
	"checkboxes": {
		"? Which features? (Press <space> to select, <a> to toggle all)\n❯◯ Lint\n ◯ Tests\n ◉ Types\n", asked{},
	},
	"terraform": {
		"Plan: 1 to add, 0 to change, 0 to destroy.\n\nDo you want to perform these actions?\n" +
			"  Terraform will perform the actions described above.\n  Only 'yes' will be accepted to approve.\n\n  Enter a value: ",
		asked{core.ReasonApproval, "Do you want to perform these actions?", []string{"yes: y e s Enter"}},
	},
	"bash select": {
		"1) staging\n2) production\n3) quit\n#? ",
		asked{core.ReasonDialog, "#?", []string{"staging: 1 Enter", "production: 2 Enter", "quit: 3 Enter"}},
	},
	"a menu by number": {
		"Which server?\n  1. alpha\n  2. beta\nEnter your choice [1-2]: ",
		asked{core.ReasonQuestion, "Which server?", []string{"alpha: 1 Enter", "beta: 2 Enter"}},
	},
	"a letter in brackets": {
		"Allow this tool? [a]pprove / [d]eny: ",
		asked{core.ReasonApproval, "Allow this tool? [a]pprove / [d]eny:", []string{"approve: a Enter", "deny: d Enter"}},
	},
	"a command is asked for": {
		"$ rm -rf build\nAllow this command? y/n: ",
		asked{core.ReasonApproval, "Allow this command? y/n:", []string{"yes: y Enter", "no: n Enter"}},
	},
	"a word": {
		"This deletes the database.\nType yes to confirm: ",
		asked{core.ReasonQuestion, "Type yes to confirm:", []string{"yes: y e s Enter"}},
	},
	"a name": {
		"Type 'prod' to confirm deletion: ", asked{core.ReasonQuestion, "Type 'prod' to confirm deletion:", []string{"prod: p r o d Enter"}},
	},
	"pacman":  {":: Proceed with installation? [Y/n] ", asked{core.ReasonQuestion, ":: Proceed with installation? [Y/n]", []string{"yes: y Enter", "no: n Enter"}}},
	"any key": {"Done.\nPress any key to continue . . . ", asked{core.ReasonDialog, "Press any key to continue . . .", []string{"continue: Enter"}}},
	"vim, a message": {
		"E325: ATTENTION\nFound a swap file by the name \".a.swp\"\n\nPress ENTER or type command to continue",
		asked{core.ReasonDialog, "Press ENTER or type command to continue", []string{"continue: Enter"}},
	},
	"vim, a swap file": {
		"Swap file \".a.swp\" already exists!\n[O]pen Read-Only, (E)dit anyway, (R)ecover, (Q)uit, (A)bort: ",
		asked{core.ReasonQuestion, "[O]pen Read-Only, (E)dit anyway, (R)ecover, (Q)uit, (A)bort:", []string{
			"Open Read-Only: o Enter", "Edit anyway: e Enter", "Recover: r Enter", "Quit: q Enter", "Abort: a Enter",
		}},
	},
	"buttons of aider": {
		"Add src/main.go to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: ",
		asked{core.ReasonQuestion, "Add src/main.go to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]:", []string{
			"Yes: y Enter", "No: n Enter", "All: a Enter", "Skip all: s Enter", "Don't ask again: d Enter",
		}},
	},
	"a permission in a box": {
		"╭─ Permission ─────────────╮\n│ The agent wants to run   │\n│   npm test               │\n│                          │\n" +
			"│ > Allow                  │\n│   Deny                   │\n│ enter to select          │\n╰──────────────────────────╯\n",
		asked{core.ReasonApproval, "Permission The agent wants to run npm test", []string{"Allow: Enter", "Deny: Down Enter"}},
	},

	"pip":         {"Uninstalling foo-1.0:\n  Would remove:\n    /usr/lib/foo\nProceed (Y/n)? ", asked{core.ReasonQuestion, "Proceed (Y/n)?", []string{"yes: y Enter", "no: n Enter"}}},
	"rustup":      {"1) Proceed with standard installation (default - just press enter)\n2) Customize installation\n3) Cancel installation\n>", asked{core.ReasonDialog, ">", []string{"Proceed with standard installation (default - just press enter): 1 Enter", "Customize installation: 2 Enter", "Cancel installation: 3 Enter"}}},
	"git clean":   {"*** Commands ***\n    1: clean                2: filter by pattern    3: select by numbers\n    4: ask each             5: quit                 6: help\nWhat now> ", asked{}},
	"docker user": {"Log in with your Docker ID\nUsername: ", asked{core.ReasonLogin, "Username:", nil}},
	"gcloud":      {"Pick configuration to use:\n [1] Re-initialize this configuration [default] with new settings \n [2] Create a new configuration\nPlease enter your numeric choice:  ", asked{core.ReasonDialog, "Pick configuration to use:", []string{"Re-initialize this configuration [default] with new settings: 1 Enter", "Create a new configuration: 2 Enter"}}},
	"aws":         {"AWS Secret Access Key [None]: ", asked{core.ReasonLogin, "AWS Secret Access Key [None]:", nil}},
	"npm login":   {"npm notice Log in on https://registry.npmjs.org/\nLogin at:\nhttps://www.npmjs.com/login?next=/login/cli/1\nPress ENTER to open in the browser...", asked{core.ReasonLogin, "Press ENTER to open in the browser...", []string{"open in the browser: Enter"}}},
	"gh pr":       {"? What's next?  [Use arrows to move, type to filter]\n> Submit\n  Submit as draft\n  Cancel\n", asked{core.ReasonQuestion, "What's next?", []string{"Submit: Enter", "Submit as draft: Down Enter", "Cancel: Down Down Enter"}}},
	"vite":        {"│\n◆  Select a framework:\n│  ● Vanilla\n│  ○ Vue\n│  ○ React\n└\n", asked{core.ReasonDialog, "Select a framework:", []string{"Vanilla: Enter", "Vue: Down Enter", "React: Down Down Enter"}}},
	"huh":         {"┃ Deploy to production?\n┃\n┃   Yes     No\n┃\n←/→ toggle • enter submit • y Yes • n No\n", asked{core.ReasonQuestion, "Deploy to production?", []string{"Yes: ", "No: "}}},
	"gum":         {"Choose:\n> Strawberry\n  Banana\n\n←↓↑→ navigate • enter submit\n", asked{core.ReasonDialog, "Choose:", []string{"Strawberry: Enter", "Banana: Down Enter"}}},
	"vault":       {"Vault password: ", asked{core.ReasonLogin, "Vault password:", nil}},
	"2fa":         {"(ada@host) Verification code: ", asked{core.ReasonLogin, "(ada@host) Verification code:", nil}},
	"cp":          {"cp: overwrite 'b'? ", asked{}},
	"mysql":       {"mysql> ", asked{}},
	"input":       {"Your name: ", asked{}},
	"dpkg":        {"   What would you like to do about it ?  Your options are:\n    Y or I  : install the package maintainer's version\n    N or O  : keep your currently-installed version\n      D     : show the differences between the versions\n The default action is to keep your current version.\n*** foo.conf (Y/I/N/O/D/Z) [default=N] ? ", asked{core.ReasonQuestion, "*** foo.conf (Y/I/N/O/D/Z) [default=N] ?", []string{"yes: y Enter", "i: i Enter", "no: n Enter", "o: o Enter", "d: d Enter", "z: z Enter"}}},
	"debconf":     {" ┌───────┤ Package configuration ├───────┐\n │ Restart services during upgrades?     │\n │                                       │\n │        <Yes>              <No>        │\n │                                       │\n └───────────────────────────────────────┘\n", asked{core.ReasonQuestion, "Restart services during upgrades?", []string{"Yes: ", "No: "}}},
	"mix":         {"Could not find Hex, which is needed to build dependency :jason\nShall I install Hex? [Yn] ", asked{core.ReasonQuestion, "Shall I install Hex? [Yn]", []string{"yes: y Enter", "no: n Enter"}}},
	"yum":         {"Total download size: 1.2 M\nIs this ok [y/d/N]: ", asked{core.ReasonQuestion, "Is this ok [y/d/N]:", []string{"yes: y Enter", "d: d Enter", "no: n Enter"}}},
	"zypper":      {"Continue? [y/n/v/...? shows all options] (y): ", asked{core.ReasonQuestion, "Continue? [y/n/v/...? shows all options] (y):", []string{"yes: y Enter", "no: n Enter", "v: v Enter"}}},
	"conda":       {"Proceed ([y]/n)? ", asked{core.ReasonQuestion, "Proceed ([y]/n)?", []string{"yes: y Enter", "no: n Enter"}}},
	"flutter":     {"Connected devices:\n[1]: Linux (linux)\n[2]: Chrome (chrome)\nPlease choose one (or \"q\" to quit): ", asked{core.ReasonDialog, "Connected devices:", []string{"Linux (linux): 1 Enter", "Chrome (chrome): 2 Enter"}}},
	"aider":       {"rm -rf build\nRun shell command? (Y)es/(N)o/(D)on't ask again [Yes]: ", asked{core.ReasonApproval, "Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]:", []string{"Yes: y Enter", "No: n Enter", "Don't ask again: d Enter"}}},
	"goose":       {"─── shell | developer ──────\ncommand: rm -rf build\n\n◆  Goose would like to call the above tool, do you allow?\n│  ● Allow (Allow the tool call once)\n│  ○ Always Allow\n│  ○ Deny\n└\n", asked{core.ReasonApproval, "Goose would like to call the above tool, do you allow?", []string{"Allow (Allow the tool call once): Enter", "Always Allow: Down Enter", "Deny: Down Down Enter"}}},
	"crush":       {"╭ Permission Required ──────────────────────────╮\n│ Tool  bash                                    │\n│ rm -rf build                                  │\n│                                               │\n│   Allow    Allow for Session    Deny          │\n│                                               │\n│ ←/→ choose • enter confirm • esc deny         │\n╰───────────────────────────────────────────────╯\n", asked{core.ReasonApproval, "Permission Required Tool bash rm -rf build", []string{"Allow: ", "Allow for Session: ", "Deny: "}}},
	"q":           {"Allow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]: ", asked{core.ReasonApproval, "Allow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]:", []string{"yes: y Enter", "no: n Enter", "t: t Enter"}}},
	"cn":          {"● Bash(rm -rf build)\n\nWould you like to continue?\n\n > Continue\n   Continue + don't ask again\n   No, and tell Continue what to do differently\n", asked{core.ReasonApproval, "Would you like to continue?", []string{"Continue: Enter", "Continue + don't ask again: Down Enter", "No, and tell Continue what to do differently: Down Down Enter"}}},
	"cursor":      {" Run this command?\n Not in allowlist: rm\n → Run (y) (enter)\n   Add Shell(rm) to allowlist? (tab)\n   Skip (esc or n)\n", asked{core.ReasonApproval, "Run this command? Not in allowlist: rm", []string{"Run (y) (enter): Enter", "Add Shell(rm) to allowlist? (tab): Down Enter", "Skip (esc or n): Down Down Enter"}}},
	"droid":       {"╭──────────────────────────╮\n│ EXECUTE rm -rf build     │\n│ > Yes, allow             │\n│   Yes, and always allow medium impact commands │\n│   No, cancel             │\n│ Use ↑↓ to navigate, Enter to select, Esc to cancel │\n╰──────────────────────────╯\n", asked{core.ReasonApproval, "EXECUTE rm -rf build", []string{"Yes, allow: Enter", "Yes, and always allow medium impact commands: Down Enter", "No, cancel: Down Down Enter"}}},

	"poetry":              {"Would you like to define your main dependencies interactively? (yes/no) [yes] ", asked{core.ReasonQuestion, "Would you like to define your main dependencies interactively? (yes/no) [yes]", []string{"yes: y e s Enter", "no: n o Enter"}}},
	"symfony":             {" Do you want to run the migrations? (yes/no) [no]:\n > ", asked{core.ReasonApproval, "Do you want to run the migrations? (yes/no) [no]:", []string{"yes: y e s Enter", "no: n o Enter"}}},
	"parted":              {"Warning: The existing disk label on /dev/sdb will be destroyed.\nYes/No? ", asked{core.ReasonQuestion, "Yes/No?", []string{"yes: y e s Enter", "no: n o Enter"}}},
	"rails":               {"    conflict  config/routes.rb\nOverwrite /src/config/routes.rb? (enter \"h\" for help) [Ynaqdhm] ", asked{core.ReasonQuestion, "Overwrite /src/config/routes.rb? (enter \"h\" for help) [Ynaqdhm]", []string{"yes: y Enter", "no: n Enter", "a: a Enter", "q: q Enter", "d: d Enter", "h: h Enter", "m: m Enter"}}},
	"firebase":            {"? Are you ready to proceed? (Y/n) ", asked{core.ReasonQuestion, "? Are you ready to proceed? (Y/n)", []string{"yes: y Enter", "no: n Enter"}}},
	"heroku":              {" !    WARNING: This will delete demo\n !    To proceed, type demo or re-run this command with --confirm demo\n\n> ", asked{}},
	"vercel":              {"? Set up and deploy \"~/src/demo\"? (Y/n) ", asked{core.ReasonQuestion, "? Set up and deploy \"~/src/demo\"? (Y/n)", []string{"yes: y Enter", "no: n Enter"}}},
	"svelte":              {"┌  Welcome to the Svelte CLI!\n│\n◆  Which template would you like?\n│  ● SvelteKit minimal (barebones scaffolding)\n│  ○ SvelteKit demo\n│  ○ Svelte library\n└\n", asked{core.ReasonQuestion, "Which template would you like?", []string{"SvelteKit minimal (barebones scaffolding): Enter", "SvelteKit demo: Down Enter", "Svelte library: Down Down Enter"}}},
	"laravel":             {" ┌ Which starter kit would you like to install? ────────────────┐\n │ › ● None                                                     │\n │   ○ React                                                    │\n │   ○ Vue                                                      │\n └──────────────────────────────────────────────────────────────┘\n", asked{core.ReasonQuestion, "Which starter kit would you like to install?", []string{"None: Enter", "React: Down Enter", "Vue: Down Down Enter"}}},
	"gpg":                 {"Please select what kind of key you want:\n   (1) RSA and RSA\n   (2) DSA and Elgamal\n   (9) ECC (sign and encrypt) *default*\nYour selection? ", asked{core.ReasonDialog, "Please select what kind of key you want:", []string{"RSA and RSA: 1 Enter", "DSA and Elgamal: 2 Enter", "ECC (sign and encrypt) *default*: 9 Enter"}}},
	"update-alternatives": {"There are 2 choices for the alternative editor (providing /usr/bin/editor).\n\n  Selection    Path                Priority   Status\n------------------------------------------------------------\n* 0            /bin/nano            40        auto mode\n  1            /bin/nano            40        manual mode\n  2            /usr/bin/vim.basic   30        manual mode\n\nPress <enter> to keep the current choice[*], or type selection number: ", asked{}},
	"ssh-keygen":          {"/home/ada/.ssh/id_ed25519 already exists.\nOverwrite (y/n)? ", asked{core.ReasonQuestion, "Overwrite (y/n)?", []string{"yes: y Enter", "no: n Enter"}}},
	"codex old":           {"Allow command?\n\n  rm -rf build\n\n> Yes (y)\n  Yes, always approve this exact command for this session (a)\n  No (n)\n", asked{core.ReasonApproval, "Allow command? rm -rf build", []string{"Yes (y): Enter", "Yes, always approve this exact command for this session (a): Down Enter", "No (n): Down Down Enter"}}},
	"claude 1.0":          {"╭──────────────────────────────────────────╮\n│ Bash command                             │\n│                                          │\n│   rm -rf build                           │\n│                                          │\n│ Do you want to proceed?                  │\n│ ❯ 1. Yes                                 │\n│   2. Yes, and don't ask again this session │\n│   3. No, and tell Claude what to do (esc) │\n╰──────────────────────────────────────────╯\n", asked{core.ReasonApproval, "Bash command rm -rf build", []string{"Yes: Enter", "Yes, and don't ask again this session: Down Enter", "No, and tell Claude what to do (esc): Escape"}}},
	"approve by list":     {"Run this command?\n\n  $ rm -rf build\n\n ▸ Approve (y)\n   Allow for session (s)\n   Deny (n)\n\n ↑↓ navigate • Enter select\n", asked{core.ReasonApproval, "rm -rf build", []string{"Approve (y): Enter", "Allow for session (s): Down Enter", "Deny (n): Down Down Enter"}}},
	"roo":                 {"Roo wants to edit this file:\n src/main.go\n\n[1] Save   [2] Reject\n", asked{core.ReasonApproval, "Roo wants to edit this file: src/main.go", []string{"Save: 1", "Reject: 2"}}},
	"kiro":                {"\n Execute shell command: rm -rf build\n\n ❯ Yes, single permission\n   Trust, always allow in this session\n   No (Tab to edit)\n\n ESC to close | Tab to edit\n", asked{core.ReasonApproval, "Execute shell command: rm -rf build", []string{"Yes, single permission: Enter", "Trust, always allow in this session: Down Enter", "No (Tab to edit): Down Down Enter"}}},
	"plandex":             {"Apply these changes?\n  (y)es | (n)o | (s)how diff > ", asked{core.ReasonApproval, "(y)es | (n)o | (s)how diff >", []string{"yes: y Enter", "no: n Enter", "show diff: s Enter"}}},
	"interpreter":         {"  rm -rf build\n\n  Would you like to run this code? (y/n)\n\n  ", asked{core.ReasonApproval, "Would you like to run this code? (y/n)", []string{"yes: y Enter", "no: n Enter"}}},
	"kubectl edit":        {"Edit cancelled, no changes made.\n~ $ ", asked{}},
	"answer":              {"1. Use Postgres.\n2. Use SQLite.\n\nWhich of them do you want?\n\n> ", asked{}},
	"repl menu":           {"> show options\n  1. red\n  2. green\n\n> ", asked{}},
	"tail":                {"2026-01-01 [y/n] prompt shown\n2026-01-01 Press Enter to continue was printed\n", asked{}},
	"diff":                {"-  ❯ 1. Yes\n-    2. No\n+  ❯ 1. Yes\n+    2. Never\n lines 1-4\n", asked{}},
	"man":                 {"       -y, --yes\n              Assume yes. Automatic yes to prompts.\n Manual page apt(8) line 1 (press h for help or q to quit)", asked{}},
	"lazygit":             {"╭─Status──────────╮╭─Log─────────────╮\n│ ✓ demo → main   ││ commit 1        │\n╰─────────────────╯╰─────────────────╯\n Stage: <space> | Commit: c | Keybindings: ?\n", asked{}},
	"vim":                 {"package main\n\nfunc main() {\n\t// 1. first\n\t// 2. second\n}\n~\n~\n\"main.go\" 6L, 80B                    6,1           All", asked{}},
	"less":                {"  1. Red\n  2. Green\n  3. Blue\n:", asked{}},
	"less, the end":       {"Press enter to select an option.\nyes/no questions are asked\n(END)", asked{}},
	"fzf":                 {"  core/agent.go\n▌ core/state.go\n  3/120 ───────\n> state", asked{}},
	"fzf, reversed":       {"> state\n  2/120\n> core/state.go\n  core/agent.go\n", asked{}},
	"htop":                {"  PID USER  CPU%  Command\n    1 root   0.0  init\nF1Help  F2Setup  F3Search  F5Tree  F9Kill  F10Quit", asked{}},
	"a log":               {"12:01 step 1. fetch\n12:02 step 2. build\n1. fetched\n2. built\n", asked{}},
	"a list":              {"Your choices are:\n1. Postgres\n2. SQLite\n\nTell me what you prefer.\n", asked{}},
	"a quoted list":       {"> 1. Postgres\n> 2. SQLite\n\nwas your question?\n", asked{}},
	"a prompt":            {"❯ 1. fix the tests\n  2. write the docs\n\n● I will do both.\n\n❯ \n", asked{}},
	"shell":               {"~/src $ ls\na  b\n~/src $ ", asked{}},
	"a repl":              {">>> print(1)\n1\n>>> ", asked{}},
	"gdb":                 {"(gdb) bt\n#0  main () at a.c:3\n(gdb) ", asked{}},
	"a help text": {
		"Usage: demo [options]\n  -y, --yes   answer yes\n  -n, --no    answer no\nPress enter to select is what it prints in menus.\n~ $ ", asked{},
	},
	"tests": {"ok  \tcupola/core\t0.2s\nPASS\nContinue? said nobody [y/n] ever\n~ $ ", asked{}},
	"top":   {"make[1]: Entering directory '/src'\ncc -c a.c\n", asked{}},
}

func TestDialogsOfOtherProgramsAreRead(t *testing.T) {
	kind, _ := load(t).Find("generic")
	right, all := 0, 0
	for name, test := range others {
		lines := strings.Split(test.screen, "\n")
		screen := &core.Screen{Lines: lines, Visible: len(lines)}
		screen.View.Width, screen.View.Height = 120, len(lines)
		screen.View.Cursor = core.Cursor{X: len([]rune(lines[len(lines)-1])), Y: len(lines) - 1, Visible: true}
		all++
		got := askedOn(kind, screen)
		if fmt.Sprint(got) == fmt.Sprint(test.want) {
			right++
			continue
		}
		t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
	}
	t.Logf("%d of %d", right, all)
}

// askedOn is what a screen asks, as a kind reads it.
func askedOn(kind *agent.Kind, screen *core.Screen) asked {
	d, open := kind.Read(screen).Dialog()
	if !open {
		return asked{}
	}
	got := asked{reason: d.Reason, about: d.About}
	for _, o := range d.Options {
		got.options = append(got.options, o.Label+": "+strings.Join(d.Keys(o), " "))
	}
	return got
}

// TestDialogsOfAgentsWithoutAFileAreRead reads screens of agents that have no file, taken when they asked for something
// and when they did not.
func TestDialogsOfAgentsWithoutAFileAreRead(t *testing.T) {
	kind, _ := load(t).Find("generic")
	approval := func(options ...string) asked { return asked{core.ReasonApproval, "sleep 8 && echo done", options} }
	want := map[string]asked{
		"amp-login": {
			core.ReasonLogin, "Would you like to log in to Amp? [(y)es, (n)o]:", []string{"yes: y Enter", "no: n Enter"},
		},
		"auggie-login":   {core.ReasonLogin, "Press return to open your browser", []string{"open your browser: Enter"}},
		"cline-approval": approval("Approve: y", "Deny: n"),
		"cline-start": {
			core.ReasonDialog, "Press Enter to open, any other key to close", []string{"open: Enter", "close: Escape"},
		},
		"kilo-approval": approval("Allow once: Enter", "Allow always: Right Enter", "Reject: Right Right Enter"),
		"omp-approval":  approval("Approve: Enter", "Deny: Down Enter"),
	}
	paths, _ := filepath.Glob("testdata/screens-others/*.ansi")
	if len(paths) < 16 {
		t.Fatalf("only %d screens", len(paths))
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ansi")
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		got := askedOn(kind, &core.Screen{Lines: lines, Visible: len(lines)})
		if name == "omp-setup" {
			if got.reason != core.ReasonLogin || len(got.options) != 10 {
				t.Errorf("%s: %q", name, got)
			}
		} else if fmt.Sprint(got) != fmt.Sprint(want[name]) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want[name])
		}
	}
}
