package own

// Opts are the options of a client, which tests change.
func Opts(s *Server) *Options { return &s.opts }
