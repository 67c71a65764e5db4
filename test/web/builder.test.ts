import { describe, expect, test } from '@jest/globals'
import { questionTypes as knownKinds } from '../../src/questions/index.ts'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { fieldsIn, idsIn, openBuilder } from './builder-owner.ts'

const world = useWorld()

describe('the builder without scripts', () => {
  test('shows pages and questions as cards, also a question of an unknown type', async () => {
    const { page } = await openBuilder(world)
    const text = unescapeHtml(page.text)
    expect(text).toContain('Page 1')
    expect(text).toContain('Shown if “Which drink?” is Coffee')
    expect(text).toContain('Other type (star-map)')
    expect(text).toContain('All changes are published.')
    expect(text).not.toContain('question/?id=map')
  })

  test('adds questions of every type, which respondents see once the draft is published', async () => {
    const { browser, root, page, press, publish, publishAnyway, published, draft } = await openBuilder(world, {
      title: 'New',
    })
    const kinds = [...page.text.matchAll(/<option value="([^"]+)"/g)].map(([, kind]) => kind!)
    expect(kinds.toSorted()).toEqual(Object.keys(knownKinds).toSorted())
    for (const kind of kinds) {
      const form = await press('add', { page: '0', kind })
      expect([kind, form.status]).toEqual([kind, 200])
      const [, id] = /question\/\?id=(\w+)/.exec(form.text)!
      await browser.post(`${root}question/?id=${id}`, { ...fieldsIn(form), title: `A ${kind}` })
    }
    expect((await published()).form).toEqual([])
    expect((await draft()).form[0].children.map(({ idname }: { idname: string }) => idname)).toEqual(kinds)
    expect((await browser.get(root)).text).toContain('Unpublished changes.')
    expect((await publish()).text).toContain('“Choice 1” is the label of a new choice.')
    expect((await published()).form).toEqual([])
    expect((await publishAnyway()).to).toBe(root)
    expect((await browser.get(root)).text).toContain('Version 2 published.')
    expect((await published()).form[0].children).toHaveLength(kinds.length)
  })

  test('edits a question, and keeps unknown JSON members and the `uid` of each choice', async () => {
    const { browser, root, draft, publishAnyway, published } = await openBuilder(world)
    const path = `${root}question/?id=drink`
    const fields = fieldsIn(await browser.get(path))
    expect(fields).toMatchObject({ title: 'Which drink?', 'choice.0.label': 'Tea', 'choice.2.uid': '2' })
    const saved = await browser.post(path, {
      ...fields,
      title: 'Your drink?',
      'choice.0.label': 'Green tea',
      'choice.0.score': '5',
      'choice.2.exclusive': 'on',
      'choice.1.code': ' cof ',
      'choice.new': 'Juice\r\n\r\n Milk \r\n',
      required: 'on',
      identifier: 'beverage',
      do: 'down.choice.0',
    })
    expect([saved.status, saved.to]).toEqual([303, `${root}question/?id=drink#choices`])
    const [question] = (await draft()).form[0].children
    expect(question).toMatchObject({ title: { en: 'Your drink?' }, note: 'kept', identifier: 'beverage' })
    expect(question.children).toEqual([
      {
        type: 'single',
        required: true,
        choices: [
          { label: { en: 'Coffee' }, uid: 1, score: 2, code: 'cof' },
          { label: { en: 'Green tea' }, colour: 'green', uid: 0, score: 5 },
          { label: { en: 'Water' }, uid: 2, exclusive: true },
          { label: { en: 'Juice' }, uid: 3 },
          { label: { en: 'Milk' }, uid: 4, score: 6 },
        ],
      },
    ])
    await publishAnyway()
    const { form } = await published()
    // The conditions refer to the same choices as before, by the new positions of these choices.
    expect(form[1].children[0].condition).toEqual({ all: [{ question: 'drink', op: 'eq', value: 0 }] })
    expect(form[1].skip).toEqual([{ when: { all: [{ question: 'drink', op: 'eq', value: 2 }] }, to: 3 }])
  })

  test.each([
    ['text-response', { lines: '5', kind: 'integer', min: '1', max: '9', message: 'From 1 to 9' }],
    ['multiple-choice', { minSelected: '1', maxSelected: '2', randomize: 'on' }],
    ['boolean-choice', { yes: 'Sure', no: 'Never' }],
    ['datetime', { format: 'date' }],
    ['hidden-field', { default: 'web' }],
    ['net-promoter', { leftLabel: 'Never', rightLabel: 'Always' }],
    [
      'image-choice',
      {
        'choice.0.image': 'https://images.example.org/a.png',
        'choice.0.alt': 'A cup',
        multiple: 'on',
        maxSelected: '2',
      },
    ],
    ['multiple-choice-grid', { 'row.new': 'Price\nTaste', 'choice.new': 'Good', required: 'on' }],
    ['calculation', { expression: '1 + 2 * 3', decimals: '1' }],
    ['consent', { statement: 'I agree to it', version: '3', required: 'on' }],
    ['signature', { required: 'on' }],
    ['number', { min: '-5', max: '9.5', decimals: '1', unit: 'kg', required: 'on' }],
    ['rating', { steps: '7', leftLabel: 'Poor', rightLabel: 'Great' }],
    ['slider', { min: '0', max: '1', step: '0.1', unit: 'V', leftLabel: 'None', rightLabel: 'All' }],
    ['single-choice-grid', { 'row.new': 'Price\nTaste', 'choice.new': 'Good', required: 'on' }],
  ])('saves the settings of a %s question and shows them again', async (kind, settings) => {
    const { browser, root, press, draft } = await openBuilder(world, { title: 'New' })
    await press('add', { page: '0', kind })
    const path = `${root}question/?id=${(await draft()).form[0].children[0].id}`
    const reply = await browser.post(path, { ...fieldsIn(await browser.get(path)), ...settings, do: 'save' })
    expect(reply.status).toBe(303)
    const shown = fieldsIn(await browser.get(path))
    const lasting = Object.entries(settings).filter(([name]) => !name.endsWith('.new'))
    expect(shown).toMatchObject(Object.fromEntries(lasting))
    if ('row.new' in settings)
      expect(shown).toMatchObject({ 'row.2.label': 'Taste', 'choice.2.label': 'Good', 'row.0.label': 'Row 1' })
  })

  test('shows an invalid setting at its field, and saves nothing', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const path = `${root}question/?id=why`
    const before = await draft()
    const fields = fieldsIn(await browser.get(path))
    const reply = await browser.post(path, { ...fields, minLength: '9', maxLength: '2', lines: 'x' })
    expect(reply.status).toBe(422)
    expect(unescapeHtml(reply.text)).toContain(
      '“Why?”: Minimum number of characters must not be greater than “Maximum number of characters”.',
    )
    expect(unescapeHtml(reply.text)).toContain('Height in lines must be a whole number from 1 to 50.')
    expect(reply.text).toContain('value="9"')
    expect(await draft()).toEqual(before)
  })

  test('names the choice whose score is invalid', async () => {
    const { browser, root } = await openBuilder(world)
    const path = `${root}question/?id=drink`
    const reply = await browser.post(path, { ...fieldsIn(await browser.get(path)), 'choice.1.score': 'x' })
    expect(unescapeHtml(reply.text)).toContain('“Which drink?”: Choice 2: Score must be a number.')
  })

  test.each([
    ['single-choice', ['other', 'exclusive']],
    ['multiple-choice', ['other', 'exclusive']],
    ['ranking', ['other']],
    ['single-choice-grid', []],
    ['multiple-choice-grid', ['exclusive']],
  ])(
    'offers the options that have an effect on the choices of a %s question, and those that a choice already has',
    async (kind, options) => {
      const grid = kind.endsWith('-grid')
      const choices = [{ label: 'Tea' }, { label: 'None', exclusive: true }]
      const question = grid
        ? { idname: kind, id: 'q', choices, children: [{ label: 'Row' }] }
        : { idname: kind, id: 'q', children: [{ choices }] }
      const { browser, root } = await openBuilder(world, { title: 'New', form: [{ children: [question] }] })
      const { text } = await browser.get(`${root}question/?id=q`)
      const offered = (index: number) =>
        ['other', 'exclusive'].filter((option) => text.includes(`name="choice.${index}.${option}"`))
      expect(offered(0)).toEqual(options)
      expect(offered(1)).toContain('exclusive')
    },
  )

  test('moves, duplicates and deletes questions, and undoes and redoes such steps', async () => {
    const { press, draft, published } = await openBuilder(world)
    await press('down', { question: 'drink' })
    expect(idsIn(await draft())).toEqual([['why', 'drink'], ['milk'], ['map']])
    await press('move', { question: 'why', to: '2' })
    await press('up', { question: 'map' })
    expect(idsIn(await draft())).toEqual([['drink'], ['milk', 'map'], ['why']])
    await press('duplicate', { question: 'map' })
    const copy = (await draft()).form[1].children[2]
    expect(copy).toMatchObject({ idname: 'star-map', title: { en: 'Where?' }, stars: [1, 2] })
    expect(copy.id).not.toBe('map')
    const deleted = await press('delete', { question: 'map' })
    expect(unescapeHtml(deleted.text)).toContain('“Where?” deleted. Select Undo to restore it.')
    const undone = await press('undo')
    expect(unescapeHtml(undone.text)).toContain('Change undone: “Where?” deleted.')
    expect(idsIn(await draft())[1]).toEqual(['milk', 'map', copy.id])
    await press('redo')
    expect(idsIn(await draft())[1]).toEqual(['milk', copy.id])
    for (let step = 0; step < 9; step += 1) await press('undo')
    expect(await draft()).toEqual(await published())
    expect(idsIn(await published())).toEqual([['drink', 'why'], ['milk'], ['map']])
  })

  test('adds, edits, moves and deletes pages, and skips still lead to the same page', async () => {
    const { browser, root, press, draft } = await openBuilder(world)
    const seen = async () => /name="seen" value="([^"]+)"/.exec((await browser.get(root)).text)![1]!
    await press('add-page')
    await press('page-up', { page: '3', seen: await seen() })
    expect(idsIn(await draft())).toEqual([['drink', 'why'], ['milk'], [], ['map']])
    expect((await draft()).form[1].skip[0].to).toBe(4)
    const path = `${root}page/?page=2`
    const fields = fieldsIn(await browser.get(path))
    await browser.post(path, {
      ...fields,
      title: 'Extra',
      description: 'Two lines',
      randomize: 'on',
      randomBlock: ' a ',
    })
    expect((await draft()).form[2]).toMatchObject({ title: { en: 'Extra' }, randomize: true, randomBlock: 'a' })
    await browser.post(path, { ...fieldsIn(await browser.get(path)), randomBlock: '' })
    expect((await draft()).form[2]).not.toHaveProperty('randomBlock')
    await press('delete-page', { page: '2', seen: await seen() })
    expect((await draft()).form[1].skip[0].to).toBe(3)
    const stale = await press('delete-page', { page: '0', seen: 'another' })
    expect(stale.status).toBe(409)
    expect(idsIn(await draft())[0]).toEqual(['drink', 'why'])
    await press('delete-page', { page: '2', seen: await seen() })
    expect((await draft()).form[1].skip[0].to).toBe('complete')
  })

  test('explains why a question in a condition cannot be deleted or moved below the dependent question', async () => {
    const { press, draft } = await openBuilder(world)
    const before = await draft()
    const deleted = await press('delete', { question: 'drink' })
    expect(deleted.status).toBe(409)
    expect(unescapeHtml(deleted.text)).toContain(
      '“Milk?” depends on a question that would no longer exist. Change the condition first.',
    )
    const moved = await press('move', { question: 'drink', to: '2' })
    expect(unescapeHtml(moved.text)).toContain('“Milk?” depends on a question that would come after it.')
    expect(await draft()).toEqual(before)
  })

  test('explains why a choice that a condition uses cannot be removed', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const path = `${root}question/?id=drink`
    const before = await draft()
    const reply = await browser.post(path, { ...fieldsIn(await browser.get(path)), do: 'remove.choice.1' })
    expect(reply.status).toBe(422)
    expect(unescapeHtml(reply.text)).toContain('“Coffee” is used in a condition, a skip or a quota.')
    expect(await draft()).toEqual(before)
  })

  test('lets rules follow the codes of choices, and keeps a choice that a rule names by its code', async () => {
    const choice = (label: string, code: string) => ({ label, code })
    const condition = {
      any: [
        { question: 'drink', op: 'eq', code: '1' },
        { question: 'drink', op: 'eq', value: 'caf' },
      ],
    }
    const { browser, root, draft } = await openBuilder(world, {
      title: 'Codes',
      form: [
        {
          children: [
            {
              idname: 'single-choice',
              id: 'drink',
              title: 'Drink?',
              children: [{ choices: [choice('Tea', '1'), choice('Coffee', 'caf'), choice('Milk', '0')] }],
            },
          ],
        },
        { children: [{ idname: 'text-response', id: 'why', title: 'Why?', children: [{}], condition }] },
      ],
    })
    const path = `${root}question/?id=drink`
    const removed = await browser.post(path, { ...fieldsIn(await browser.get(path)), do: 'remove.choice.0' })
    expect(unescapeHtml(removed.text)).toContain('“Tea” is used in a condition, a skip or a quota.')
    const rules = await browser.get(`${root}condition/?id=why`)
    expect(rules.text).toContain('<option value="0" selected>Tea</option>')
    expect(rules.text).toContain('<option value="1" selected>Coffee</option>')
    await browser.post(`${root}condition/?id=why`, {
      do: 'save',
      match: 'any',
      'rule.0.was': '0',
      'rule.0.op': 'eq',
      'rule.0.value': '0',
      'rule.1.was': '1',
      'rule.1.op': 'eq',
      'rule.1.value': '1',
    })
    expect((await draft()).form[1].children[0].condition).toEqual(condition)
    const fields = fieldsIn(await browser.get(path))
    const [tea, coffee] = ['1', 'caf'].map((code) => Object.keys(fields).find((name) => fields[name] === code)!)
    await browser.post(path, { ...fields, [tea!]: 'tea', [coffee!]: 'coffee' })
    expect((await draft()).form[1].children[0].condition.any).toEqual([
      { question: 'drink', op: 'eq', code: 'tea' },
      { question: 'drink', op: 'eq', value: 'coffee' },
    ])
  })

  test('edits the title and description, and discards the draft after a confirmation', async () => {
    const { browser, root, draft, published } = await openBuilder(world)
    const fields = fieldsIn(await browser.get(`${root}survey/`))
    await browser.post(`${root}survey/`, { ...fields, title: 'Beverages', description: 'A minute' })
    expect(await draft()).toMatchObject({ title: { en: 'Beverages' }, description: { en: 'A minute' } })
    expect((await browser.get(`${root}settings/`)).text).toContain('This survey has a draft in the builder')
    expect((await browser.get(`${root}discard/`)).text).toContain('You cannot undo this.')
    await browser.post(`${root}discard/`, {})
    expect(await draft()).toEqual(await published())
  })

  test('edits the draft that the JSON editor saved, and the JSON editor shows what the builder changed', async () => {
    const { browser, root, draft, press, published } = await openBuilder(world)
    const mine = { ...(await draft()), colours: ['red'] }
    await browser.post(`${root}json/`, { as: 'draft', version: '1', structure: JSON.stringify(mine) })
    await press('delete', { question: 'map' })
    expect(await draft()).toMatchObject({ colours: ['red'] })
    expect(idsIn(await draft())[2]).toEqual([])
    expect(await published()).not.toHaveProperty('colours')
  })
})
