import { describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** Counts the rows of a survey in each table. */
async function rowsOf(id: number): Promise<Record<string, number>> {
  const { pool } = world.application.services
  const { rows: columns } = await pool.query(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'survey_id'`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of columns) {
    const { rows } = await pool.query(`select count(*) as rows from "${name}" where survey_id = $1`, [id])
    if (rows[0].rows) counts[name] = rows[0].rows
  }
  return counts
}

describe('deleteSurvey', () => {
  test('deletes all rows of the survey and changes nothing in other surveys', async () => {
    const ann = await world.person()
    const question = { idname: 'text-response', id: 'q1', title: 'Why?' }
    const structure = {
      title: 'Whole',
      form: [{ children: [question] }],
      quotas: [{ name: 'All', limit: 5, action: 'complete' }],
    }
    const make = async (): Promise<number> => {
      const id = await makeSurvey(ann, structure)
      const uri = `/api/v3/surveys/${id}/`
      await ann.put(`${uri}structure/`, { json: { ...structure, description: 'Again' } })
      await ann.post(`${uri}collectors/`, { form: { name: 'Letter' } })
      await ann.post(`${uri}filters/`, { form: { name: 'why', query: 'q1=x' } })
      await ann.post('/api/v3/embeds/', { form: { survey: id, kind: 'link' } })
      for (let count = 0; count < 3; count++)
        expect((await ann.post(`${uri}responses/`, { json: { q1: 'x' } })).status).toBe(201)
      return id
    }
    const [deleted, existing] = [await make(), await make()]
    const before = await rowsOf(existing)
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        'collector',
        'embed',
        'response',
        'response_change',
        'saved_filter',
        'survey_feed',
        'survey_version',
      ]),
    )

    expect((await eraseSurvey(ann, deleted)).status).toBe(200)
    expect(await rowsOf(deleted)).toEqual({})
    expect(await rowsOf(existing)).toEqual(before)
    expect((await ann.get('/api/v3/surveys/')).body.count).toBe(1)
  })
})
