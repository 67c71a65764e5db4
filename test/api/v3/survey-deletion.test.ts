import { describe, expect, test } from '@jest/globals'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** How many rows name a survey, by table. */
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
  test('deletes everything of the survey and changes nothing in other surveys', async () => {
    const ann = await world.person()
    const question = { idname: 'text-response', id: 'q1', title: 'Why?' }
    const structure = {
      title: 'Whole',
      form: [{ children: [question] }],
      quotas: [{ name: 'All', limit: 5, action: 'complete' }],
    }
    const make = async (): Promise<number> => {
      const { id } = (await ann.post('/api/v2/surveys/', { json: structure })).body
      const at = `/api/v3/surveys/${id}/`
      await ann.put(`${at}structure/`, { json: { ...structure, description: 'Again' } })
      await ann.post(`${at}collectors/`, { form: { name: 'Letter' } })
      await ann.post(`${at}filters/`, { form: { name: 'why', query: 'q1=x' } })
      await ann.post('/api/v3/embeds/', { form: { survey: id, kind: 'link' } })
      for (let count = 0; count < 3; count++)
        expect((await ann.post(`/api/v2/surveys/${id}/responses/`, { json: { q1: 'x' } })).status).toBe(200)
      return id
    }
    const [gone, kept] = [await make(), await make()]
    const before = await rowsOf(kept)
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

    expect((await ann.delete(`/api/v3/surveys/${gone}/`)).status).toBe(200)
    expect(await rowsOf(gone)).toEqual({})
    expect(await rowsOf(kept)).toEqual(before)
    expect((await ann.get('/api/v3/surveys/')).body.count).toBe(1)
  })
})
