import type { Services } from '../../services.ts'
import { answerTo, isList } from '../../structure/answered.ts'
import { codeAt } from '../../structure/choices.ts'
import { withFileAddresses } from '../../structure/file-answer.ts'
import type { Answer, Answers, Field, Questionnaire } from '../../structure/questionnaire.ts'
import { withoutRemovedChoices } from '../../structure/stored.ts'
import { labelOf } from '../../structure/text.ts'
import { ERASED_IDENTITY } from '../../survey/anonymity.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { fileUri } from '../../survey-address.ts'
import { showsIdentity } from '../filter/identity.ts'
import type { StoredResponse } from '../filter/where.ts'

/** The format of answers and meta fields. */
export interface ResponseStyle {
  /** Whether to return the label of a choice instead of its index. */
  include_labels?: boolean | undefined
  /** Whether to return the code of a choice. Takes precedence over labels. */
  include_codes?: boolean | undefined
  /** Language of labels; absent: the default language of the survey. */
  language?: string | undefined
  /** The fields whose answers are returned; absent: all. */
  fields?: readonly Field[] | undefined
  /** Whether to return `_get_variables` as an object instead of a query string. */
  expand_GET?: boolean | undefined
}

/**
 * A response as versions 2 and 3 of the API return it (docs/specification.md 7.1, 7.2). Version 3 adds the URL of the
 * response.
 */
export interface ResponseView {
  [key: string]: unknown
  _id: number
  _key: string
  _completed: 0 | 1 | 2
  _created_at: string
  _updated_at: string
  _username: string
  _ip_address: string
  _locale: number | null
  _language: string
  _weighted_score: number | ''
  _referrer: string | null
  _get_variables: string | null | Record<string, string | string[]>
  _pagepath: string | null
  _saves: number
  _completion_time: number | null
  _collector: number
  _invite_code: string | null
  _invite_email: string | null
  _invite_name: string | null
}

/** Matches a time as PostgreSQL formats it if the time zone of the session is UTC. */
const IN_UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?\+00$/

/**
 * Formats a time as `YYYY-MM-DDTHH:MM:SS` in UTC without a suffix. Uses `Date`, which is slow, only for times in
 * another format than {@link IN_UTC}.
 */
function timeView(time: string): string {
  const match = IN_UTC.exec(time)
  return match ? `${match[1]}T${match[2]}` : new Date(time).toISOString().slice(0, 19)
}

/**
 * Returns a response with its answers by response key (docs/specification.md 7.3), without answers to removed
 * questions. If a meta field and a question have the same name, the meta field is returned.
 */
export function responseView(
  services: Pick<Services, 'baseUrl'>,
  snapshot: SurveySnapshot,
  row: StoredResponse,
  style: ResponseStyle,
): ResponseView {
  const identity = showsIdentity(snapshot, row.collector_id) ? row : ERASED_IDENTITY
  const addressOf = fileAddresses(services, snapshot, row.id)
  const answers = answersView(snapshot.questionnaire, row.answers as Answers, style, addressOf)
  return Object.assign(answers, {
    _id: row.id,
    _key: row.key.toString('hex'),
    _completed: row.completed as 0 | 1 | 2,
    _created_at: timeView(row.created_at),
    _updated_at: timeView(row.updated_at),
    _username: identity.username,
    _ip_address: identity.ip_address,
    _locale: row.locale,
    _language: row.language,
    _weighted_score: row.weighted_score ?? ('' as const),
    _referrer: identity.referrer,
    _get_variables: style.expand_GET ? parseGetVariables(identity.get_variables) : identity.get_variables,
    _pagepath: row.pagepath,
    _saves: row.saves,
    _completion_time: row.completion_time,
    _collector: row.collector_id,
    _invite_code: identity.invite_code,
    _invite_email: identity.invite_email,
    _invite_name: identity.invite_name,
  })
}

/**
 * Adds the URL of a response to its view, as version 3 of the API does. If a question has the same name as the member for
 * the URL, the URL is returned.
 * @param uri the URL of the responses
 */
export const withUri = (view: ResponseView, uri: string): ResponseView & { response_uri: string } =>
  Object.assign(view, { response_uri: `${uri}${view._id}/` })

const fileAddresses =
  ({ baseUrl }: Pick<Services, 'baseUrl'>, { id }: SurveySnapshot, responseId: number) =>
  (key: string) =>
    fileUri(baseUrl, id, responseId, key)

/** Returns a function that returns one value of a response as {@link responseView} does; null for no answer. */
export function answerViewOf(services: Pick<Services, 'baseUrl'>, snapshot: SurveySnapshot, responseId: number) {
  const addressOf = fileAddresses(services, snapshot, responseId)
  return (key: string, value: Answer | null): unknown => {
    if (value === null) return null
    const field = snapshot.questionnaire.byKey.get(key)
    return field ? (answerView(field, value, addressOf) ?? null) : value
  }
}

/** Returns an answer as in a response; undefined if all its choices were removed. */
const answerView = (field: Field, answer: Answer, addressOf: (key: string) => string): unknown =>
  field.type === 'file'
    ? withFileAddresses(answer, addressOf)
    : field.renumbered
      ? withoutRemovedChoices(answer)
      : answer

function answersView(
  q: Questionnaire,
  answers: Answers,
  { include_labels: labels, include_codes: codes, language = q.defaultLanguage, fields = q.fields }: ResponseStyle,
  addressOf: (key: string) => string,
): Record<string, unknown> {
  const view: Record<string, unknown> = Object.create(null)
  for (const field of fields) {
    const answer = answerTo(answers, field.key)
    if (answer === undefined) continue
    const isNamed = (labels || codes) && field.type !== 'file'
    const nameOf = (one: Answer) => (codes ? codeOf(field, one) : labelOf(field, one, language, q))
    const value = isNamed ? namesOf(field, answer, nameOf) : answerView(field, answer, addressOf)
    if (value !== undefined) view[field.key] = value
  }
  return view
}

/**
 * Returns an answer with labels or codes instead of indices. Numbers that have none, such as net promoter scores, stay
 * unchanged.
 */
function namesOf(field: Field, answer: Answer, nameOf: (answer: Answer) => string): string | number | string[] {
  if (
    typeof answer === 'number' &&
    (field.type === 'number' || field.type === 'decimal' || (field.choices.length === 0 && !field.renumbered))
  )
    return answer
  return isList(answer) ? answer.map(nameOf) : nameOf(answer)
}

const codeOf = (field: Field, answer: Answer): string =>
  typeof answer === 'boolean'
    ? codeAt(field, answer ? 0 : 1)
    : typeof answer === 'number'
      ? codeAt(field, answer)
      : String(answer)

/** Parses a query string to an object. The value of a repeated name is a list. */
function parseGetVariables(query: string | null): Record<string, string | string[]> | null {
  if (query === null) return null
  const parameters = new URLSearchParams(query)
  const names = [...new Set(parameters.keys())]
  return Object.fromEntries(names.map((name) => [name, oneOrMany(parameters.getAll(name))]))
}

const oneOrMany = (values: string[]): string | string[] => (values.length === 1 ? values[0]! : values)
