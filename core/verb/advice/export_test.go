package advice

// Remedies are all rows of the table.
var Remedies = remedies
