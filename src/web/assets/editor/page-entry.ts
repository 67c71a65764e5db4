import { getLocation } from 'jsonc-parser'

/**
 * Returns the index in `form` of the page (or of the question without a page) at a position of the text. Returns
 * undefined if the position is outside `form`.
 */
export function pageEntryAt(text: string, offset: number): number | undefined {
  const [member, entry] = getLocation(text, offset).path
  return member === 'form' && typeof entry === 'number' ? entry : undefined
}
