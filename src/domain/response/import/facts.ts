import { type ValueError, valueError } from '../../field-error.ts'
import { instantOf, momentOf } from '../../structure/datetime.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Facts } from '../submit/imported.ts'
import type { Completion } from '../submit/submission-batcher.ts'

/** A fact of one row, or what is wrong with it. */
type Read = Partial<Facts> | ValueError

const COMPLETIONS: ReadonlyMap<string, Completion> = new Map([
  ['0', 0],
  ['1', 1],
  ['2', 2],
  ['incomplete', 0],
  ['complete', 1],
  ['terminated', 2],
])

/** Characters of a text that is a fact: more than any address or name has. */
const LONGEST = 2_000
const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
/** The largest number of the integer columns. */
const LARGEST = 2_147_483_647

const text =
  (member: 'username' | 'ipAddress' | 'getVariables' | 'referrer' | 'inviteEmail' | 'inviteName') =>
  (cell: string): Read =>
    cell.length > LONGEST ? valueError('too_long', { max: LONGEST }) : { [member]: cell }

const integer =
  (member: 'locale' | 'completionTime') =>
  (cell: string): Read =>
    /^\d{1,10}$/.test(cell) && Number(cell) <= LARGEST ? { [member]: Number(cell) } : valueError('not_an_integer')

/** The facts that an import takes over, as the export writes them. An empty cell says nothing. */
const readers = {
  _completed: (cell: string): Read => {
    const completed = COMPLETIONS.get(cell.toLowerCase())
    return completed === undefined
      ? valueError('invalid_value', {}, 'must be Incomplete, Complete or Terminated')
      : { completed }
  },
  _created_at: (cell: string): Read => {
    const moment = momentOf(cell)
    if (!moment || moment.format === 'time') return valueError('invalid_datetime', { example: '2026-03-14T15:09:26' })
    return { createdAt: new Date(instantOf(cell)) }
  },
  _language: (cell: string): Read =>
    LANGUAGE.test(cell) ? { language: cell } : valueError('invalid_format', {}, 'must be a language code such as en'),
  _collector: (cell: string, { collectors }: SurveySnapshot): Read =>
    /^\d{1,15}$/.test(cell) && collectors.has(Number(cell))
      ? { collectorId: Number(cell) }
      : valueError('unknown_collector'),
  _key: (cell: string): Read =>
    /^[0-9a-f]{40}$/i.test(cell)
      ? { key: Buffer.from(cell, 'hex') }
      : valueError('invalid_format', {}, 'must be 40 hexadecimal digits'),
  _locale: integer('locale'),
  _completion_time: integer('completionTime'),
  _username: text('username'),
  _ip_address: text('ipAddress'),
  _get_variables: text('getVariables'),
  _referrer: text('referrer'),
  _invite_email: text('inviteEmail'),
  _invite_name: text('inviteName'),
}

export type FactName = keyof typeof readers

export const factNames: ReadonlySet<FactName> = new Set(Object.keys(readers) as FactName[])

/** Reads a cell that is not empty. @returns the fact, or what is wrong with it */
export const readFact = (name: FactName, cell: string, snapshot: SurveySnapshot): Read => readers[name](cell, snapshot)
