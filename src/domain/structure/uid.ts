import type { Json } from './walk.ts'

/** The highest number of a choice or row that an author may give. */
export const MAX_UID = 999_999

/** The stable number of a choice or row; one that was stored before there were such numbers is its position. */
export const uidOf = (item: Json, index: number): number => (Number.isInteger(item.uid) ? Number(item.uid) : index)
