import { describe, expect, it } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const scale = (...choices: (string | object)[]) => {
  const list = choices.map((choice) => (typeof choice === 'string' ? { label: choice } : choice))
  return {
    title: 'T',
    form: [
      {
        children: [
          { idname: 'single-choice', id: 's', title: 'S', children: [{ choices: list }] },
          { idname: 'single-choice-grid', id: 'g', title: 'G', choices: list, children: [{ label: 'Row' }] },
        ],
      },
    ],
  }
}

describe('scores that no author wrote [spec 6.6, 6.12]', () => {
  it.each([
    ['reversed', ['Good', 'Middle', 'Bad'], { Bad: 1, Middle: 2, Good: 3 }],
    ['with a choice inserted', ['Bad', 'Poor', 'Middle', 'Good'], { Bad: 1, Middle: 2, Good: 3, Poor: 4 }],
    ['with a choice replaced', ['Bad', 'Middle', 'Great'], { Bad: 1, Middle: 2 }],
  ])('stay when the choices are %s', async (_, labels, expected) => {
    const ann = await world.person()
    const survey = await makeSurvey(ann, scale('Bad', 'Middle', 'Good'))
    const uri = `/api/v3/surveys/${survey}`
    const answer = async (label: string) => {
      const sent = { s: label, g_0: label, _completed: 1 }
      const { body } = await ann.post(`${uri}/responses/`, { json: sent })
      return (await ann.get(`${uri}/responses/${body.id}/`)).body._weighted_score
    }
    expect(await answer('Middle')).toBe(4)
    const { body } = await ann.put(`${uri}/structure/?warnings`, { json: scale(...labels) })
    const isOrdered = labels.every(
      (label, index) => expected[label as keyof typeof expected] === index + 1 || label === 'Great',
    )
    expect(body.warnings.map(({ code, pointer }: { code: string; pointer: string }) => [code, pointer])).toEqual(
      isOrdered
        ? []
        : [
            ['score_order', '/form/0/children/0'],
            ['score_order', '/form/0/children/1'],
          ],
    )
    for (const [label, score] of Object.entries(expected))
      expect([label, await answer(label)]).toEqual([label, 2 * score])
    // A client that does not know scores sends the structure again, and one that does sends back what it got.
    await ann.put(`${uri}/structure/`, { json: scale(...labels) })
    const { body: saved } = await ann.get(`${uri}/structure/`)
    const again = await ann.put(`${uri}/structure/?warnings`, { json: saved })
    expect(again.status).toBe(200)
    for (const [label, score] of Object.entries(expected))
      expect([label, await answer(label)]).toEqual([label, 2 * score])
  })

  it('give a new choice a number that no removed choice had, and a choice that returns its own', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann, scale('A', 'B', 'C'))
    const uri = `/api/v3/surveys/${survey}/structure/`
    await ann.put(uri, { json: scale('A', 'B') })
    await ann.put(uri, { json: scale('New', 'A', 'B') })
    const scoresOf = async () =>
      (await ann.get(uri)).body.form[0].children[0].children[0].choices.map(
        ({ label, score }: { label: { en: string }; score?: number }, index: number) => [label.en, score ?? index + 1],
      )
    expect(await scoresOf()).toEqual([
      ['New', 4],
      ['A', 1],
      ['B', 2],
    ])
    await ann.put(uri, { json: scale('C', 'New', 'A', 'B') })
    expect(await scoresOf()).toEqual([
      ['C', 3],
      ['New', 4],
      ['A', 1],
      ['B', 2],
    ])
  })

  it('do not replace a score that the author writes', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann, scale('A', 'B'))
    const uri = `/api/v3/surveys/${survey}/structure/`
    await ann.put(uri, { json: scale({ label: 'B', score: 10 }, { label: 'A', score: 5 }) })
    const { body } = await ann.put(`${uri}?warnings`, { json: scale({ label: 'A', score: 7 }, 'B') })
    expect(body.warnings).toEqual([])
    const { choices } = (await ann.get(uri)).body.form[0].children[0].children[0]
    expect(choices.map(({ score }: { score: number }) => score)).toEqual([7, 10])
  })
})
