/**
 * Returns whether a text contains another text, in time linear in the length of both (Knuth–Morris–Pratt).
 * `String.includes` takes time proportional to the product of their lengths for texts such as bbb…abbb…: seconds for
 * the longest answers.
 */
export function containsText(text: string, term: string): boolean {
  if (term.length > text.length) return false
  const borders = bordersOf(term)
  let matched = 0
  for (let position = 0; position < text.length && matched < term.length; position++) {
    const code = text.charCodeAt(position)
    while (matched > 0 && term.charCodeAt(matched) !== code) matched = borders[matched - 1]!
    if (term.charCodeAt(matched) === code) matched++
  }
  return matched === term.length
}

/** Returns, for each prefix of a text, the length of the longest shorter prefix with which it also ends. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let position = 1; position < text.length; position++) {
    const code = text.charCodeAt(position)
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1]!
    if (text.charCodeAt(length) === code) length++
    borders[position] = length
  }
  return borders
}
