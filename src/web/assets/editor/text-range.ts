import { getLocation } from 'jsonc-parser'

/** The position in `form` of the page (or question without one) that a place of the text belongs to; nothing outside. */
export function pageEntryAt(text: string, offset: number): number | undefined {
  const [member, entry] = getLocation(text, offset).path
  return member === 'form' && typeof entry === 'number' ? entry : undefined
}
