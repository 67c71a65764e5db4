import { describe, expect, it, test } from '@jest/globals'
import { drawKey, withGroups } from '../../src/domain/structure/assignment.ts'
import { compile } from '../../src/domain/structure/compile.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import type { Reply } from '../support/client.ts'
import { useQuestionType } from '../support/question-type.ts'
import { addSurvey, hiddenValue, pageOf, storedResponses, submitForm, text } from '../support/surveys.ts'
import { fieldsIn, openBuilder } from '../web/builder-owner.ts'

const type = useQuestionType()
const { world } = type

const variant = (choices: object[] = [{ label: 'short' }, { label: 'long' }], more: object = {}) => ({
  idname: 'random-group',
  id: 'variant',
  title: 'Variant',
  choices,
  ...more,
})
const inGroup = (value: number) => ({ all: [{ question: 'variant', op: 'eq', value }] })

/** The first page shows one of two questions, and the name of the group. */
const experiment = {
  title: 'Experiment',
  form: [
    pageOf(
      variant(),
      { ...text('brief'), condition: inGroup(0) },
      { ...text('full'), condition: inGroup(1) },
      { ...text('both'), title: 'You see the {{ variant }} form' },
    ),
    { ...pageOf(text('more')), condition: inGroup(1) },
  ],
}

const open = async (path: string): Promise<Reply> => (await world.anonymous.get(path)) as Reply
const groupOn = (page: Reply) => (page.text.includes('You see the short form') ? 0 : 1)

describe('a random group [spec 6.4]', () => {
  it('decides what the first page shows, without scripts, and the respondent keeps it', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, experiment)
    const seen: number[] = []
    for (let respondent = 0; respondent < 8; respondent++) {
      const first = await open(path)
      const group = groupOn(first)
      expect(first.text).toContain(group === 0 ? 'Text brief' : 'Text full')
      expect(first.text).not.toContain(group === 0 ? 'Text full' : 'Text brief')
      const reply = await submitForm(world.anonymous, first, { both: 'x', variant: String(1 - group) })
      const next = await open(reply.headers.get('location')!)
      if (group === 1) await submitForm(world.anonymous, next, { more: 'y' })
      seen.push(group)
    }
    // Of each block of two respondents, each group gets one.
    for (let block = 0; block < seen.length; block += 2) expect(seen[block]! + seen[block + 1]!).toBe(1)
    const stored = await storedResponses(world, survey.id)
    expect(stored.map(({ answers, completed }) => [answers.variant, completed])).toEqual(
      seen.map((group) => [group, 1]),
    )
    expect(stored.map(({ weighted_score }) => weighted_score)).toEqual(seen.map(() => null))
    const count = async (value: string) =>
      (await owner.get(`/api/v3/surveys/${survey.id}/responses/?variant=${value}`)).body.count
    expect([await count('short'), await count('long')]).toEqual([4, 4])
    const csv = await owner.get(`/api/v3/surveys/${survey.id}/csv/?include_labels=1`)
    expect(csv.text.match(/,(?:short|long)/g)).toHaveLength(8)
    const codebook = await owner.get(`/api/v3/surveys/${survey.id}/codebook/`)
    expect(codebook.text).toContain('Variant')
    const crossTable = await owner.get(`/api/v3/surveys/${survey.id}/cross-table/?rows=variant&columns=variant`)
    expect(crossTable.status).toBe(200)
  })

  it('stays the same after an error, and creates no response of a page without answers', async () => {
    const owner = await world.person()
    const required = text('must', { required: true })
    const form = [pageOf(variant(), required, { ...text('both'), title: 'You see the {{ variant }} form' })]
    const { survey, path } = await addSurvey(owner, { title: 'Experiment', form })
    const first = await open(path)
    const again = (await submitForm(world.anonymous, first, {})) as Reply
    expect(await storedResponses(world, survey.id)).toEqual([])
    expect(again.text).toContain('There is a problem')
    expect(groupOn(again)).toBe(groupOn(first))
    await submitForm(world.anonymous, again, { must: 'x' })
    const [stored] = await storedResponses(world, survey.id)
    expect(stored!.answers).toEqual({ variant: groupOn(first), must: 'x' })
  })

  it('answers scripts that ask what to show', async () => {
    const owner = await world.person()
    const dependent = { ...text('why'), condition: { all: [{ question: 'both', op: 'eq', value: 'x' }] } }
    const page = experiment.form[0]!
    const { path } = await addSurvey(owner, {
      ...experiment,
      form: [{ ...page, children: [...page.children, dependent] }],
    })
    const first = await open(path)
    const body = { _key: hiddenValue(first, '_key'), _page: '1', _go: 'look', both: 'x' }
    const look = await world.anonymous.post(path, { form: body })
    expect(look.body.shown).toEqual(['variant', groupOn(first) === 0 ? 'brief' : 'full', 'both', 'why'])
  })

  it('is given by a program, or assigned to its response', async () => {
    const owner = await world.person()
    const { survey } = await addSurvey(owner, experiment)
    const address = `/api/v3/surveys/${survey.id}/responses/`
    await owner.post(address, { json: { variant: 'long' } })
    await owner.post(address, { json: { both: 'a' } })
    await owner.post(address, { json: { both: 'b' } })
    const groups = (await storedResponses(world, survey.id)).map(({ answers }) => answers.variant)
    expect(groups[0]).toBe(1)
    expect(groups.slice(1).toSorted()).toEqual([0, 1])
    expect((await owner.post(address, { json: { variant: 7 } })).status).toBe(400)
  })

  it('is only assigned where its condition holds', async () => {
    const owner = await world.person()
    const form = [
      pageOf(text('a'), variant(undefined, { condition: { all: [{ question: 'a', op: 'eq', value: 'x' }] } })),
    ]
    const { survey, path } = await addSurvey(owner, { title: 'Experiment', form })
    for (const a of ['x', 'y']) await submitForm(world.anonymous, await open(path), { a })
    await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { a: 'y' } })
    const stored = await storedResponses(world, survey.id)
    expect(stored.map(({ answers }) => typeof answers.variant)).toEqual(['number', 'undefined', 'undefined'])
  })

  test.each([
    [{ choices: [{ label: 'A', weight: 0 }] }, 'choices/0/weight', 'invalid_type'],
    [{ choices: [{ label: 'A', weight: 1.5 }] }, 'choices/0/weight', 'invalid_type'],
    [{ choices: [{ label: 'A', weight: 1001 }] }, 'choices/0/weight', 'invalid_type'],
    [{ choices: [] }, 'choices', 'too_few'],
  ])('rejects the settings %j', async (settings, pointer, code) => {
    expect(await type.errorsOf(variant(undefined, settings))).toEqual([[pointer, code]])
  })
})

