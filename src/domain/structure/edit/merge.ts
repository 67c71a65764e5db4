import { problems } from '../../problem.ts'
import type { LanguageText } from '../questionnaire.ts'
import type { StructureItem } from '../structure.ts'
import { type Json, uidOf } from '../walk.ts'
import type { ItemChange, TextChange } from './operation.ts'

const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n').trim()
const withoutBreaks = (text: string): string => text.replace(/[\r\n]/g, '').trim()

/**
 * Returns a text with new translations; undefined if there was no text and there is still none. A difference in white
 * space that the form control has caused is not treated as a change.
 * @param isLine whether the form control has a single line and therefore no line breaks
 */
export function mergeText(
  before: LanguageText | undefined,
  change: TextChange,
  isLine = false,
): LanguageText | undefined {
  const after: Record<string, string> = { ...before }
  for (const [code, text] of Object.entries(change)) {
    const stored = Object.hasOwn(after, code) ? after[code]! : ''
    if ((isLine ? withoutBreaks(stored) : withLineFeeds(stored)) === text) continue
    if (text === '') delete after[code]
    else after[code] = text
  }
  return before || Object.keys(after).length > 0 ? after : undefined
}

/**
 * Sets members of an object. A member with the value undefined or null is removed. The order of the other members does
 * not change.
 */
export function withMembers<Owner extends Json>(owner: Owner, members: Json): Owner {
  const after: Json = { ...owner }
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) delete after[name]
    else after[name] = value
  }
  return after as Owner
}

/**
 * Returns the title and the description of an object after a change. A text that is absent from the change is absent
 * from the result too.
 */
export const textMembers = (
  owner: { title?: LanguageText | undefined; description?: LanguageText | undefined },
  change: { title?: TextChange; description?: TextChange },
): Json => ({
  ...(change.title && { title: mergeText(owner.title, change.title) }),
  ...(change.description && { description: mergeText(owner.description, change.description) }),
})

/** Returns whether a value means the same as an absent member. */
const isDefault = (value: unknown) => value === false || value === undefined || value === null

/** Sets members of an object. A member whose value means the same as an absent member is not added. */
export function withSettings<Owner extends Json>(owner: Owner, settings: Json): Owner {
  const needed = Object.entries(settings).filter(([name, value]) => Object.hasOwn(owner, name) || !isDefault(value))
  return withMembers(owner, Object.fromEntries(needed))
}

/** Returns an image after a change. Unknown members are kept. */
const mergeImage = (
  before: StructureItem['image'],
  { url, alt }: NonNullable<ItemChange['image']>,
): StructureItem['image'] => ({ ...before, url, alt: mergeText(before?.alt, alt, true) ?? {} })

/**
 * Returns choices or rows after a change. Existing items keep their numbers and unknown members.
 * @throws {Problem} `structure_changed` if a change contains the number of an item that no longer exists
 */
export function mergeItems(before: readonly StructureItem[], changes: readonly ItemChange[]): StructureItem[] {
  const byUid = new Map(before.map((item, index) => [uidOf(item, index), item]))
  return changes.map(({ uid, label, image, ...rest }) => {
    const before = uid === undefined ? undefined : byUid.get(uid)
    const settings = { ...rest, ...(image !== undefined && { image: image && mergeImage(before?.image, image) }) }
    if (uid === undefined) return withSettings({ label: mergeText(undefined, label) ?? {} }, settings)
    const item = before
    if (!item) throw problems.draftChanged()
    const text = mergeText(item.label, label, true)
    // Old surveys have scores that are strings.
    const isSameScore = 'score' in settings && String(settings.score) === String(item.score)
    const isSameCode = typeof item.code === 'string' && settings.code === item.code.trim()
    return withSettings(
      { ...item, ...(text && { label: text }), uid },
      { ...settings, ...(isSameScore && { score: item.score }), ...(isSameCode && { code: item.code }) },
    )
  })
}
