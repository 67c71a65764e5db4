import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { updateStructure } from '../../../src/domain/survey/commands.ts'
import { findSnapshot } from '../../../src/domain/survey/queries.ts'
import { countStatements, recordStatements } from '../../support/record-statements.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { addSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('getSnapshot', () => {
  const context = () => ({ em: world.em(), actor: ann.actor, now: world.now, services: world.application.services })
  const asking = (id: string) => ({
    title: id,
    form: [{ type: 'page', children: [{ idname: 'text-response', id, title: id, children: [{ type: 'string' }] }] }],
  })
  const questionsOf = async (survey: number) => [
    ...(await findSnapshot(context(), survey, 'Owner')).questionnaire.byId.keys(),
  ]

  test('returns the current survey after every change', async () => {
    const survey = await makeSurvey(ann, TWO_PAGES)
    expect(await questionsOf(survey)).toEqual(['a', 'b'])
    await context().em.transactional((em) => updateStructure({ ...context(), em }, survey, asking('c')))
    expect(await questionsOf(survey)).toEqual(['c'])
  })

  test('shares statements among concurrent requests, and each gets its own survey', async () => {
    const surveys = await Promise.all(['one', 'two', 'three'].map((id) => addSurvey(ann, asking(id))))
    const ids = surveys.map(({ survey }) => survey.id)
    for (const id of ids) await questionsOf(id)
    await ann.delete(`/api/v3/surveys/${ids[2]}/`)
    const before = countStatements()
    const found = await recordStatements(() =>
      Promise.allSettled(Array.from({ length: 30 }, (_, index) => questionsOf(ids[index % 3]!))),
    )
    // Opening a connection takes a statement too.
    expect(countStatements() - before).toBeLessThan(4)
    expect(found.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual(
      found.map((_, index) => [['one'], ['two'], 'Problem: There is no such survey.'][index % 3]),
    )
  })

  test('never returns a rolled-back change, although the next change has the same revision', async () => {
    const survey = await makeSurvey(ann, TWO_PAGES)
    await questionsOf(survey)
    const undone = context().em.transactional(async (em) => {
      await updateStructure({ ...context(), em }, survey, asking('phantom'))
      await em.flush()
      expect([...(await findSnapshot({ ...context(), em }, survey, 'Owner')).questionnaire.byId.keys()]).toEqual([
        'phantom',
      ])
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await context().em.transactional((em) => updateStructure({ ...context(), em }, survey, asking('real')))
    expect(await questionsOf(survey)).toEqual(['real'])
  })

  test('a survey page whose survey is known is shown with one statement', async () => {
    const { survey, path } = await addSurvey(ann, asking('q'))
    expect(await world.anonymous.get(path)).toMatchObject({ status: 200 })
    const sent = jest.spyOn(pg.Connection.prototype, 'bind')
    const page = await world.anonymous.get(path)
    const statements = sent.mock.calls.length
    sent.mockRestore()
    expect(page.text).toContain('>q<')
    expect(statements).toBe(1)
    await context().em.transactional((em) => updateStructure({ ...context(), em }, survey.id, asking('changed')))
    expect((await world.anonymous.get(path)).text).toContain('>changed<')
  })
})
