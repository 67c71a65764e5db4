import { describe, expect, it } from '@jest/globals'
import { cascade, cascadeSurvey, REGIONS } from '../../support/cascade.ts'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

type Json = Record<string, unknown>

async function surveyOf(structure: Json) {
  const ann = await world.person()
  const id = await makeSurvey(ann, structure)
  return { ann, id, uri: `/api/v3/surveys/${id}` }
}

const { country, region, town } = cascade(true)
const onePage = cascadeSurvey([[country, region, town]])
/** Returns a copy of the structure whose choices can be changed. */
const editable = () =>
  structuredClone(onePage) as unknown as {
    form: { children: { children: { choices: Json[]; choiceFilter?: Json[] }[] }[] }[]
  }

describe('choices that an earlier answer filters [spec 6.15]', () => {
  it('are saved and given back with their attributes and codes, also in a version, a copy and a template', async () => {
    const { ann, uri } = await surveyOf(onePage)
    const { body: saved } = await ann.get(`${uri}/structure/`)
    const options = (structure: Json) =>
      (structure.form as { children: { children: Json[] }[] }[])[0]!.children.map(({ children }) => children[0]!)
    expect(options(saved)[1]).toMatchObject({
      choiceFilter: [{ question: 'country', attribute: 'country' }],
      choices: REGIONS.map(({ code, attributes }) => ({ code, attributes })),
    })
    expect((await ann.put(`${uri}/structure/`, { json: saved })).body).toBe('OK')
    expect((await ann.get(`${uri}/structure/`)).body).toEqual(saved)
    const { body: copy } = await ann.post(`${uri}/duplicate/`, { json: { name: 'Copy' } })
    expect((await ann.get(`${copy.survey_uri}structure/`)).body.form).toEqual(saved.form)
    const { body: template } = await ann.post('/api/v3/templates/', { json: { name: 'T', structure: saved } })
    expect((await ann.get(`/api/v3/templates/${template.id}/`)).body.structure.form).toEqual(saved.form)
  })

  it('are compared in the differences of two versions', async () => {
    const { ann, uri } = await surveyOf(onePage)
    const { body: saved } = await ann.get(`${uri}/structure/`)
    const changed = structuredClone(saved)
    changed.form[0].children[1].children[0].choices[0].attributes = { country: 'at' }
    await ann.put(`${uri}/structure/`, { json: changed })
    const { body: versions } = await ann.get(`${uri}/versions/`)
    const [first, last] = versions.results.map(({ version }: { version: number }) => version)
    const { body: diff } = await ann.get(`${uri}/versions/${first}/diff/${last}/`)
    expect(diff.choices.changed).toEqual([
      {
        question: 'region',
        index: 0,
        changes: [{ member: 'attributes', from: { country: 'de' }, to: { country: 'at' } }],
      },
    ])
  })

  it('are refused with the place if the filter names a later question or an attribute of no choice', async () => {
    const { ann, uri } = await surveyOf(onePage)
    const later = await ann.put(`${uri}/structure/`, { json: cascadeSurvey([[region, country]]) })
    expect([later.status, later.body.errors]).toEqual([
      400,
      [
        expect.objectContaining({
          field: '/form/0/children/0/children/0/choiceFilter/0/question',
          code: 'out_of_reach',
        }),
      ],
    ])
    const unknown = editable()
    unknown.form[0]!.children[1]!.children[0]!.choiceFilter = [{ question: 'country', attribute: 'land' }]
    const { body } = await ann.put(`${uri}/structure/`, { json: unknown })
    expect(body.errors).toMatchObject([
      { field: '/form/0/children/1/children/0/choiceFilter/0/attribute', code: 'invalid_value' },
    ])
  })

  it('warn of a choice that can never be shown', async () => {
    const { ann, uri } = await surveyOf(onePage)
    const lost = editable()
    lost.form[0]!.children[1]!.children[0]!.choices.push({ label: 'Lapland', attributes: { country: 'fi' } })
    const { body } = await ann.put(`${uri}/structure/?warnings`, { json: lost })
    expect(body.warnings).toMatchObject([
      {
        code: 'choice_never_shown',
        pointer: '/form/0/children/1/children/0/choices/4',
        message: expect.stringContaining('Lapland'),
      },
    ])
  })

  it('are stored as a program sends them; the score counts the path only', async () => {
    const { ann, uri } = await surveyOf(onePage)
    const sent = { country: 1, region: 0, town: [0, 2], _completed: 1 }
    const { status, body } = await ann.post(`${uri}/responses/`, { json: sent })
    expect(status).toBe(201)
    const { body: stored } = await ann.get(`${uri}/responses/${body.id}/`)
    // Austria has the score 2. Bavaria is not in Austria, and without a region no town is offered.
    expect(stored).toMatchObject({ country: 1, region: 0, town: [0, 2], _weighted_score: 2 })
    const exported = await ann.get(`${uri}/csv/?include_labels=true`)
    expect(exported.text).toContain('Austria,Bavaria')
    const { body: report } = await ann.post(`${uri}/reports/`, { json: { title: 'R' } })
    const { body: stats } = await ann.get(`${uri}/reports/${report.id}/`)
    expect(JSON.stringify(stats)).toContain('Bavaria')
  })
})
