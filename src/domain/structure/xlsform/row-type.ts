/** The type of a row of the sheet `survey`. */
export type RowType =
  | { kind: 'begin'; repeat: boolean }
  | { kind: 'end' }
  | { kind: 'select'; multiple: boolean; list: string; orOther: boolean }
  | { kind: 'rank'; list: string; orOther: boolean }
  /** Any other type, in lower case with `_` between words. */
  | { kind: 'plain'; name: string }

const SELECT_ONE = /^(?:(?:add )?select[_ ]?(?:one|1)(?: from)?(?: prompt)?(?: using)?|q select1) (\S.*)$/i
const SELECT_MULTIPLE =
  /^(?:(?:add )?select[_ ](?:multiple|all that apply)(?: from)?(?: prompt)?(?: using)?|q select) (\S.*)$/i
const OR_OTHER = / (?:or_other|or specify other|or other)$/i

/**
 * Parses a type in the notation of any version of the XLSForm standard: `select_one list`, `select one from list
 * or_other`.
 */
export function rowTypeOf(text: string): RowType {
  const type = text.trim().replace(/\s+/g, ' ')
  const one = SELECT_ONE.exec(type)?.[1]
  const multiple = SELECT_MULTIPLE.exec(type)?.[1]
  const list = one ?? multiple ?? /^rank (\S.*)$/i.exec(type)?.[1]
  if (list !== undefined) {
    const withoutOther = list.replace(OR_OTHER, '')
    const found = { list: withoutOther, orOther: withoutOther !== list }
    return one === undefined && multiple === undefined
      ? { kind: 'rank', ...found }
      : { kind: 'select', multiple: one === undefined, ...found }
  }
  const name = type.toLowerCase().replaceAll(' ', '_')
  const group = /^(begin|end)_?(group|repeat|lgroup|looped_group|loop.*)$/.exec(name)
  if (group) return group[1] === 'end' ? { kind: 'end' } : { kind: 'begin', repeat: group[2] !== 'group' }
  return { kind: 'plain', name: synonyms.get(name) ?? name }
}

/** Types that pyxform knows under several names. */
const SYNONYMS = {
  text: 'string q_string',
  integer: 'int number q_int',
  decimal: 'q_decimal',
  date: 'q_date',
  datetime: 'date_time q_date_time q_datetime add_date_time_prompt',
  note: 'q_note',
  acknowledge: 'trigger q_acknowledge',
  barcode: 'q_barcode',
  calculate: 'q_calculate',
  image: 'photo q_picture q_image add_photo_prompt',
  audio: 'q_audio',
  video: 'q_video',
  geopoint: 'location gps q_location q_geopoint add_location_prompt',
  geoshape: 'q_geoshape',
  geotrace: 'q_geotrace',
  start: 'start_time get_start_time',
  end: 'end_time get_end_time',
  today: 'get_today',
  deviceid: 'device_id get_device_id imei uri:deviceid',
  subscriberid: 'subscriber_id get_subscriber_id uri:subscriberid',
  simserial: 'sim_id get_sim_id uri:simserial',
  phonenumber: 'phone_number get_phone_number uri:phonenumber',
  username: 'uri:username',
  email: 'uri:email',
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ...['text', 'integer', 'decimal', 'date', 'datetime', 'note', 'image', 'audio', 'video', 'file', 'barcode'].map(
    (name) => [`add_${name}_prompt`, name] as const,
  ),
  ...['acknowledge', 'calculate'].map((name) => [`add_${name}_prompt`, name] as const),
  ...Object.entries(SYNONYMS).flatMap(([name, others]) => others.split(' ').map((other) => [other, name] as const)),
])

/** Whole numbers with limits of their own, and their maximum. */
export const LIMITED_INTEGERS: ReadonlyMap<string, number> = new Map([
  ['percentage', 100],
  ['number_of_days_in_last_month', 31],
  ['number_of_days_in_last_six_months', 183],
  ['number_of_days_in_last_year', 365],
])

/**
 * Types of rows that respondents do not see and whose values are times. Such rows are not converted, because every
 * response has the times `_created_at` and `_updated_at`.
 */
export const RECORDED_TYPES: ReadonlySet<string> = new Set(['start', 'end', 'today'])
/** Types of rows that collect data about the device. */
export const DEVICE_TYPES: ReadonlySet<string> = new Set([
  'deviceid',
  'subscriberid',
  'simserial',
  'phonenumber',
  'username',
  'email',
  'audit',
  'start-geopoint',
  'background-audio',
  'background-geopoint',
])