describe('a random group in the builder', () => {
  it('gets names, weights and no scores', async () => {
    const { browser, root, press, draft } = await openBuilder(world, { title: 'New' })
    await press('add', { page: '0', kind: 'random-group' })
    const path = `${root}question/?id=${(await draft()).form[0].children[0].id}`
    const form = await browser.get(path)
    expect(form.text).toContain('Random group')
    expect(form.text).not.toContain('choice.0.score')
    await browser.post(path, { ...fieldsIn(form), title: 'Variant', 'choice.0.label': 'short', 'choice.0.weight': '2' })
    const [question] = (await draft()).form[0].children
    const [short, other] = (question.choices ?? question.children[0].choices) as Record<string, unknown>[]
    expect(short).toMatchObject({ label: { en: 'short' }, weight: 2 })
    expect([short!.score, other!.weight]).toEqual([undefined, undefined])
  })
})

describe('drawKey', () => {
  const groupsOf = (questions: object[], respondents: number) => {
    const q = compile(normaliseStructure({ title: 'T', form: [pageOf(...questions)] }))
    return Array.from({ length: respondents }, () => withGroups(q, {}, drawKey(q).toString('hex')))
  }
  const counted = (groups: readonly unknown[]) =>
    [...Map.groupBy(groups, (group) => group)].map(([group, all]) => [group, all.length]).toSorted()

  test('balances groups of different weights in each block, and several questions at once', () => {
    const weighted = variant([{ label: 'A', weight: 3 }, { label: 'B' }, { label: 'C', weight: 2 }])
    const answers = groupsOf([weighted, { ...variant(), id: 'second' }], 60)
    for (let block = 0; block < 60; block += 6)
      expect(counted(answers.slice(block, block + 6).map(({ variant }) => variant))).toEqual([
        [0, 3],
        [1, 1],
        [2, 2],
      ])
    expect(counted(answers.map(({ second }) => second))).toEqual([
      [0, 30],
      [1, 30],
    ])
  })

  test('draws in bounded work, whatever the weights and the number of questions are', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...variant(), id: `q${index}` }))
    const skewed = variant([{ label: 'A', weight: 1000 }, { label: 'B' }])
    for (const answers of groupsOf([...many, skewed], 5)) expect(Object.keys(answers)).toHaveLength(41)
  })
})
