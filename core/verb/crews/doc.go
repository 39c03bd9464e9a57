// Package crews has the verbs of crews: agents that work on one task and talk to each other.
package crews
