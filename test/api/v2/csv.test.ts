import { describe, expect, test } from '@jest/globals'
import { META, storeResponses, surveyWithQuestions, table } from '../../support/exports.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

describe('exportCsv', () => {
  test('returns the same file as v3 for the same parameters [spec 7.11]', async () => {
    const ann = await world.person()
    const survey = await surveyWithQuestions(world, ann, 'Tea', [
      { idname: 'text-response', id: 'name', title: 'Your name' },
    ])
    await storeResponses(world, survey, [{ answers: { name: 'Ann' } }, { answers: { name: 'Bob' } }])
    for (const query of ['', '?name=Bob&show_titles=1&include_key', '?inverted=1', '?tab_separated=1']) {
      const [v2, v3] = await Promise.all(
        [2, 3].map((version) => ann.get(`/api/v${version}/surveys/${survey.id}/csv/${query}`)),
      )
      expect(v2!.status).toBe(200)
      expect(v2!.text).toBe(v3!.text)
      for (const name of ['content-type', 'content-disposition'])
        expect(v2!.headers.get(name)).toBe(v3!.headers.get(name))
    }
    const lenient = await ann.get(`/api/v2/surveys/${survey.id}/csv/?nothing=1`)
    expect(table(lenient.text)).toHaveLength(3)
    expect(table(lenient.text)[0]).toEqual([...META, 'name'])
  })

  test('returns errors in the format of v2', async () => {
    const ann = await world.person()
    const survey = await surveyWithQuestions(world, ann, 'Coffee', [
      { idname: 'text-response', id: 'name', title: 'Your name' },
    ])
    const reply = await ann.get(`/api/v2/surveys/${survey.id}/csv/?include=other`)
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({
      code: 'invalid_request',
      description: expect.stringContaining('include'),
      errors: [{ field: 'include', code: 'unknown_question', message: expect.any(String), params: { value: 'other' } }],
    })
    expect((await world.anonymous.get(`/api/v2/surveys/${survey.id}/csv/`)).status).toBe(401)
    expect((await (await world.person()).get(`/api/v2/surveys/${survey.id}/csv/`)).status).toBe(404)
  })
})
