/**
 * Returns whether a text contains another one, in time linear in both (Knuth–Morris–Pratt). `String.includes` takes time
 * proportional to their product for texts such as bbb…abbb…: seconds for the longest answers.
 */
export function containsText(text: string, wanted: string): boolean {
  if (wanted.length > text.length) return false
  const borders = bordersOf(wanted)
  let matched = 0
  for (let at = 0; at < text.length && matched < wanted.length; at++) {
    const code = text.charCodeAt(at)
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1]!
    if (wanted.charCodeAt(matched) === code) matched++
  }
  return matched === wanted.length
}

/** Returns, for each prefix of a text, the length of its longest proper prefix that is also its suffix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1]!
    if (text.charCodeAt(length) === code) length++
    borders[at] = length
  }
  return borders
}
