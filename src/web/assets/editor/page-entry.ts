import { getLocation } from 'jsonc-parser'

/**
 * Returns the index of the entry at a position of the text. An entry is an item of the member `form` of the structure:
 * a page, or a question without a page. Returns undefined if the position is in no entry.
 */
export function pageEntryAt(text: string, offset: number): number | undefined {
  const [member, entry] = getLocation(text, offset).path
  return member === 'form' && typeof entry === 'number' ? entry : undefined
}
