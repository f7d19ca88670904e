package token

// longest cuts text by always taking the longest token that it goes on with.
// The format calls this "rwkv", after the models that brought it in.
type longest struct {
	v     *vocab
	texts *spellings
}

func newLongest(v *vocab) *longest {
	var texts []string
	var ids []int32
	for id, token := range v.list.texts {
		if text := unescape(nil, token); len(text) > 0 && v.text(int32(id)) {
			texts = append(texts, string(text))
			ids = append(ids, int32(id))
		}
	}
	return &longest{v, newSpellings(texts, ids)}
}

func (l *longest) encode(e *encoder, dst []int32, text string) []int32 {
	for at := 0; at < len(text); {
		if e.matches = l.texts.at(e.matches[:0], text, at); len(e.matches) > 0 {
			best := e.matches[len(e.matches)-1]
			dst = append(dst, best.id)
			at = best.end
			continue
		}
		if l.v.unk >= 0 {
			dst = append(dst, l.v.unk)
		}
		at++
	}
	return dst
}

func (l *longest) appendPiece(dst []byte, spelling string) []byte { return unescape(dst, spelling) }

// unescape appends a spelling with its escapes \t, \n, \r and \x41 resolved;
// any other character after a backslash is itself.
func unescape(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			dst = append(dst, s[i])
			continue
		}
		i++
		switch s[i] {
		case 't':
			dst = append(dst, '\t')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 'x':
			if i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0 {
				dst = append(dst, byte(hexDigit(s[i+1])<<4|hexDigit(s[i+2])))
				i += 2
			}
		default:
			dst = append(dst, s[i])
		}
	}
	return dst
}
