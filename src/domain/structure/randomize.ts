import { createHash } from 'node:crypto'

const staysLast = (item: unknown): boolean =>
  typeof item === 'object' &&
  item !== null &&
  (('other' in item && item.other === true) || ('exclusive' in item && item.exclusive === true))

/**
 * Shuffles items in an order that depends only on the seed, so that a response has the same order each time a page is
 * shown. Choices with `other` or `exclusive` keep their order at the end. The stored value remains the position in the
 * structure.
 */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  const lot = (index: number) => createHash('sha256').update(`${seed}\n${index}`).digest('hex')
  const drawn = items.map((item, index) => ({ item, lot: lot(index) })).filter(({ item }) => !staysLast(item))
  drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1))
  return [...drawn.map(({ item }) => item), ...items.filter(staysLast)]
}
