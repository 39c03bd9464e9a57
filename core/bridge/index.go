package bridge

var order []string
var index []Entry
