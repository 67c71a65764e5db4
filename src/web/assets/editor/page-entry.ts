import { getLocation } from 'jsonc-parser'

/** Returns the index in `form` of the page (or question without page) at a position of the text; undefined outside. */
export function pageEntryAt(text: string, offset: number): number | undefined {
  const [member, entry] = getLocation(text, offset).path
  return member === 'form' && typeof entry === 'number' ? entry : undefined
}
