import { createHash } from 'node:crypto'

const staysLast = (item: unknown): boolean =>
  typeof item === 'object' &&
  item !== null &&
  (('other' in item && item.other === true) || ('exclusive' in item && item.exclusive === true))

/**
 * The items in an order that looks random and is the same for the same seed, so that a response sees one order however
 * often a page is shown. Choices with `other` or `exclusive` keep their order at the end. Only what is shown changes:
 * the stored value stays the position in the structure.
 */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  const lot = (index: number) => createHash('sha256').update(`${seed}\n${index}`).digest('hex')
  const drawn = items.map((item, index) => ({ item, lot: lot(index) })).filter(({ item }) => !staysLast(item))
  drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1))
  return [...drawn.map(({ item }) => item), ...items.filter(staysLast)]
}
