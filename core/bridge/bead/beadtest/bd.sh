#!/bin/sh
# A fake bd: it changes the lines of issues.jsonl as bd answers it would.
file=$BEADS_DIR/issues.jsonl
echo "$*" >> "$BEADS_DIR/bd.log"
verb= id= who= status= title= claim= rest=
for arg; do
	case $rest$arg in
	--actor=* | --assignee=*) who=${arg#*=} assign=yes ;;
	--status=*) status=${arg#*=} ;;
	--title=*) title=${arg#*=} ;;
	--claim) claim=yes status=in_progress assign=yes ;;
	--) rest=y ;;
	y*) id=$arg ;;
	-*) ;;
	*) verb=$arg ;;
	esac
done
line() { grep "^{\"id\":\"$id\"" "$file" | tail -n 1; }
case $verb in
export)
	cat "$file"
	exit
	;;
create)
	id=bd-new
	printf '{"id":"%s","title":"%s","status":"open","priority":2,"issue_type":"task","assignee":"","created_at":"2026-01-05T10:00:00Z","updated_at":"2026-01-05T10:00:00Z"}\n' \
		"$id" "$title" >> "$file"
	line
	exit
	;;
close) status=closed ;;
update) ;;
*)
	echo "Error: unknown command \"$verb\" for \"bd\"" >&2
	exit 1
	;;
esac
if [ -z "$(line)" ]; then
	echo "{\"error\": \"no issue found matching \\\"$id\\\"\"}"
	exit 1
fi
# bd ends well even where it refuses a claim.
if [ -n "$claim" ] && ! line | grep -q '"assignee":""'; then
	echo "Error claiming $id: already claimed by $(line | sed 's/.*"assignee":"\([^"]*\)".*/\1/')" >&2
	exit 0
fi
edit="s/\"status\":\"[a-z_]*\"/\"status\":\"$status\"/"
[ -z "$assign" ] || edit="$edit;s/\"assignee\":\"[^\"]*\"/\"assignee\":\"${who:-$BD_ACTOR}\"/"
sed "/^{\"id\":\"$id\"/{$edit;}" "$file" > "$file.tmp" && mv "$file.tmp" "$file"
printf '[%s]\n' "$(line)"
