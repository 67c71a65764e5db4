import { expect, test } from '@jest/globals'
import { colours } from '../../support/colours.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('exportCsv shares its ETags with v3 and returns 416 for a range after the end', async () => {
  const ann = await world.person()
  const survey = await makeSurvey(ann, colours)
  await respond(world, survey, { completed: 1, answers: { one: 1 } })
  const path = `/surveys/${survey}/csv/`
  const v2 = await ann.get(`/api/v2${path}`)
  expect(v2.status).toBe(200)
  expect(v2.headers.get('etag')).toMatch(/^"[\w-]{27}"$/)
  expect((await ann.get(`/api/v3${path}`)).headers.get('etag')).toBe(v2.headers.get('etag'))

  const reply = await ann.get(`/api/v2${path}`, { headers: { range: 'bytes=99999999-' } })
  expect(reply.status).toBe(416)
  expect(reply.body.code).toBe('range_not_satisfiable')
})
