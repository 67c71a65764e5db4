/** The type of a row of the sheet `survey`. */
export type RowType =
  | { kind: 'begin'; repeat: boolean }
  | { kind: 'end' }
  | { kind: 'select'; multiple: boolean; list: string; orOther: boolean }
  | { kind: 'rank'; list: string }
  /** Any other type, in lower case with `_` between words. */
  | { kind: 'plain'; name: string }

const SELECT_ONE = /^(?:add )?select[_ ]?(?:one|1)(?: from)?(?: prompt using)? (\S.*)$/i
const SELECT_MULTIPLE = /^(?:add )?select[_ ](?:multiple|all that apply)(?: from)?(?: prompt using)? (\S.*)$/i

/**
 * Parses a type in the notation of any version of the XLSForm standard: `select_one list`, `select one from list
 * or_other`.
 */
export function rowTypeOf(text: string): RowType {
  const type = text.trim().replace(/\s+/g, ' ')
  const one = SELECT_ONE.exec(type)?.[1]
  const multiple = SELECT_MULTIPLE.exec(type)?.[1]
  const list = one ?? multiple
  if (list !== undefined) {
    const withoutOther = list.replace(/ (?:or_other|or specify other|or other)$/i, '')
    return { kind: 'select', multiple: one === undefined, list: withoutOther, orOther: withoutOther !== list }
  }
  const ranked = /^rank (\S.*)$/i.exec(type)?.[1]
  if (ranked !== undefined) return { kind: 'rank', list: ranked.replace(/ or_other$/i, '') }
  const name = type.toLowerCase().replaceAll(' ', '_')
  const group = /^(begin|end)_?(group|repeat|loop.*)$/.exec(name)
  if (group) return group[1] === 'end' ? { kind: 'end' } : { kind: 'begin', repeat: group[2] !== 'group' }
  return { kind: 'plain', name: PLAIN_SYNONYMS.get(name) ?? name }
}

const PLAIN_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['int', 'integer'],
  ['number', 'integer'],
  ['trigger', 'acknowledge'],
  ['photo', 'image'],
  ['add_photo_prompt', 'image'],
  ...['text', 'integer', 'decimal', 'date', 'note', 'image', 'audio', 'video', 'file'].map(
    (name) => [`add_${name}_prompt`, name] as const,
  ),
])

/**
 * Types of rows that respondents do not see and whose values are times. Such rows are not converted, because every
 * response has the times `_created_at` and `_updated_at`.
 */
export const RECORDED_TYPES = new Set(['start', 'end', 'today', 'start_time', 'end_time'])
/** Types of rows that collect data about the device. */
export const DEVICE_TYPES = new Set([
  'deviceid',
  'device_id',
  'subscriberid',
  'simserial',
  'sim_id',
  'phonenumber',
  'phone_number',
  'username',
  'email',
  'audit',
  'start-geopoint',
  'background-audio',
  'imei',
])
