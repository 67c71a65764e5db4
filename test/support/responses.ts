import { createSurvey } from '../../src/domain/survey/commands.ts'
import type { SurveySettings } from '../../src/domain/survey/settings.ts'
import type { Tables } from '../../src/domain/tables.ts'
import type { Person, World } from './world.ts'

const choices = (...labels: string[]) => labels.map((label) => ({ label }))

/** One page with a question for each type of stored answer. `q1` is required. */
export const EVERY_SHAPE = {
  title: 'Every shape',
  form: [
    {
      type: 'page',
      children: [
        {
          idname: 'single-choice',
          id: 'q1',
          title: 'Content?',
          children: [
            {
              type: 'single',
              required: true,
              choices: [
                { label: 'Yes', score: 10 },
                { label: 'No', score: 5 },
                { label: 'Other', other: true },
              ],
            },
          ],
        },
        {
          idname: 'multiple-choice',
          id: 'q2',
          title: 'Which?',
          children: [{ type: 'multiple', choices: choices('Red', 'Green', 'Blue') }],
        },
        { idname: 'text-response', id: 'q3', title: 'Why?', children: [{ type: 'string' }] },
        { idname: 'boolean-choice', id: 'q4', title: 'Again?', children: [{ type: 'boolean' }] },
        {
          idname: 'single-choice-grid',
          id: 'grid',
          title: 'Rate',
          choices: choices('Good', 'Bad'),
          children: [
            { type: 'single', label: 'Food' },
            { type: 'single', label: 'Drink' },
          ],
        },
        {
          idname: 'ranking',
          id: 'rank',
          title: 'Order',
          children: [{ type: 'ranking', choices: choices('A', 'B', 'C') }],
        },
        { idname: 'net-promoter', id: 'nps', title: 'Recommend?', children: [{ type: 'net-promoter' }] },
        { idname: 'datetime', id: 'when', title: 'When?', children: [{ type: 'datetime', format: 'date' }] },
      ],
    },
  ],
}

/** Two pages with one text question each. */
export const TWO_PAGES = {
  title: 'Two pages',
  form: ['a', 'b'].map((id) => ({
    type: 'page',
    children: [{ idname: 'text-response', id, title: id, children: [{ type: 'string' }] }],
  })),
}

/** Creates a survey from a structure, with settings. @returns its ID */
export const makeSurvey = (
  person: Person,
  structure: object = EVERY_SHAPE,
  settings: Partial<SurveySettings> = {},
): Promise<number> =>
  person.act(async (context) => {
    const survey = await createSurvey(context, { structure: structuredClone(structure) })
    survey.settings = { ...survey.settings, ...settings }
    return survey.id
  })

/** Returns the stored row of a response. */
export const stored = ({ em }: World, surveyId: number, id: number) =>
  em()
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', surveyId)
    .where('id', '=', id)
    .executeTakeFirst()

/**
 * Returns the number of responses of a survey, as counted in three ways: the stored rows, the counter in the change
 * feed, and the sum of the counters of the collectors.
 */
export async function counts(
  { em }: World,
  surveyId: number,
): Promise<{ rows: number; feed: number; collectors: number }> {
  const db = em().getKysely<Tables>()
  const rows = await db.selectFrom('response').select('id').where('survey_id', '=', surveyId).execute()
  const feed = await db
    .selectFrom('survey_feed')
    .select('responses')
    .where('survey_id', '=', surveyId)
    .executeTakeFirst()
  const collectors = await db
    .selectFrom('response_count')
    .select('responses')
    .where('survey_id', '=', surveyId)
    .execute()
  return {
    rows: rows.length,
    feed: feed?.responses ?? 0,
    collectors: collectors.reduce((sum, { responses }) => sum + responses, 0),
  }
}
