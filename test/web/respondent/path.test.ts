import { describe, expect, it } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import type { Reply } from '../../support/client.ts'
import { signInAs } from '../../support/http-browser.ts'
import { addSurvey, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** Submits a page and follows the redirect to the next one. */
async function send(page: Reply, answers: Record<string, string | string[]>): Promise<Reply> {
  const reply = await submitForm(world.anonymous, page, answers)
  return reply.status === 303
    ? (world.anonymous.get(reply.headers.get('location')!) as Promise<Reply>)
    : (reply as Reply)
}

const is = (question: string, value: unknown) => ({ all: [{ question, op: 'eq', value }] })
const number = (id: string, more: object = {}) => ({
  idname: 'number',
  id,
  title: `Number ${id}`,
  children: [{ ...more }],
})
const calculation = (id: string, expression: string) => ({ idname: 'calculation', id, title: id, expression })

/** A skip from page 1 leaves out the page of the smokers. */
const smokers = {
  title: 'Smoking',
  form: [
    { ...pageOf(single('smoke', ['Yes', 'No'])), skip: [{ when: is('smoke', 1), to: 3 }] },
    pageOf(number('cigs'), single('brand', ['A', 'B']), text('why')),
    pageOf(
      {
        ...text('quit'),
        title: 'You smoke {{ cigs | default: "nothing" }}. Quit?',
        condition: { all: [{ question: 'cigs', op: 'answered' }] },
      },
      calculation('packs', '{{ cigs }} / 20'),
      { idname: 'hidden-field', id: 'source', children: [{ default: 'none' }] },
      text('end'),
    ),
  ],
  quotas: [{ name: 'B', when: is('brand', 1), limit: 1, action: 'terminate', message: 'Enough B' }],
}

/** Answers as a smoker up to the last page, and goes back to the first page. @returns the first page */
async function smokeAndReturn(path: string): Promise<Reply> {
  const second = await send((await world.anonymous.get(path)) as Reply, { smoke: '0' })
  const third = await send(second, { cigs: '20', brand: '1', why: 'stress' })
  expect(third.text).toContain('You smoke 20. Quit?')
  const again = await send(third, { quit: 'soon', end: '', _go: 'back' })
  return send(again, { cigs: '20', brand: '1', why: 'stress', _go: 'back' })
}

describe('the path of a response [spec 6.9]', () => {
  it('leaves out the answers of a skipped page from the response, its score, quotas, conditions and placeholders', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, smokers)
    const third = await send(await smokeAndReturn(path), { smoke: '1' })
    expect(third.text).not.toContain('You smoke')
    await send(third, { end: 'bye' })
    const [response] = await storedResponses(world, survey.id)
    expect(response).toMatchObject({ completed: 1, pagepath: '1,3', weighted_score: 2 })
    expect(response!.answers).toEqual({ smoke: 1, source: 'none', end: 'bye' })
    const { body } = await owner.get(`/api/v3/surveys/${survey.id}/responses/`)
    expect(JSON.stringify(body)).toContain('bye')
    expect(JSON.stringify(body)).not.toContain('cigs')
    // The quota of B still has room.
    const smoker = await send((await world.anonymous.get(path)) as Reply, { smoke: '0' })
    expect((await send(smoker, { cigs: '5', brand: '1' })).text).toContain('You smoke 5. Quit?')
  })

  it('shows the answers of a left-out page again when the respondent comes to it again', async () => {
    const { survey, path } = await addSurvey(await world.person(), smokers)
    const third = await send(await smokeAndReturn(path), { smoke: '1' })
    expect((await storedResponses(world, survey.id))[0]!.answers).toMatchObject({ smoke: 1, cigs: 20, why: 'stress' })
    const second = await send(await send(third, { end: '', _go: 'back' }), { smoke: '0' })
    expect(second.text).toMatch(/name="why"[^>]*value="stress"|>stress</)
    const again = await send(second, { cigs: '20', brand: '0', why: 'stress' })
    expect(again.text).toMatch(/name="quit"[^>]*value="soon"/)
    await send(again, { quit: 'soon', end: '' })
    expect((await storedResponses(world, survey.id))[0]).toMatchObject({
      completed: 1,
      answers: { smoke: 0, cigs: 20, brand: 0, why: 'stress', quit: 'soon', packs: 1, source: 'none' },
    })
  })

  it.each([
    [
      'a page',
      {
        form: [pageOf(single('a', ['Yes', 'No'])), { ...pageOf(text('b')), condition: is('a', 0) }, pageOf(text('c'))],
      },
    ],
    [
      'a question',
      {
        form: [
          pageOf(single('a', ['Yes', 'No'])),
          pageOf({ ...text('b'), condition: is('a', 0) }, text('b2')),
          pageOf(text('c')),
        ],
      },
    ],
  ])(
    'keeps and shows again the answer that the condition of %s left out, while the response is incomplete',
    async (_, { form }) => {
      const { survey, path } = await addSurvey(await world.person(), { title: 'T', form })
      const second = await send((await world.anonymous.get(path)) as Reply, { a: '0' })
      const first = await send(second, { b: 'kept', _go: 'back' })
      const other = await send(first, { a: '1' })
      expect(other.text).not.toContain('name="b"')
      const back = await send(other, { _go: 'back' })
      expect((await send(back, { a: '0' })).text).toMatch(/name="b"[^>]*value="kept"/)
      let page = await send(back, { a: '1' })
      while (page.text.includes('name="_page"')) page = await send(page, {})
      expect((await storedResponses(world, survey.id))[0]).toMatchObject({ completed: 1, answers: { a: 1 } })
      expect((await storedResponses(world, survey.id))[0]!.answers).not.toHaveProperty('b')
    },
  )

  it('drops what follows a page from which the survey terminates', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [
        { ...pageOf(single('a', ['Yes', 'No'])), skip: [{ when: is('a', 1), to: 'terminate' }] },
        pageOf(text('b')),
        pageOf(text('c')),
      ],
    })
    const second = await send((await world.anonymous.get(path)) as Reply, { a: '0' })
    const first = await send(await send(second, { b: 'x' }), { c: 'y', _go: 'back' })
    await send(await send(first, { b: 'x', _go: 'back' }), { a: '1' })
    const [response] = await storedResponses(world, survey.id)
    expect(response).toMatchObject({ completed: 2, pagepath: '1' })
    expect(response!.answers).toEqual({ a: 1 })
  })

  it('stores what a program sends or imports as sent, but scores and counts only the path', async () => {
    const owner = await world.person()
    const { survey } = await addSurvey(owner, smokers)
    const uri = `/api/v3/surveys/${survey.id}/responses/`
    const sent = { smoke: 1, cigs: 20, brand: 1, why: 'stress', _completed: 1 }
    const { body } = await owner.post(uri, { json: sent })
    const { body: stored } = await owner.get(`${uri}${body.id}/`)
    expect(stored).toMatchObject({ ...sent, _weighted_score: 2 })
    expect(stored).not.toHaveProperty('packs')
    await owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: 'smoke,cigs,brand,why\n1,20,1,imported\n',
      headers: { 'content-type': 'text/csv' },
    })
    await owner.put(`${uri}${body.id}/`, { json: { why: 'edited' } })
    expect(
      (await storedResponses(world, survey.id)).map(({ answers, weighted_score }) => [answers.why, weighted_score]),
    ).toEqual([
      ['edited', 2],
      ['imported', 2],
    ])
    // Neither response took the place of the quota.
    await owner.post(uri, { json: { smoke: 0, brand: 1, _completed: 1 } })
    const slots = await world
      .em()
      .getKysely<Tables>()
      .selectFrom('response_quota')
      .selectAll()
      .where('survey_id', '=', survey.id)
      .execute()
    expect(slots).toHaveLength(1)
  })

  it('drops what is off the path when a program completes the walk of a respondent, but keeps what the program sends', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, smokers)
    await send(await smokeAndReturn(path), { smoke: '1' })
    const [{ id }] = (await storedResponses(world, survey.id)) as unknown as [{ id: number }]
    await owner.put(`/api/v3/surveys/${survey.id}/responses/${id}/`, { json: { _completed: 1, why: 'sent' } })
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ smoke: 1, source: 'none', why: 'sent' })
  })
})

