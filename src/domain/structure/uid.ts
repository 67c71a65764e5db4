import type { Json } from './walk.ts'

/** The highest stable number that an author can set for a choice or row. */
export const MAX_UID = 999_999

/** Returns the stable number of a choice or row. For an item stored without a number, returns its position. */
export const uidOf = (item: Json, index: number): number => (Number.isInteger(item.uid) ? Number(item.uid) : index)
