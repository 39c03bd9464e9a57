package host

// FaultOf says what the end of ssh means.
var FaultOf = faultOf