describe('a quota that an early page settles [spec 6.10]', () => {
  const early = (action: string) => ({
    title: 'T',
    form: [pageOf(single('q', ['A', 'B'])), pageOf(text('must', { required: true })), pageOf(text('c'))],
    quotas: [{ name: 'as', when: is('q', 0), limit: 1, action, message: `Enough: ${action}` }],
  })

  it.each([
    ['complete', 1],
    ['terminate', 2],
    ['close', 1],
  ])('ends the response with this page if it is full: %s, completed = %i', async (action, completed) => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, early(action))
    const first = (await world.anonymous.get(path)) as Reply
    await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { q: 0, _completed: 1 } })
    expect((await send(first, { q: '0' })).text).toContain(`Enough: ${action}`)
    expect((await storedResponses(world, survey.id))[1]).toMatchObject({ completed, answers: { q: 0 }, pagepath: '1' })
    if (action === 'close') return
    expect((await send((await world.anonymous.get(path)) as Reply, { q: '1' })).text).toContain('Text must')
  })

  it('drops the answers after the page when the respondent goes back and changes the answer', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, early('terminate'))
    await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { q: 0, _completed: 1 } })
    const second = await send((await world.anonymous.get(path)) as Reply, { q: '1' })
    const first = await send(second, { must: 'typed', _go: 'back' })
    expect((await send(first, { q: '0' })).text).toContain('Enough: terminate')
    const [, response] = await storedResponses(world, survey.id)
    expect(response).toMatchObject({ completed: 2, pagepath: '1' })
    expect(response!.answers).toEqual({ q: 0 })
  })

  it('judges a quota with `any` as soon as one part is certain, and at the end if it filled up meanwhile', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, {
      title: 'T',
      form: [pageOf(single('q', ['A', 'B'])), pageOf(single('r', ['A', 'B'])), pageOf(text('c'))],
      quotas: [
        {
          name: 'one',
          when: {
            any: [
              { question: 'q', op: 'eq', value: 0 },
              { question: 'r', op: 'eq', value: 0 },
            ],
          },
          limit: 1,
          action: 'terminate',
          message: 'Enough',
        },
      ],
    })
    const early = await send((await world.anonymous.get(path)) as Reply, { q: '0' })
    const late = await send((await world.anonymous.get(path)) as Reply, { q: '1' })
    await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { q: 0, _completed: 1 } })
    expect((await send((await world.anonymous.get(path)) as Reply, { q: '0' })).text).toContain('Enough')
    expect((await send(late, { r: '0' })).text).toContain('Enough')
    expect((await send(await send(early, { r: '1' }), { c: '' })).text).toContain('Enough')
    expect((await storedResponses(world, survey.id)).map(({ completed }) => completed)).toEqual([2, 2, 1, 2])
  })

  it('refuses no response of a program, and counts it', async () => {
    const owner = await world.person()
    const { survey } = await addSurvey(owner, { ...early('terminate'), form: [pageOf(single('q', ['A', 'B']))] })
    for (const version of [3, 3, 2]) {
      const sent = { json: { q: 0, _completed: 1 } }
      expect((await owner.post(`/api/v${version}/surveys/${survey.id}/responses/`, sent)).status).toBeLessThan(300)
    }
    expect((await storedResponses(world, survey.id)).map(({ completed }) => completed)).toEqual([1, 1, 2])
    const browser = await signInAs(owner)
    const quotas = await browser.get(`/account/surveys/${survey.id}/edit/quotas/`)
    expect(quotas.text).toContain('Responses so far: 2 of 1')
  })
})

