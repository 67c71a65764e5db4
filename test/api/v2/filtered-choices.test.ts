import { expect, it } from '@jest/globals'
import { cascade, cascadeSurvey } from '../../support/cascade.ts'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

it('stores choices that a filter leaves out as sent, and requires no answer without a choice [spec 6.15]', async () => {
  const { country, region } = cascade(true)
  const ann = await world.person()
  const id = await makeSurvey(ann, cascadeSurvey([[country, region]]))
  const submit = (json: object) => ann.post(`/api/v2/surveys/${id}/responses/`, { json })
  expect(await submit({ country: 1, region: 0 })).toMatchObject({ status: 200, body: { success: true } })
  // Monaco has no regions.
  expect(await submit({ country: 2 })).toMatchObject({ status: 200, body: { success: true } })
  expect(await submit({ country: 0 })).toMatchObject({
    status: 500,
    body: { code: 'survey_error', description: [['region', 'An answer to this question is required.']] },
  })
})

it('imports choices that a filter leaves out', async () => {
  const { country, region, town } = cascade()
  const ann = await world.person()
  const id = await makeSurvey(ann, cascadeSurvey([[country], [region, town]]))
  const imported = await ann.post(`/api/v2/surveys/${id}/responses/`, {
    body: 'country,region,town\\0,_completed\n1,0,1,1\nMonaco,Alps,,1\n',
    headers: { 'content-type': 'text/csv' },
  })
  expect(imported.body).toMatchObject({ imported: 2 })
  const { body } = await ann.get(`/api/v2/surveys/${id}/responses/`)
  expect(body.responses).toMatchObject([
    { country: 1, region: 0 },
    { country: 2, region: 3 },
  ])
})
