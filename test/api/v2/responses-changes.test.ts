import { expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('createResponse, setResponseStatus and deleteResponses add changes to the feed of v3', async () => {
  const ann = await world.person()
  const survey = await makeSurvey(ann)
  const uri = `/api/v2/surveys/${survey}/responses/`
  const { id, key } = (await ann.post(uri, { json: { q1: '1' } })).body
  await ann.put(`${uri}${id}/?completed=0`)
  await ann.post(uri, { json: { q1: '0', _key: key } })
  await ann.post(uri, { body: 'q1\n0\n1\n', headers: { 'content-type': 'text/csv' } })
  await ann.delete(`${uri}?response_ids=${id}`)
  const { results } = (await ann.get(`/api/v3/surveys/${survey}/responses/changes/`)).body
  expect(results.map(({ kind }: { kind: string }) => kind)).toEqual([
    'created',
    'edited',
    'edited',
    'created',
    'created',
    'deleted',
  ])
})