describe('a survey that closes while a response is open [spec 13.1]', () => {
  const twoPages = { title: 'T', form: [pageOf(text('a')), pageOf(text('b')), pageOf(text('c'))] }

  it.each([
    ['by its switch', { live: 0 }],
    ['by its closing date', { close_at: '2020-01-01T00:00:00Z' }],
    ['by its limit of responses', { max_responses: 1 }],
  ])('takes the page being sent, and says that it has closed since: %s', async (_, settings) => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, twoPages)
    const other = (await world.anonymous.get(path)) as Reply
    const second = await send((await world.anonymous.get(path)) as Reply, { a: 'one' })
    await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { a: 'full', _completed: 1 } })
    expect((await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: settings })).status).toBe(200)
    const closed = await send(second, { b: 'two' })
    expect(closed.text).toContain('This survey has closed since you started.')
    expect(closed.text).not.toContain('name="c"')
    expect((await storedResponses(world, survey.id))[0]).toMatchObject({
      completed: 0,
      answers: { a: 'one', b: 'two' },
    })
    // A response that was not begun is not accepted.
    const refused = await send(other, { a: 'late' })
    expect(refused.text).not.toContain('closed since')
    expect(await storedResponses(world, survey.id)).toHaveLength(2)
  })

  it('completes the response if the page being sent is the last one', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, twoPages)
    const third = await send(await send((await world.anonymous.get(path)) as Reply, { a: '1' }), { b: '2' })
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { live: 0 } })
    expect((await send(third, { c: '3' })).text).toContain('Thank you!')
    expect((await storedResponses(world, survey.id))[0]).toMatchObject({
      completed: 1,
      answers: { a: '1', b: '2', c: '3' },
    })
  })
})

