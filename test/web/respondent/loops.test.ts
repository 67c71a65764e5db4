import { describe, expect, it } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { unescapeHtml } from '../../support/html.ts'
import { addSurvey, hiddenValue, pageOf, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const brands = (...labels: (string | object)[]) => ({
  idname: 'multiple-choice',
  id: 'brands',
  identifier: 'known',
  title: 'Which brands do you know?',
  children: [{ type: 'multiple', choices: labels.map((label) => (typeof label === 'string' ? { label } : label)) }],
})
const rating = {
  idname: 'single-choice',
  id: 'rating',
  identifier: 'rated',
  title: 'How good is {{ loop }}?',
  children: [{ choices: [{ label: 'Good' }, { label: 'Bad, {{loop}}' }] }],
}
const why = {
  ...text('why'),
  title: 'Why is {{ loop }} “{{ rating }}”?',
  condition: { all: [{ question: 'rated', op: 'eq', value: 1 }] },
}
const looped = (...children: object[]) => ({ ...pageOf(...children), loop: 'known' })
const form = [
  pageOf(
    brands('Aldi', 'Lidl', 'Coop', { label: 'Another', other: true }, { label: 'None of these', exclusive: true }),
  ),
  looped(rating),
  looped(why),
  pageOf(text('end')),
]

/** Submits a page and follows the redirect to the next one. */
async function send(page: Reply, answers: Record<string, string | string[]>): Promise<Reply> {
  const reply = await submitForm(world.anonymous, page, answers)
  return reply.status === 303
    ? (world.anonymous.get(reply.headers.get('location')!) as Promise<Reply>)
    : (reply as Reply)
}

const open = async (path: string): Promise<Reply> => (await world.anonymous.get(path)) as Reply
const titleOf = ({ text }: Reply): string =>
  unescapeHtml(/class="question-label"[^>]*>([\s\S]*?)<\//.exec(text)?.[1] ?? '')
    .replace(/<[^>]*>/g, '')
    .replace(/[\u2066-\u2069]/g, '')
    .trim()

describe('pages that are repeated for each choice [spec 6.2]', () => {
  it('are shown for the ticked choices, each block together, with the label in its texts', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, { title: 'Shops', form })
    let page = await send(await open(path), { brands: ['0', '2', '3'], 'brands\\other': 'Rewe' })
    const seen: string[] = []
    while (hiddenValue(page, '_page')) {
      const name = /name="((?:rating|why)__\d)"/.exec(page.text)?.[1] ?? 'end'
      seen.push(`${name} ${titleOf(page)}`)
      page = await send(page, { [name]: name === 'rating__2' ? '0' : name.startsWith('rating') ? '1' : 'So' })
    }
    expect(seen).toEqual([
      'rating__0 How good is Aldi?',
      'why__0 Why is Aldi “Bad, Aldi”?',
      'rating__2 How good is Coop?',
      'rating__3 How good is Rewe?',
      'why__3 Why is Rewe “Bad, Another”?',
      'end Text end',
    ])
    const { results } = (await owner.get(`/api/v3/surveys/${survey.id}/responses/`)).body
    expect(results[0]).toMatchObject({
      rating__0: 1,
      why__0: 'So',
      rating__2: 0,
      rating__3: 1,
      why__3: 'So',
      end: 'So',
    })
    expect(results[0]).not.toHaveProperty('rating__1')
  })

  it('repeat nothing for an exclusive choice, and drop the answers for a choice that is no longer ticked', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, { title: 'Shops', form })
    const none = await send(await open(path), { brands: '4' })
    expect(titleOf(none)).toBe('Text end')
    const rated = await send(await send(await open(path), { brands: ['0', '1'] }), { rating__0: '0' })
    expect(titleOf(rated)).toBe('How good is Lidl?')
    let page = await send(await send(rated, { _go: 'back' }), { _go: 'back' })
    page = await send(await send(page, { brands: '1' }), { rating__1: '0' })
    await send(page, { end: 'So' })
    const { results } = (await owner.get(`/api/v3/surveys/${survey.id}/responses/?_completed=1&end=So`)).body
    expect(results[0]).toMatchObject({ rating__1: 0, end: 'So' })
    expect(results[0]).not.toHaveProperty('rating__0')
  })

  it('are questions of their own in exports, the codebook, filters and reports', async () => {
    const owner = await world.person()
    const { survey } = await addSurvey(owner, { title: 'Shops', form })
    const api = `/api/v3/surveys/${survey.id}/`
    const answers = { brands: [0, 2], rating__0: 0, rated__2: 1, why__2: 'Dear' }
    expect((await owner.post(`${api}responses/`, { json: answers })).status).toBe(201)
    expect((await owner.post(`${api}responses/`, { json: { rating: 0 } })).body.errors).toMatchObject([
      { field: 'rating', code: 'unknown_question' },
    ])
    const { text: csv } = await owner.get(`${api}csv/?comma_separated=1`)
    const [head = '', row = ''] = csv.split('\n').map((line) => line.trim())
    expect(head.split(',').filter((name) => /rating|rated/.test(name))).toEqual(
      ['0', '1', '2', '3'].map((uid) => expect.stringMatching(new RegExp(`^"?rat(ing|ed)__${uid}"?$`))),
    )
    expect(row).toContain('Dear')
    expect((await owner.get(`${api}codebook/?format=csv`)).text).toContain('How good is Coop?')
    expect((await owner.get(`${api}responses/?rating__2=1`)).body.count).toBe(1)
    expect((await owner.get(`${api}responses/?rating__2=0`)).body.count).toBe(0)
    const statistics = await owner.get(`${api}csv/?for_statistics=1`)
    expect(statistics.text).toContain('rated__2')
  })

  it('keep their answers when choices move, are renamed or added, and hide those of a removed choice', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, { title: 'Shops', form })
    const api = `/api/v3/surveys/${survey.id}/`
    const answers = { brands: [0, 2], rating__0: 0, rating__2: 1 }
    const { id } = (await owner.post(`${api}responses/`, { json: answers })).body
    const { body: structure } = await owner.get(`${api}structure/`)
    const [option] = structure.form[0].children[0].children
    const [aldi, lidl, coop, ...others] = option.choices
    option.choices = [{ label: { en: 'Spar' } }, { ...coop, label: { en: 'Coop Nord' } }, lidl, ...others]
    const saved = await owner.put(`${api}structure/`, { json: { structure } })
    expect(saved.status).toBe(200)
    const { body: response } = await owner.get(`${api}responses/${id}/`)
    expect(response).toMatchObject({ rating__2: 1 })
    expect(response).not.toHaveProperty('rating__0')
    const page = await send(await open(path), { brands: String(coop.uid) })
    expect(titleOf(page)).toBe('How good is Coop Nord?')
    option.choices = [aldi, ...option.choices]
    await owner.put(`${api}structure/`, { json: { structure } })
    expect((await owner.get(`${api}responses/${id}/`)).body).toMatchObject({ rating__0: 0, rating__2: 1 })
  })

  const other = { question: 'rating', op: 'eq', value: 1 }
  const cell = (id: string) => ({ ...rating, id, identifier: undefined })
  it.each([
    ['an unknown question', [form[0], { ...pageOf(cell('a')), loop: 'no' }], '/form/1/loop', 'unknown_question'],
    [
      'a question on the same page',
      [{ ...pageOf(brands('A'), cell('a')), loop: 'brands' }],
      '/form/0/loop',
      'out_of_reach',
    ],
    [
      'a question with one choice',
      [pageOf(cell('a')), { ...pageOf(cell('b')), loop: 'a' }],
      '/form/1/loop',
      'not_allowed',
    ],
    ['skips', [form[0], { ...looped(rating), skip: [{ to: 'complete' }] }], '/form/1/skip', 'not_allowed'],
    ['random order of pages', [form[0], { ...looped(rating), randomBlock: 'a' }], '/form/1/randomBlock', 'not_allowed'],
    [
      'a calculation',
      [form[0], looped({ idname: 'calculation', id: 'c', title: 'C', children: [{ expression: '1' }] })],
      '/form/1/children/0/idname',
      'not_allowed',
    ],
    [
      'a condition of another page that needs a repeated question',
      [...form.slice(0, 2), { ...pageOf(text('a')), condition: { all: [other] } }],
      '/form/2/condition/all/0/question',
      'out_of_reach',
    ],
    ['the name of a repetition', [...form, pageOf(text('rating__7'))], '/form/4/children/0/id', 'duplicate'],
    [
      'more than 1,000 repeated questions',
      [
        pageOf(brands(...Array.from({ length: 101 }, (_, index) => `Brand ${index}`))),
        looped(...Array.from({ length: 10 }, (_, index) => cell(`a${index}`))),
      ],
      '/form/1/loop',
      'too_many',
    ],
    [
      'texts that many labels make long',
      [
        pageOf(brands(...Array.from({ length: 20 }, (_, index) => `${index} ${'x'.repeat(5_000)}`))),
        looped({ ...cell('a'), title: '{{ loop }} '.repeat(20) }),
      ],
      '/form/1/loop',
      'too_many',
    ],
  ])('are refused with %s', async (_, pages, field, code) => {
    const owner = await world.person()
    const { body } = await owner.post('/api/v3/surveys/', {
      json: { name: 'T', structure: { title: 'T', form: pages } },
    })
    expect(body).toMatchObject({ code: 'invalid_structure', errors: [{ field: expect.stringContaining(field), code }] })
  })

  it('are refused if a quota or a calculation needs a repeated question', async () => {
    const owner = await world.person()
    const quotas = [{ name: 'Bad', limit: 1, action: 'complete', when: other }]
    const sum = { idname: 'calculation', id: 'sum', title: 'Sum', children: [{ expression: '{{ rating }} + 1' }] }
    const structure = { title: 'T', form: [...form, pageOf(sum)], quotas }
    const { body } = await owner.post('/api/v3/surveys/', { json: { name: 'T', structure } })
    expect(body.errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
      [expect.stringContaining('/form/4/children/0/children/0/expression'), 'out_of_reach'],
      [expect.stringContaining('/quotas/0/when/question'), 'out_of_reach'],
    ])
  })
})
