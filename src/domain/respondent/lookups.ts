import { CompiledQuery, type Kysely } from 'kysely'
import { prepare } from '../../lib/postgres-client.ts'
import { lookup } from '../lookup.ts'
import { RESPONSE_COLUMNS, type ResponseRow } from '../response/submit/save.ts'
import type { Tables } from '../tables.ts'

interface Address {
  /** In lower case. */
  username: string
  slug: string
}

/** The survey of an address. */
interface Addressed extends Address {
  id: number
  revision: number
  is_deleted: boolean
}

/** The reads of every request of a respondent. Requests that arrive at the same time share statements. */
export interface RespondentLookups {
  /** Finds the survey of an address, which may be in the trash. The username can be in upper or lower case. */
  findSurvey(username: string, slug: string): Promise<Addressed | undefined>
  /** Finds the response with a key. */
  findResponse(surveyId: number, key: Buffer): Promise<ResponseRow | undefined>
}

const SURVEYS = `select wanted.username, survey.slug, survey.id, survey.revision,
    survey.deleted_at is not null as is_deleted
  from unnest($1::text[], $2::text[]) as wanted(username, slug)
  join account on lower(account.username) = wanted.username
  join survey on survey.owner_id = account.id and survey.slug = wanted.slug`

const RESPONSES = `select ${RESPONSE_COLUMNS.join(', ')} from response where survey_id = $1 and key = any($2)`

/** @param db connections of the entity manager, outside of a transaction */
export function createRespondentLookups(db: Kysely<Tables>): RespondentLookups {
  for (const text of [SURVEYS, RESPONSES]) prepare(text)
  const rowsOf = async <Row>(text: string, values: unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
  const findSurvey = lookup('find surveys', async (wanted: readonly Address[]) => {
    const addresses = [...new Map(wanted.map((address) => [keyOf(address), address])).values()]
    const values = [addresses.map(({ username }) => username), addresses.map(({ slug }) => slug)]
    const found = new Map((await rowsOf<Addressed>(SURVEYS, values)).map((row) => [keyOf(row), row]))
    return wanted.map((address) => found.get(keyOf(address)))
  })
  const findResponse = lookup('find responses', async (wanted: readonly { surveyId: number; key: Buffer }[]) => {
    const bySurvey = Map.groupBy(wanted, ({ surveyId }) => surveyId)
    const found = await Promise.all(
      [...bySurvey].map(([surveyId, all]) => rowsOf<ResponseRow>(RESPONSES, [surveyId, all.map(({ key }) => key)])),
    )
    const rows = new Map([...bySurvey.keys()].map((surveyId, index) => [surveyId, rowsByKey(found[index]!)]))
    return wanted.map(({ surveyId, key }) => rows.get(surveyId)!.get(key.toString('hex')))
  })
  return {
    findSurvey: (username, slug) => findSurvey({ username: username.toLowerCase(), slug }),
    findResponse: (surveyId, key) => findResponse({ surveyId, key }),
  }
}

/** Texts in PostgreSQL do not contain U+0000. */
const keyOf = ({ username, slug }: Address): string => `${username}\0${slug}`

const rowsByKey = (rows: readonly ResponseRow[]) => new Map(rows.map((row) => [row.key.toString('hex'), row]))
