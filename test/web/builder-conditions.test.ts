import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

const world = useWorld()

const question = (idname: string, id: string, more: object = {}) => ({ idname, id, title: `${id}?`, ...more })
const SURVEY = {
  title: 'Sample',
  form: [
    {
      children: [
        question('single-choice', 'drink', { children: [{ choices: [{ label: 'Tea' }, { label: 'Coffee' }] }] }),
        question('text-response', 'age', { children: [{}] }),
        question('boolean-choice', 'pet', { children: [{}] }),
        question('single-choice-grid', 'grid', {
          choices: [{ label: 'Good' }, { label: 'Bad' }],
          children: [{ label: 'Price' }, { label: 'Taste' }],
        }),
        question('text-response', 'why', { children: [{}] }),
      ],
    },
    { children: [question('text-response', 'end', { children: [{}] })] },
  ],
}

describe('the conditions of the builder', () => {
  test('are rules about earlier questions, chosen from lists', async () => {
    const { browser, root, draft } = await openBuilder(world, SURVEY)
    const path = `${root}condition/?id=why`
    const empty = await browser.get(path)
    const subjects = /<select[^>]*name="add"[\s\S]*?<\/select>/.exec(empty.text)![0]
    expect([...subjects.matchAll(/value="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      '',
      'drink',
      'age',
      'pet',
      'grid_0',
      'grid_1',
    ])
    await browser.post(path, { do: 'add', add: 'drink' })
    await browser.post(path, { do: 'add', 'rule.0.was': '0', 'rule.0.op': 'ne', 'rule.0.value': '1', add: 'age' })
    await browser.post(path, {
      do: 'add',
      match: 'any',
      'rule.0.was': '0',
      'rule.0.op': 'ne',
      'rule.0.value': '1',
      'rule.1.was': '1',
      'rule.1.op': 'gt',
      'rule.1.value': '17',
      add: 'grid_1',
    })
    expect((await draft()).form[0].children[4].condition).toEqual({
      any: [
        { question: 'drink', op: 'ne', value: 1 },
        { question: 'age', op: 'gt', value: '17' },
        { question: 'grid_1', op: 'eq', value: 0 },
      ],
    })
    expect(unescapeHtml((await browser.get(root)).text)).toContain(
      'Shown if “drink?” is not Coffee or “age?” is more than 17 or “grid?” (Taste) is Good',
    )
    await browser.post(path, { do: 'remove.0', match: 'any', 'rule.0.was': '0', 'rule.1.was': '1', 'rule.2.was': '2' })
    expect((await draft()).form[0].children[4].condition.any).toHaveLength(2)
    await browser.post(path, { do: 'remove.0', 'rule.0.was': '0' })
    expect((await draft()).form[0].children[4]).not.toHaveProperty('condition')
  })

  test('of a page refer to questions of earlier pages', async () => {
    const { browser, root, draft } = await openBuilder(world, SURVEY)
    const path = `${root}condition/?page=1`
    await browser.post(path, { do: 'add', add: 'pet' })
    expect((await draft()).form[1].condition).toEqual({ all: [{ question: 'pet', op: 'eq', value: true }] })
    const fields = { do: 'save', match: 'all', 'rule.0.was': '0', 'rule.0.op': 'eq', 'rule.0.value': 'false' }
    const saved = await browser.post(path, fields)
    expect(saved.to).toBe(`${root}#page-2`)
    expect((await draft()).form[1].condition.all[0].value).toBe(false)
    expect((await browser.get(`${root}condition/?page=0`)).text).toContain('There is no earlier question')
    expect((await browser.get(`${root}condition/?page=7`)).status).toBe(409)
  })

  test('keep groups of rules that the form cannot show, and unknown JSON members', async () => {
    const group = {
      any: [
        { question: 'drink', op: 'eq', value: 0 },
        { question: 'age', op: 'answered' },
      ],
    }
    const condition = { all: [group, { question: 'drink', op: 'eq', value: 'Tea', note: 'kept' }] }
    const survey = structuredClone(SURVEY)
    Object.assign(survey.form[0]!.children[4]!, { condition })
    const { browser, root, draft } = await openBuilder(world, survey)
    const path = `${root}condition/?id=why`
    const fields = { 'rule.0.was': '0', 'rule.1.was': '1', 'rule.1.op': 'eq', 'rule.1.value': 'Tea', match: 'all' }
    await browser.post(path, { ...fields, do: 'save' })
    expect((await draft()).form[0].children[4].condition).toEqual(condition)
  })

  test('are kept unchanged if they have too many rules for the form', async () => {
    const rules = Array.from({ length: 101 }, (_, index) => ({ question: 'age', op: 'ne', value: String(index) }))
    const condition = { any: rules }
    const survey = structuredClone(SURVEY)
    Object.assign(survey.form[0]!.children[4]!, { condition })
    Object.assign(survey.form[1]!, { skip: [{ when: condition, to: 'complete' }] })
    const { browser, root, draft } = await openBuilder(world, survey)
    const path = `${root}condition/?id=why`
    const { text } = await browser.get(path)
    expect(text).toContain('This condition has 101 rules.')
    expect(text).not.toContain('name="rule.0.was"')
    const fields = Object.fromEntries(rules.map((_, index) => [`rule.${index}.was`, String(index)]))
    await browser.post(path, { ...fields, do: 'save', match: 'all', add: 'drink' })
    expect((await draft()).form[0].children[4].condition).toEqual(condition)
    const skip = `${root}condition/?page=1&skip=0`
    await browser.post(skip, { do: 'save', to: 'terminate' })
    expect((await draft()).form[1].skip).toEqual([{ when: condition, to: 'terminate' }])
  })

  test('are not overwritten if another author has changed them meanwhile', async () => {
    const { browser, root, draft } = await openBuilder(world, SURVEY)
    const path = `${root}condition/?id=why`
    const seen = /name="seen" value="([^"]+)"/.exec((await browser.get(path)).text)![1]!
    await browser.post(path, { do: 'add', add: 'age' })
    const reply = await browser.post(path, { do: 'add', add: 'drink', seen })
    expect(reply.status).toBe(422)
    expect(reply.text).toContain('Someone else has changed this part of the survey in the meantime.')
    expect((await draft()).form[0].children[4].condition.all).toEqual([{ question: 'age', op: 'answered' }])
  })

  test('show the titles of questions in place of placeholders', async () => {
    const { browser, root } = await openBuilder(world, {
      title: 'New',
      form: [
        { children: [{ idname: 'text-response', id: 'name', title: 'Your name?', children: [{}] }] },
        { children: [{ idname: 'text-response', id: 'why', title: 'Why, {{ name }}?', children: [{}] }] },
      ],
    })
    expect(unescapeHtml((await browser.get(`${root}condition/?id=why`)).text)).toContain(
      'Show “Why, ‹Your name?›?” if …',
    )
  })

  test('have a value that can be compared with the answers', async () => {
    const { browser, root, draft } = await openBuilder(world, {
      title: 'Sample',
      form: [
        {
          children: [
            question('number', 'age', { children: [{}] }),
            question('datetime', 'day', { children: [{}], format: 'date' }),
            question('datetime', 'hour', { children: [{}], format: 'time' }),
            question('text-response', 'why', { children: [{}] }),
          ],
        },
      ],
    })
    const path = `${root}condition/?id=why`
    const before: Record<string, string> = {}
    for (const add of ['age', 'day', 'hour']) {
      await browser.post(path, { do: 'add', add, ...rules(before) })
      before[add] = ''
    }
    const form = await browser.get(path)
    expect([...form.text.matchAll(/ (type="(?:date|time)"|inputmode="decimal")/g)].map(([, found]) => found)).toEqual([
      'inputmode="decimal"',
      'type="date"',
      'type="time"',
    ])
    const rejected = await browser.post(path, { do: 'save', ...rules({ age: 'eighteen', day: '31.1.2026', hour: '' }) })
    expect(rejected.status).toBe(422)
    for (const error of [
      'The value of rule 1 must be a number.',
      'The value of rule 2 must be a date, such as 2026-01-31.',
      'The value of rule 3 must be a time, such as 14:30.',
    ])
      expect(rejected.text).toContain(error)
    expect(rejected.text).toContain('value="eighteen"')
    const saved = await browser.post(path, { do: 'save', ...rules({ age: '18,5', day: '2026-01-31', hour: '14:30' }) })
    expect(saved.status).toBe(303)
    expect((await draft()).form[0].children[3].condition.all).toMatchObject([
      { question: 'age', op: 'lt', value: 18.5 },
      { question: 'day', op: 'lt', value: '2026-01-31' },
      { question: 'hour', op: 'lt', value: '14:30' },
    ])
  })
})

/** Returns the fields of rules that compare an answer with a value. */
const rules = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.assign(
    {},
    ...Object.values(values).map((value, index) => ({
      [`rule.${index}.was`]: String(index),
      [`rule.${index}.op`]: 'lt',
      [`rule.${index}.value`]: value,
    })),
  )
