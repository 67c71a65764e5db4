import { beforeAll, describe, expect, test } from '@jest/globals'
import { updateStructure } from '../../../src/domain/survey/commands.ts'
import { findSnapshot } from '../../../src/domain/survey/queries.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
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
})
