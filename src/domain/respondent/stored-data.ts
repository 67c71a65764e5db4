import { fileFields } from '../structure/file-answer.ts'
import { ERASED_IDENTITY } from '../survey/anonymity.ts'
import type { CollectorSnapshot, SurveySnapshot } from '../survey/snapshot.ts'
import type { Tables } from '../tables.ts'

/** Something that a response can contain. */
export type StoredData =
  | 'answers'
  | 'files'
  | 'number'
  | 'progress'
  | 'hours'
  | 'times'
  | 'language'
  | 'link'
  | 'duration'
  | 'source'
  | 'network'
  | 'invitation'

type Column = keyof Tables['response']

/** What each column of a response contains. The compiler requires an entry for a new column. */
const CONTENT: Readonly<Record<Column, StoredData>> = {
  survey_id: 'number',
  id: 'number',
  number: 'number',
  key: 'number',
  answers: 'answers',
  weighted_score: 'answers',
  completed: 'progress',
  pagepath: 'progress',
  saves: 'progress',
  created_at: 'times',
  updated_at: 'times',
  completion_time: 'duration',
  active_seconds: 'duration',
  language: 'language',
  locale: 'language',
  collector_id: 'link',
  get_variables: 'source',
  referrer: 'source',
  ip_address: 'network',
  username: 'invitation',
  invite_code: 'invitation',
  invite_email: 'invitation',
  invite_name: 'invitation',
  invite_once: 'invitation',
}

/** The columns that an anonymous response does not contain, and those without a value without them. */
const ERASED: ReadonlySet<Column> = new Set([
  ...(Object.keys(ERASED_IDENTITY) as Column[]),
  'completion_time',
  'active_seconds',
  'invite_once',
])

/** Returns what the responses of a collector contain and what they do not, by the settings and the columns. */
export function storedDataOf(
  { questionnaire }: SurveySnapshot,
  { settings: { anonymous, store_ip } }: CollectorSnapshot,
): { stored: StoredData[]; notStored: StoredData[] } {
  const [stored, notStored] = [new Set<StoredData>(), new Set<StoredData>()]
  for (const [column, content] of Object.entries(CONTENT) as [Column, StoredData][]) {
    const isErased = (anonymous && ERASED.has(column)) || (column === 'ip_address' && !store_ip)
    ;(isErased ? notStored : stored).add(anonymous && content === 'times' ? 'hours' : content)
  }
  if (fileFields(questionnaire).length > 0) stored.add('files')
  return { stored: [...stored], notStored: [...notStored].filter((content) => !stored.has(content)) }
}
