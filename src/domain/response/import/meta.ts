import { detail } from '../../error-details.ts'
import { type ValueError, valueError } from '../../field-error.ts'
import { instantOf, parseIsoDatetime } from '../../structure/datetime.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { ImportedMeta } from '../submit/imported.ts'
import type { Completion } from '../submit/submission-batcher.ts'

/** A parsed meta field, or an error. */
type ParsedMeta = Partial<ImportedMeta> | ValueError

const COMPLETIONS: ReadonlyMap<string, Completion> = new Map([
  ['0', 0],
  ['1', 1],
  ['2', 2],
  ['incomplete', 0],
  ['complete', 1],
  ['terminated', 2],
])

/** Maximum length of a text field. */
const MAX_TEXT_CHARACTERS = 2_000
const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
/** Largest value of the integer columns. */
const MAX_INTEGER = 2_147_483_647

const text =
  (member: 'username' | 'ipAddress' | 'getVariables' | 'referrer' | 'inviteEmail' | 'inviteName') =>
  (cell: string): ParsedMeta =>
    cell.length > MAX_TEXT_CHARACTERS ? valueError('too_long', { max: MAX_TEXT_CHARACTERS }) : { [member]: cell }

const integer =
  (member: 'locale' | 'completionTime') =>
  (cell: string): ParsedMeta =>
    /^\d{1,10}$/.test(cell) && Number(cell) <= MAX_INTEGER ? { [member]: Number(cell) } : valueError('not_an_integer')

/** Parsers of the meta fields that an import accepts, in the format of exports. Empty cells are ignored. */
const parsers = {
  _completed: (cell: string): ParsedMeta => {
    const completed = COMPLETIONS.get(cell.toLowerCase())
    return completed === undefined ? valueError('invalid_value', {}, detail('status_name')) : { completed }
  },
  _created_at: (cell: string): ParsedMeta => {
    const datetime = parseIsoDatetime(cell)
    if (!datetime || datetime.format === 'time')
      return valueError('invalid_datetime', { example: '2026-03-14T15:09:26' })
    return { createdAt: new Date(instantOf(cell)) }
  },
  _language: (cell: string): ParsedMeta =>
    LANGUAGE.test(cell) ? { language: cell } : valueError('invalid_format', {}, detail('simple_language_code')),
  // A collector of another survey, whose export is imported, becomes the default collector.
  _collector: (cell: string, { collectors }: SurveySnapshot): ParsedMeta =>
    /^\d{1,15}$/.test(cell)
      ? { collectorId: collectors.has(Number(cell)) ? Number(cell) : undefined }
      : valueError('unknown_collector'),
  _key: (cell: string): ParsedMeta =>
    /^[0-9a-f]{40}$/i.test(cell)
      ? { key: Buffer.from(cell, 'hex') }
      : valueError('invalid_format', {}, detail('key_format')),
  _locale: integer('locale'),
  _completion_time: integer('completionTime'),
  _pagepath: (cell: string): ParsedMeta =>
    /^\d{1,5}(?:,\d{1,5}){0,4999}$/.test(cell)
      ? { pagepath: cell }
      : valueError('invalid_format', {}, detail('page_numbers')),
  _username: text('username'),
  _ip_address: text('ipAddress'),
  _get_variables: text('getVariables'),
  _referrer: text('referrer'),
  _invite_email: text('inviteEmail'),
  _invite_name: text('inviteName'),
}

/** Names of the meta fields that an import accepts. */
export type ImportedMetaKey = keyof typeof parsers

export const importedMetaKeys: ReadonlySet<ImportedMetaKey> = new Set(Object.keys(parsers) as ImportedMetaKey[])

/** Parses a non-empty cell into a meta field or an error. */
export const parseMeta = (name: ImportedMetaKey, cell: string, snapshot: SurveySnapshot): ParsedMeta =>
  parsers[name](cell, snapshot)
