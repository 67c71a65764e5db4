import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import type { Tables } from '../../tables.ts'
import { codableFields } from './answers.ts'
import { type Category, codingRevision, readCategories } from './categories.ts'

/** The questions of a survey, with a field for each category of each text answer. */
export interface CodedQuestionnaire {
  questionnaire: Questionnaire
  /** Returns the column `answers` of responses, with 1 or 0 for each category of a text answer that is not blank. */
  answers: RawBuilder<unknown>
  /** Rises with each change of the coding. */
  revision: number
}

/** Adds the categories of a survey to its questions, for exports. The caller has checked the permission. */
export async function withCategories(
  { em }: Pick<Context, 'em'>,
  surveyId: number,
  q: Questionnaire,
): Promise<CodedQuestionnaire> {
  const db = em.getKysely<Tables>()
  const revision = await codingRevision(db, surveyId)
  const categories = await readCategories(db, surveyId)
  const codable = new Set(codableFields(q))
  const fields = q.fields.flatMap((field) => [
    field,
    ...(codable.has(field) ? categoryFields(q, field, categories) : []),
  ])
  const questionnaire = {
    ...q,
    fields,
    byKey: new Map(fields.map((field) => [field.key, field])),
    byStoredKey: new Map(fields.map((field) => [field.storedKey, field])),
  }
  return { questionnaire, answers: answersOf(surveyId, fields), revision }
}

const categoryFields = (q: Questionnaire, of: Field, categories: readonly Category[]): Field[] =>
  categories.map(({ id, name }) => ({
    key: `${of.key}\\category_${id}`,
    storedKey: `${of.storedKey}\\category_${id}`,
    question: of.question,
    category: { id, of, name: { [q.defaultLanguage]: name } },
    type: 'decimal',
    required: false,
    choices: [],
    removed: [],
    renumbered: false,
  }))

function answersOf(surveyId: number, fields: readonly Field[]): RawBuilder<unknown> {
  const coded = fields.filter(({ category }) => category !== undefined)
  if (coded.length === 0) return sql`response.answers`
  const texts = coded.map(({ category }) => category!.of.storedKey)
  const ids = coded.map(({ category }) => category!.id)
  return sql`response.answers || (
    select coalesce(jsonb_object_agg(cell.key, (coding.category_id is not null)::integer), '{}')
    from unnest(${coded.map((field) => field.storedKey)}::text[], ${texts}::text[], ${ids}::bigint[])
      as cell (key, text_key, category_id)
    left join response_coding coding on coding.survey_id = ${surveyId}::bigint and coding.response_id = response.id
      and coding.key = cell.text_key and coding.round_id = 0 and coding.coder_id = 0
      and coding.category_id = cell.category_id
    where jsonb_typeof(response.answers -> cell.text_key) = 'string'
      and btrim(response.answers ->> cell.text_key) <> '')`
}
