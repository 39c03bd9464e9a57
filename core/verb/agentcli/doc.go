// Package agentcli has the verbs with which an agent inside a story reads and reports it.
package agentcli
