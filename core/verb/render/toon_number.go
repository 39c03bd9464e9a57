package render

import (
	"bytes"
	"strconv"
	"strings"
)

// The powers of ten between which TOON writes numbers without an exponent.
const (
	plainFrom = -6
	plainTo   = 20
)

// appendNumber appends a JSON number in TOON's canonical form, exactly: no digit is rounded.
func appendNumber(dst []byte, number string) []byte {
	if plainInteger(number) {
		return append(dst, number...)
	}
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := unsigned, int64(0)
	if at := strings.IndexAny(unsigned, "eE"); at >= 0 {
		var err error
		mantissa = unsigned[:at]
		if exponent, err = strconv.ParseInt(unsigned[at+1:], 10, 60); err != nil {
			exponent = 0
			if strings.Trim(mantissa, "0.") != "" {
				return appendHuge(dst, number)
			}
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power := exponent + int64(len(digits)-len(fraction)) - 1
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return append(dst, '0')
	}
	if negative {
		dst = append(dst, '-')
	}
	if power < plainFrom || power > plainTo {
		return appendScientific(dst, digits, power)
	}
	return appendPlain(dst, digits, int(power))
}

// plainInteger says that number is in canonical form already.
func plainInteger(number string) bool {
	return len(number) <= plainTo && number != "-0" && !strings.ContainsAny(number, ".eE")
}

// appendPlain writes digits whose first counts for ten to the power, without an exponent.
func appendPlain(dst []byte, digits string, power int) []byte {
	if power < 0 {
		dst = append(dst, "0."...)
		dst = append(dst, bytes.Repeat([]byte("0"), -power-1)...)
		return append(dst, digits...)
	}
	whole := power + 1
	if len(digits) <= whole {
		dst = append(dst, digits...)
		return append(dst, bytes.Repeat([]byte("0"), whole-len(digits))...)
	}
	dst = append(dst, digits[:whole]...)
	dst = append(dst, '.')
	return append(dst, digits[whole:]...)
}

func appendScientific(dst []byte, digits string, power int64) []byte {
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if power >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, power, 10)
}

// appendHuge writes a number whose exponent no machine integer holds as it is, but for the form of the exponent.
func appendHuge(dst []byte, number string) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	dst = append(dst, mantissa...)
	dst = append(dst, 'e')
	if digit(exponent[0]) {
		dst = append(dst, '+')
	}
	return append(dst, exponent...)
}

// numeric says that a string looks like a number to some reader of TOON, leading zeros and plus sign included.
func numeric(s string) bool {
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	return s != "" && digit(s[0]) && numberTail(skipDigits(s)) == ""
}

// validNumber says that s is a number in JSON's grammar.
func validNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "" || !digit(s[0]) || len(s) > 1 && s[0] == '0' && digit(s[1]) {
		return false
	}
	return numberTail(skipDigits(s)) == ""
}

// numberTail skips the fraction and the exponent at the beginning of s.
func numberTail(s string) string {
	if len(s) > 1 && s[0] == '.' && digit(s[1]) {
		s = skipDigits(s[1:])
	}
	if s == "" || s[0]|0x20 != 'e' {
		return s
	}
	exponent := s[1:]
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	if exponent == "" || !digit(exponent[0]) {
		return s
	}
	return skipDigits(exponent)
}

func skipDigits(s string) string {
	for s != "" && digit(s[0]) {
		s = s[1:]
	}
	return s
}

func digit(c byte) bool {
	return '0' <= c && c <= '9'
}
