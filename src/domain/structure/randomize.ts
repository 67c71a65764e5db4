import { createHash } from 'node:crypto'

const staysLast = (item: unknown): boolean =>
  typeof item === 'object' &&
  item !== null &&
  (('other' in item && item.other === true) || ('exclusive' in item && item.exclusive === true))

/**
 * Shuffles items in an order that depends only on the seed, so that a respondent sees the same order every time.
 * Choices with `other` or `exclusive` stay at the end, in their order. The order does not affect stored values.
 */
export function shuffle<T>(items: readonly T[], seed: string): T[] {
  const sortKey = (index: number) => createHash('sha256').update(`${seed}\n${index}`).digest('hex')
  const randomized = items.map((item, index) => ({ item, key: sortKey(index) })).filter(({ item }) => !staysLast(item))
  randomized.sort((a, b) => (a.key < b.key ? -1 : 1))
  return [...randomized.map(({ item }) => item), ...items.filter(staysLast)]
}
