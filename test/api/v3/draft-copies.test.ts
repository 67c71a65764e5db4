import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const text = (id: string, title: unknown, more: object = {}) => ({ idname: 'text-response', id, title, ...more })
const SOURCE = {
  title: 'Source',
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français' },
  ],
  form: [
    {
      children: [
        { idname: 'single-choice', id: 'drink', title: 'Drink?', choices: [{ label: 'Tea' }, { label: 'Coffee' }] },
        text('price', 'Price?', { identifier: 'price_id' }),
      ],
    },
    {
      title: { en: 'Second', fr: 'Deuxième' },
      skip: [{ to: 'complete' }],
      condition: { all: [{ question: 'drink', op: 'eq', value: 0 }] },
      children: [
        text('sugar', { en: 'Sugar in {{ drink | default: "it" }} for {{ invite.name }}?', fr: 'Du sucre ?' }),
        text('milk', 'Milk, {{ sugar }}?', { condition: { all: [{ question: 'sugar', op: 'eq', value: 'yes' }] } }),
        text('both', 'Both?', {
          condition: {
            any: [
              { question: 'sugar', op: 'eq', value: 'x' },
              { question: 'price', op: 'eq', value: 'y' },
            ],
          },
        }),
        { idname: 'number', id: 'spoons', title: 'Spoons?' },
        { idname: 'calculation', id: 'sum', title: 'Sum', children: [{ expression: '{{ spoons }} * 2' }] },
        {
          idname: 'calculation',
          id: 'cost',
          title: 'Cost',
          children: [{ expression: '{{ spoons }} * 3 + {{ before }}' }],
        },
      ],
    },
  ],
}
SOURCE.form[0]!.children.push({ idname: 'number', id: 'before', title: 'Before?' } as never)

describe('copyToSurvey', () => {
  const world = useWorld()
  let ann: Person
  let source: number
  let target: number
  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    source = await makeSurvey(ann, SOURCE)
  })
  const copy = (json: object, by = ann) => by.post(`/api/v3/surveys/${source}/draft/copies/`, { json })
  const draft = async (id: number) => (await ann.get(`/api/v3/surveys/${id}/draft/`)).body
  const newTarget = (more: object = {}) =>
    makeSurvey(ann, {
      title: 'Target',
      form: [{ children: [text('own', 'Own?')] }, { children: [text('price_id', 'x')] }],
      ...more,
    })

  test('copies a question with a new ID into the draft, and leaves the source as it was [spec 5.10]', async () => {
    target = await newTarget()
    const before = await draft(source)
    const copied = await copy({ question: 'drink', to: target, to_page: 1 })
    expect(copied).toMatchObject({ status: 201, body: { survey: target, page: 1, losses: [], untranslated: [] } })
    const { to } = copied.body.questions[0]
    const { structure, changed } = await draft(target)
    expect(changed).toBe(true)
    expect(structure.form[0].children.map(({ id }: { id: string }) => id)).toEqual(['own', to])
    expect(to).not.toBe('drink')
    expect(structure.form[0].children[1].title).toEqual({ en: 'Drink?' })
    expect(await draft(source)).toEqual(before)
    const undone = await ann.post(`/api/v3/surveys/${target}/draft/publish/`, { json: {} })
    expect(undone.status).toBe(200)
  })

  test('copies a page behind the last one, with the conditions, texts and calculations inside it [spec 5.10]', async () => {
    target = await newTarget()
    const { body } = await copy({ page: 2, to: target })
    expect(body.page).toBe(3)
    const { structure } = await draft(target)
    const page = structure.form[2]
    const ids = new Map(body.questions.map(({ from, to }: { from: string; to: string }) => [from, to]))
    expect(page.children.map(({ id }: { id: string }) => id)).toEqual([...ids.values()])
    expect(page.title).toEqual({ en: 'Second' })
    expect(page.condition ?? page.skip).toBeUndefined()
    const [sugar, milk, both, , sum, cost] = page.children
    expect(sugar.title).toEqual({ en: 'Sugar in it for {{ invite.name }}?' })
    expect(milk.condition.all[0].question).toBe(ids.get('sugar'))
    expect(milk.title.en).toBe(`Milk, {{ ${ids.get('sugar')} }}?`)
    expect(both.condition).toBeUndefined()
    expect(sum.children[0].expression).toBe(`{{ ${ids.get('spoons')} }} * 2`)
    expect(cost.children[0].expression).toBe('0')
    expect(new Set(body.losses.map(({ question, what }: Record<string, string>) => `${question} ${what}`))).toEqual(
      new Set(['null skips', 'null condition', 'sugar placeholder', 'both condition', 'cost calculation']),
    )
    expect(body.lost_languages).toEqual(['fr'])
  })

  test('keeps an identifier unless the other survey has it, and tells of missing languages [spec 5.10]', async () => {
    const languages = [
      { code: 'de', name: 'Deutsch', isDefault: true },
      { code: 'fr', name: 'Français' },
    ]
    const german = await makeSurvey(ann, {
      title: { de: 'Ziel' },
      languages,
      form: [{ children: [text('own', { de: '?' })] }],
    })
    const kept = await copy({ question: 'price', to: german })
    expect(kept.body).toMatchObject({ losses: [], untranslated: ['de'], lost_languages: ['en'] })
    const { children } = (await draft(german)).structure.form[0]
    expect(children[1]).toMatchObject({ identifier: 'price_id', title: { de: 'Price?' } })
    expect((await copy({ question: 'price', to: await newTarget() })).body.losses).toEqual([
      { question: 'price', what: 'identifier' },
    ])
  })

  test('refuses what does not exist, may not be seen or may not be edited [spec 5.10]', async () => {
    expect((await copy({ to: target })).body.errors).toMatchObject([{ field: 'question', code: 'missing_parameter' }])
    expect((await copy({ question: 'zz', to: target })).body.code).toBe('question_not_found')
    expect((await copy({ page: 9, to: target })).body.code).toBe('structure_changed')
    expect((await copy({ question: 'drink', to: target, to_page: 99 })).body.code).toBe('structure_changed')
    const bob = await world.person()
    expect((await copy({ question: 'drink', to: target }, bob)).body.code).toBe('survey_not_found')
    const group = await makeGroup(ann, 'Readers')
    await addMember(ann, group, bob, 'Test')
    for (const id of [source, target]) await share(ann, id, group)
    expect((await copy({ question: 'drink', to: target }, bob)).body.code).toBe('forbidden')
    const own = await makeSurvey(bob, { title: 'Own', form: [] })
    expect((await copy({ question: 'drink', to: own }, bob)).status).toBe(201)
    const hidden = await makeSurvey(bob, { title: 'Hidden' })
    expect((await copy({ question: 'drink', to: hidden })).body.code).toBe('survey_not_found')
  })
})
