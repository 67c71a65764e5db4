import { describe, expect, it } from '@jest/globals'
import { addSurvey, hiddenValue, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** Submits the first page of a survey. */
async function send(path: string, answers: Record<string, string | string[]>) {
  return submitForm(world.anonymous, await world.anonymous.get(path), answers)
}

const whenYes = { condition: { all: [{ question: 'yes', op: 'eq', value: 0 }] } }

describe('the logic of a survey on its pages', () => {
  it('shows or hides a question by an answer of an earlier page', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [
        pageOf(single('yes', ['Yes', 'No'])),
        pageOf(text('always'), { ...text('why', { required: true }), ...whenYes }),
      ],
    })
    const withQuestion = await world.anonymous.get((await send(path, { yes: '0' })).headers.get('location')!)
    expect(withQuestion.text).toContain('Text why')
    const withoutQuestion = await world.anonymous.get((await send(path, { yes: '1' })).headers.get('location')!)
    expect(withoutQuestion.text).not.toContain('Text why')
    await submitForm(world.anonymous, withoutQuestion, { always: 'x', why: 'hidden' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 0 },
      { completed: 1, answers: { yes: 1, always: 'x' } },
    ])
  })

  it('shows the page again with the questions that its answers make visible', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(single('yes', ['Yes', 'No']), { ...text('why', { required: true }), ...whenYes })],
    })
    const rejected = await send(path, { yes: '0' })
    expect(rejected.status).toBe(200)
    expect(rejected.text).toContain('added more questions')
    expect(rejected.text).not.toContain('is required')
    const empty = await submitForm(world.anonymous, rejected, { yes: '0', why: '' })
    expect(empty.text).toContain('An answer to this question is required.')
    await submitForm(world.anonymous, empty, { yes: '0', why: 'so' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { yes: 0, why: 'so' } }])
  })

  it('returns the visible questions to the script, and stores nothing', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(single('yes', ['Yes', 'No']), { ...text('why'), ...whenYes })],
    })
    expect(JSON.parse((await send(path, { yes: '0', _go: 'look' })).text)).toEqual({ shown: ['yes', 'why'] })
    expect(JSON.parse((await send(path, { yes: '1', _go: 'look' })).text)).toEqual({ shown: ['yes'] })
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it.each([
    [3, /\?page=3$/, 0],
    ['complete', /\/[0-9a-f]{40}\/$/, 1],
    ['terminate', /\/[0-9a-f]{40}\/$/, 2],
  ])('skips to %s [spec 7.4]', async (to, location, completed) => {
    const skip = [{ when: { all: [{ question: 'yes', op: 'eq', value: 0 }] }, to }]
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [{ ...pageOf(single('yes', ['Yes', 'No'])), skip }, pageOf(text('two')), pageOf(text('three'))],
    })
    expect((await send(path, { yes: '0' })).headers.get('location')).toMatch(location)
    expect((await send(path, { yes: '1' })).headers.get('location')).toMatch(/\?page=2$/)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed }, { completed: 0 }])
  })

  it('shows answers in titles, escaped', async () => {
    const { path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(text('name')), pageOf({ ...text('b'), title: 'Hello {{ name }}!' })],
    })
    const second = await world.anonymous.get((await send(path, { name: '<b>Ada</b>' })).headers.get('location')!)
    expect(second.text).toContain('Hello &lt;b&gt;Ada&lt;/b&gt;!')
  })

  it('stores the text of the choice other, and selects the choice when its text is filled in', async () => {
    const question = single('q', ['A', 'B'])
    Object.assign(question.children[0]!, { choices: [{ label: 'A' }, { label: 'Else', other: true }] })
    const { survey, path } = await addSurvey(await world.person(), { title: 'T', form: [pageOf(question)] })
    await send(path, { q: '1', 'q\\other': 'mine' })
    await send(path, { 'q\\other': 'text only' })
    await send(path, { q: '0', 'q\\other': 'ignored' })
    expect((await storedResponses(world, survey.id)).map(({ answers }) => answers)).toEqual([
      { q: 1, 'q\\other': 'mine' },
      { q: 1, 'q\\other': 'text only' },
      { q: 0 },
    ])
  })

  it('shows choices in random order, and stores the index that the selected choice has in the structure', async () => {
    const labels = Array.from({ length: 12 }, (_, index) => `Choice ${index}`)
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(single('q', labels, { randomize: true }), text('must', { required: true }))],
    })
    const order = (markup: string) => [...markup.matchAll(/name="q" value="(\d+)"/g)].map(([, index]) => Number(index))
    const first = await world.anonymous.get(path)
    expect(order(first.text)).not.toEqual(labels.map((_, index) => index))
    expect(order(first.text).toSorted((a, b) => a - b)).toEqual(labels.map((_, index) => index))
    const rejected = await submitForm(world.anonymous, first, { q: '7' })
    expect(order(rejected.text)).toEqual(order(first.text))
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { q: 7 } }])
  })

  it('fills hidden questions from parameters of the address, and stores the other parameters', async () => {
    const hidden = {
      idname: 'hidden-field',
      id: 'h',
      identifier: 'source',
      children: [{ type: 'hidden', default: 'none' }],
    }
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(text('a'), hidden)],
    })
    await send(`${path}?source=mail&lang=en&x=1`, { a: 'x' })
    await send(path, { a: 'y', h: 'forged' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { a: 'x', h: 'mail' }, get_variables: 'source=mail&x=1' },
      { answers: { a: 'y', h: 'none' }, get_variables: null },
    ])
  })

  it('orders a ranking by positions, and rejects a duplicate position', async () => {
    const ranking = {
      idname: 'ranking',
      id: 'r',
      title: 'R',
      children: [{ type: 'ranking', choices: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] }],
    }
    const { survey, path } = await addSurvey(await world.person(), { title: 'T', form: [pageOf(ranking)] })
    const positions = (a: string, b: string, c: string) => ({ 'r\\rank\\0': a, 'r\\rank\\1': b, 'r\\rank\\2': c })
    const duplicate = await send(path, positions('1', '1', '2'))
    expect(duplicate.status).toBe(200)
    expect(duplicate.text).toContain('Use each position only once.')
    expect(duplicate.text.match(/<option selected>1/g)).toHaveLength(2)
    await submitForm(world.anonymous, duplicate, positions('3', '1', '2'))
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { r: [1, 2, 0] }, completed: 1 }])
  })

  it('shows every page in the requested language, and stores the language', async () => {
    const languages = [
      { code: 'en', name: 'English', isDefault: true },
      { code: 'fr', name: 'Français' },
      { code: 'ar', name: 'العربية' },
    ]
    const { survey, path } = await addSurvey(await world.person(), {
      title: { en: 'Bread', fr: 'Pain' },
      languages,
      form: [pageOf(text('a', { required: true })), pageOf(text('b'))],
    })
    const french = await world.anonymous.get(`${path}?lang=fr`)
    expect(french.text).toContain('<html lang="fr" dir="ltr">')
    expect(french.text).toContain('Suivant')
    expect(french.text).toContain('<span lang="en" dir="ltr">Text a</span>')
    const invalid = await submitForm(world.anonymous, french, {})
    expect(invalid.text).toContain('Veuillez répondre à cette question.')
    const reply = await submitForm(world.anonymous, invalid, { a: 'x' })
    const responsePath = `${path}${hiddenValue(french, '_key')}/`
    expect(reply.headers.get('location')).toContain(responsePath)
    expect((await world.anonymous.get(responsePath)).text).toContain('Envoyer')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ language: 'fr' }])
    expect((await world.anonymous.get(`${path}?lang=ar`)).text).toContain('<html lang="ar" dir="rtl">')
    const preferred = await world.anonymous.get(path, { headers: { 'accept-language': 'de, fr;q=0.9, en;q=0.5' } })
    expect(preferred.text).toContain('<html lang="fr"')
  })
})
