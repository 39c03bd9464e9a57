package story

import "time"

// Change is a list of stories, with what is to be known for them.
type Change struct {
	// Name is the name of the OpenSpec change, or that of the file of tasks without its extension.
	Name string `json:"name"`
	// Dir is the folder of the change; empty for a plain file of tasks.
	Dir string `json:"dir,omitempty"`
	// Path is the file of tasks.
	Path string `json:"tasks_file"`
	// Proposal and Design are texts of the change; empty where it has none.
	Proposal string `json:"proposal,omitempty"`
	Design   string `json:"design,omitempty"`
	// Stories are in the order of the file.
	Stories []Story `json:"stories"`
	// Scenarios are the scenarios of all specs of the change, by capability.
	Scenarios []Scenario `json:"scenarios"`
	// Dropped are lines that look like a task or a story and are none.
	Dropped []Dropped `json:"dropped"`
}

// Story is a unit of work: the tasks under one heading.
type Story struct {
	_ struct{} `minimal:"id,title" standard:"id,title,tasks,depends_on"`
	// ID is the number before the heading's title, or made from the title. It is unique in a change.
	ID    string `json:"id" table:"STORY,strong"`
	Title string `json:"title" table:"TITLE,flex"`
	Tasks []Task `json:"tasks"`
	// After are the ids of stories that must be done first, as far as the file says so.
	After []string `json:"depends_on"`
	// Line is the line of its heading, counted from 1; the line of its first task where it has none.
	Line int `json:"line"`
}

// Task is one line with a check box.
type Task struct {
	_ struct{} `minimal:"id,text,done" standard:"id,text,done,line"`
	// ID is the number at the start of its text, or made from its place. It is unique in a change.
	ID string `json:"id" table:"TASK,strong"`
	// Text is the task without its mark and id.
	Text string `json:"text" table:"TEXT,flex"`
	// Done is true for the marks x and X alone; Mark is the text between the brackets, without blanks.
	Done bool   `json:"done"`
	Mark string `json:"mark"`
	// Depth is how deeply its line is nested below other items; Line is counted from 1.
	Depth int `json:"depth"`
	Line  int `json:"line"`
}

// Scenario is an example of what a requirement means.
type Scenario struct {
	_             struct{} `minimal:"capability,name" standard:"capability,requirement,name"`
	Capability    string   `json:"capability"`
	Requirement   string   `json:"requirement"`
	RequirementID string   `json:"requirement_id"`
	Name          string   `json:"name"`
	Given         []string `json:"given"`
	When          string   `json:"when"`
	Then          []string `json:"then"`
}

// Dropped is a line that is no task although it looks like one, and why.
type Dropped struct {
	_    struct{} `minimal:"line,text" standard:"line,text,why"`
	Line int      `json:"line"`
	Text string   `json:"text"`
	Why  string   `json:"why"`
}

// TasksDone counts the tasks of a story that are done.
func (s *Story) TasksDone() int {
	n := 0
	for i := range s.Tasks {
		if s.Tasks[i].Done {
			n++
		}
	}
	return n
}

// Complete reports whether all its tasks are done. A story without tasks is complete: nothing in it can be done.
func (s *Story) Complete() bool { return s.TasksDone() == len(s.Tasks) }

// Story returns the story with an id; nil if there is none.
func (c *Change) Story(id string) *Story {
	for i := range c.Stories {
		if c.Stories[i].ID == id {
			return &c.Stories[i]
		}
	}
	return nil
}

// Task returns the task with an id and its story; nil if there is none.
func (c *Change) Task(id string) (*Story, *Task) {
	for i := range c.Stories {
		s := &c.Stories[i]
		for j := range s.Tasks {
			if s.Tasks[j].ID == id {
				return s, &s.Tasks[j]
			}
		}
	}
	return nil, nil
}

// Next returns the first story that is not complete; nil if all are.
func (c *Change) Next() *Story {
	for i := range c.Stories {
		if !c.Stories[i].Complete() {
			return &c.Stories[i]
		}
	}
	return nil
}

// Counts returns how many tasks are done, and how many there are.
func (c *Change) Counts() (done, total int) {
	for i := range c.Stories {
		done += c.Stories[i].TasksDone()
		total += len(c.Stories[i].Tasks)
	}
	return done, total
}

// Learning is something that an agent found out and others need to know.
type Learning struct {
	_    struct{} `minimal:"text" standard:"text,story_id,task_id"`
	Text string   `json:"text"`
	// Task and Story are its origin; empty where that is not known.
	Task  string    `json:"task_id,omitempty"`
	Story string    `json:"story_id,omitempty"`
	At    time.Time `json:"at"`
}
