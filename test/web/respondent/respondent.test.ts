import { describe, expect, it } from '@jest/globals'
import { submitPageAnswers } from '../../../src/domain/respondent/submit-page.ts'
import { getSnapshot, type SurveySnapshot } from '../../../src/domain/survey/snapshot.ts'
import { randomKey } from '../../../src/lib/secrets.ts'
import type { Reply } from '../../support/client.ts'
import {
  addSurvey,
  hiddenValue,
  pageOf,
  replaceStructure,
  single,
  storedResponses,
  submitForm,
  text,
} from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const threePages = {
  title: 'Breakfast',
  form: [
    pageOf(text('name', { required: true }), single('bread', ['Rye', 'Wheat'])),
    pageOf(text('why')),
    pageOf(text('last')),
  ],
}

const submit = (reply: Reply, form: Record<string, string>) => submitForm(world.anonymous, reply, form)

const submissionDetails = (snapshot: SurveySnapshot) => ({
  collector: snapshot.defaultCollector,
  ipAddress: '',
  referrer: '',
  getVariables: '',
  shownAt: undefined,
})

describe('the survey page [spec 13.2]', () => {
  it('shows the first page and stores nothing', async () => {
    const { survey, path } = await addSurvey(await world.person(), threePages)
    const reply = await world.anonymous.get(path)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(reply.text).toContain('Breakfast')
    expect(reply.text).toContain('Text name')
    expect(reply.text).not.toContain('Text why')
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('stores every page, and completes the response on the last one [spec 7.4]', async () => {
    const { survey, path } = await addSurvey(await world.person(), threePages)
    const first = await world.anonymous.get(path, { headers: { referer: 'https://example.org/from' } })
    const reply = await submit(first, { name: 'Ada', bread: '1' })
    expect(reply.status).toBe(303)
    const responsePath = `${path}${hiddenValue(first, '_key')}/`
    expect(reply.headers.get('location')).toBe(`${responsePath}?page=2`)
    const [created] = await storedResponses(world, survey.id)
    expect(created).toMatchObject({
      answers: { name: 'Ada', bread: 1 },
      completed: 0,
      saves: 1,
      pagepath: '1',
      language: 'en',
      ip_address: '127.0.0.1',
      referrer: 'https://example.org/from',
      weighted_score: null,
    })
    world.now = new Date(world.now.getTime() + 90_000)
    const second = await world.anonymous.get(reply.headers.get('location')!)
    expect(second.text).toContain('Text why')
    await submit(second, { why: 'taste' })
    const third = await world.anonymous.get(responsePath)
    expect(third.text).toContain('Text last')
    const completed = await submit(third, { last: '' })
    expect(completed.headers.get('location')).toBe(responsePath)
    const thanks = await world.anonymous.get(responsePath)
    expect(thanks.text).toContain('Thank you!')
    const [complete, ...others] = await storedResponses(world, survey.id)
    expect(others).toEqual([])
    expect(complete).toMatchObject({
      answers: { name: 'Ada', bread: 1, why: 'taste' },
      completed: 1,
      saves: 3,
      pagepath: '1,2,3',
      weighted_score: 2,
      completion_time: 90,
    })
  })

  it('shows each error beside its question, keeps the entered values, and stores the valid answers', async () => {
    const { survey, path } = await addSurvey(await world.person(), {
      title: 'Form',
      form: [
        pageOf(
          text('mail', { required: true, validation: { kind: 'email' } }),
          text('other'),
          text('must', { required: true }),
        ),
      ],
    })
    const first = await world.anonymous.get(path)
    const reply = await submit(first, { mail: '<invalid>', other: 'kept', must: '' })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('value="&lt;invalid&gt;"')
    expect(reply.text).toMatch(/<a href="#f0">Text mail – Enter an email address, such as name@example.com.<\/a>/)
    expect(reply.text).toMatch(/id="f2-e">.*An answer to this question is required/)
    expect(reply.text).toMatch(/id="f0"[^>]*aria-describedby="f0-e" aria-invalid="true"/)
    const [stored] = await storedResponses(world, survey.id)
    expect(stored).toMatchObject({ answers: { other: 'kept' }, completed: 0 })
    const completed = await submit(reply, { mail: 'ada@example.org', other: 'kept', must: 'x' })
    expect(completed.status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { mail: 'ada@example.org', other: 'kept', must: 'x' } },
    ])
  })

  it('stores nothing when a first page with required questions is submitted empty', async () => {
    const { survey, path } = await addSurvey(await world.person(), threePages)
    const reply = await submit(await world.anonymous.get(path), {})
    expect(reply.status).toBe(200)
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('creates one response from concurrent submissions of the same page', async () => {
    const { survey, path } = await addSurvey(await world.person(), { title: 'Once', form: [pageOf(text('a'))] })
    const first = await world.anonymous.get(path)
    const replies = await Promise.all(Array.from({ length: 12 }, () => submit(first, { a: 'x' })))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([303]))
    expect(await storedResponses(world, survey.id)).toHaveLength(1)
    const resubmitted = await submit(first, { a: 'changed' })
    expect(resubmitted.status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'x' }, completed: 1 }])
  })

  it('goes back and forward with the entered values', async () => {
    const { survey, path } = await addSurvey(await world.person(), threePages)
    const reply = await submit(await world.anonymous.get(path), { name: 'Ada' })
    const second = await world.anonymous.get(reply.headers.get('location')!)
    const backward = await submit(second, { why: 'a draft', _go: 'back' })
    expect(backward.headers.get('location')).toMatch(/\?page=1$/)
    const first = await world.anonymous.get(backward.headers.get('location')!)
    expect(first.text).toContain('value="Ada"')
    const forward = await submit(first, { name: 'Grace' })
    expect(forward.headers.get('location')).toMatch(/\?page=2$/)
    expect((await world.anonymous.get(forward.headers.get('location')!)).text).toContain('a draft')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { name: 'Grace', why: 'a draft' } }])
  })

  it('redirects to the first unanswered page instead of a later page', async () => {
    const { path } = await addSurvey(await world.person(), threePages)
    const submitted = await submit(await world.anonymous.get(path), { name: 'Ada' })
    const responsePath = submitted.headers.get('location')!.replace('?page=2', '')
    const reply = await world.anonymous.get(`${responsePath}?page=3`)
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toBe(`${responsePath}?page=2`)
  })

  it('saves for later and shows the link with which the respondent continues', async () => {
    const { survey, path } = await addSurvey(await world.person(), threePages)
    const saved = await submit(await world.anonymous.get(path), { bread: '0', _go: 'later' })
    expect(saved.headers.get('location')).toMatch(/\?saved=1$/)
    const page = await world.anonymous.get(saved.headers.get('location')!)
    expect(page.text).toContain(`${world.base}${saved.headers.get('location')!.replace('?saved=1', '')}`)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { bread: 0 }, completed: 0 }])
  })

  it('returns 404 with an error page for an unknown survey', async () => {
    const { path } = await addSurvey(await world.person(), threePages)
    for (const address of [`${path}unknown/`, '/surveys/unknown/unknown/', '/surveys/%00/unknown/']) {
      const reply = await world.anonymous.get(address)
      expect(reply.status).toBe(404)
      expect(reply.text).toContain('Survey not found')
    }
  })

  it('returns 404 with a link to the survey for an unknown response', async () => {
    const { path } = await addSurvey(await world.person(), threePages)
    const reply = await world.anonymous.get(`${path}${'0'.repeat(40)}/`)
    expect(reply.status).toBe(404)
    expect(reply.text).toContain(`href="${path}"`)
  })

  it('continues a response that was created through the API [spec 7.5]', async () => {
    const person = await world.person()
    const { survey } = await addSurvey(person, threePages)
    const { body } = await person.post(`/api/v3/surveys/${survey.id}/responses/`, { form: { name: 'Ada' } })
    const first = await world.anonymous.get(body.url)
    expect(first.text).toContain('value="Ada"')
    const reply = await submit(first, { name: 'Ada', bread: '0' })
    expect(reply.headers.get('location')).toBe(`${new URL(body.url).pathname}?page=2`)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { name: 'Ada', bread: 0 }, saves: 2 }])
  })

  it('validates a first page again when the survey was edited meanwhile', async () => {
    const person = await world.person()
    const { survey } = await addSurvey(person, threePages)
    const oldSnapshot = (await getSnapshot(world.em(), survey.id))!
    await replaceStructure(person, survey.id, { title: 'New', form: [pageOf(text('name'))] })
    const context = { em: world.em(), now: world.now, services: world.application.services }
    const submission = { page: 1, raw: { name: 'Ada' }, go: 'next', language: 'en' } as const
    const result = await submitPageAnswers(
      context,
      oldSnapshot,
      { key: randomKey(), isNew: true },
      submission,
      submissionDetails(oldSnapshot),
    )
    expect(result).toMatchObject({ stored: true, next: { to: 'end', completed: 1 } })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { name: 'Ada' } }])
  })

  it.each([
    ['', {}],
    [' under a limit', { max_responses: 9 }],
  ])('measures the completion time from the opening of the first page%s', async (_, settings) => {
    const structure = { title: 'Once', form: [pageOf(text('a'))] }
    const { survey, path } = await addSurvey(await world.person(), structure, settings)
    const first = await world.anonymous.get(path)
    world.now = new Date(world.now.getTime() + 42_000)
    await submit(first, { a: 'x' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completion_time: 42 }])
  })

  it('allows framing by other sites, and has no inline styles or scripts', async () => {
    const { path } = await addSurvey(await world.person(), threePages)
    const reply = await world.anonymous.get(path)
    expect(reply.headers.get('x-frame-options')).toBeNull()
    expect(reply.headers.get('content-security-policy')).not.toContain('frame-ancestors')
    expect(reply.text).not.toMatch(/<style|<script(?! type="module" src)| style=| on\w+=/)
  })

  it('serves style sheet and script under addresses with a hash of their content', async () => {
    const { path } = await addSurvey(await world.person(), threePages)
    const { text: markup } = await world.anonymous.get(path)
    const assets = [...markup.matchAll(/(?:href|src)="(\/assets\/survey\.[0-9a-f]{12}\.(?:css|js))"/g)]
    expect(assets).toHaveLength(2)
    for (const [, address] of assets) {
      const reply = await world.anonymous.get(address!)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(reply.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/)
    }
  })

  it('accepts the username in the address in upper and lower case', async () => {
    const { path } = await addSurvey(await world.person(), threePages)
    expect((await world.anonymous.get(path.replace('person', 'PERSON'))).status).toBe(200)
  })
})