describe('a survey that becomes full while a response is open [spec 13.1]', () => {
  const onePage = { title: 'T', form: [pageOf(text('a')), pageOf(text('b'))] }

  it('keeps the last page, which does not complete the response any more', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, onePage, { max_responses: 1 })
    const second = await send((await world.anonymous.get(path)) as Reply, { a: 'one' })
    await owner.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { a: 'full', _completed: 1 } })
    const full = await send(second, { b: 'two' })
    expect(full.text).toContain('This survey has closed since you started.')
    const [response] = await storedResponses(world, survey.id)
    expect(response).toMatchObject({ completed: 0, answers: { a: 'one', b: 'two' } })
  })

  it('of one collector takes the page that is being sent', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, onePage)
    const second = await send((await world.anonymous.get(path)) as Reply, { a: 'one' })
    const { body } = await owner.get(`/api/v3/surveys/${survey.id}/collectors/`)
    const [collector] = body.results
    expect((await owner.put(collector.collector_uri, { json: { live: 0 } })).status).toBe(200)
    expect((await send(second, { b: 'two', _go: 'back' })).text).toContain('This survey has closed since you started.')
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ a: 'one', b: 'two' })
  })
})

describe('the text of an “other” choice [spec 6.6]', () => {
  const question = (idname: string) => ({
    title: 'T',
    form: [
      pageOf({
        idname,
        id: 'o',
        title: 'O',
        children: [{ choices: [{ label: 'A' }, { label: 'Else', other: true }] }],
      }),
    ],
  })

  it.each([
    ['single-choice', 1, 0],
    ['multiple-choice', [0, 1], [0]],
    ['dropdown-choice', 1, null],
  ])('is dropped by every request that does not choose it: %s', async (idname, chosen, without) => {
    const owner = await world.person()
    const { survey } = await addSurvey(owner, question(idname))
    const uri = `/api/v3/surveys/${survey.id}/responses/`
    const stored = async (id: number) => (await owner.get(`${uri}${id}/`)).body
    const { body } = await owner.post(uri, { json: { o: chosen, 'o\\other': 'mine' } })
    expect(await stored(body.id)).toHaveProperty(['o\\other'], 'mine')
    await owner.put(`${uri}${body.id}/`, { json: { o: without } })
    expect(await stored(body.id)).not.toHaveProperty(['o\\other'])
    if (without === null) return
    const again = await owner.post(uri, { json: { o: without, 'o\\other': 'mine' } })
    expect(again.status).toBe(201)
    expect(await stored(again.body.id)).not.toHaveProperty(['o\\other'])
  })
})

describe('the links to other languages', () => {
  it('keep a parameter that occurs several times', async () => {
    const { path } = await addSurvey(await world.person(), {
      title: { en: 'T', de: 'T' },
      languages: [
        { code: 'en', name: 'English', isDefault: true },
        { code: 'de', name: 'Deutsch', isDefault: false },
      ],
      form: [
        pageOf({
          idname: 'multiple-choice',
          id: 'm',
          title: 'M',
          children: [{ choices: [{ label: 'A' }, { label: 'B' }] }],
        }),
      ],
    })
    const page = await world.anonymous.get(`${path}?m=0&m=1&src=a&src=b`)
    const link = /href="([^"]*)" lang="de"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
    expect(link).toContain('?m=0&m=1&src=a&src=b&lang=de')
    expect((await world.anonymous.get(link)).text.match(/ checked/g)).toHaveLength(2)
  })
})

describe('the first page, submitted again from the history of a browser that did not restore its fields', () => {
  it('clears no stored answer, stores what changed, and shows what is stored', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(text('a'), single('c', ['A', 'B']), number('n')), pageOf(text('z'))],
    })
    const first = (await world.anonymous.get(path)) as Reply
    await send(first, { a: 'my text', c: '0', n: '7' })
    const again = await send(first, { a: '', c: '1', n: '' })
    expect((await storedResponses(world, survey.id)).map(({ answers }) => answers)).toEqual([
      { a: 'my text', c: 1, n: 7 },
    ])
    expect(again.text).toMatch(/name="a"[^>]*value="my text"/)
    // On the page that shows the stored answers, an empty field clears the answer.
    expect((await send(again, { a: '', c: '1', n: '7' })).text).toContain('name="z"')
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ c: 1, n: 7 })
  })
})
