import { describe, expect, it } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import {
  addSurvey,
  formAction,
  hiddenValue,
  pageOf,
  single,
  storedResponses,
  submitForm,
  text,
} from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const storedDrafts = (survey: number) =>
  world.em().getKysely<Tables>().selectFrom('page_draft').selectAll().where('survey_id', '=', survey).execute()
const structure = {
  title: 'T',
  form: [pageOf(text('a', { required: true }), text('mail', { validation: { kind: 'email' } })), pageOf(text('b'))],
}
/** Submits a page and returns the reply without following a redirect. */
const post = (page: { text: string }, more: Record<string, string>) =>
  world.anonymous.post(formAction(page), {
    form: { _key: hiddenValue(page, '_key'), _page: '1', _go: 'next', _draft: hiddenValue(page, '_draft'), ...more },
  })

describe('submitting an invalid page', () => {
  it('redirects to an address that shows the entered values on every visit', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const first = await world.anonymous.get(`${path}?source=mail&lang=en`)
    const reply = await post(first, { a: '', mail: 'no "address"' })
    expect(reply.status).toBe(303)
    const location = reply.headers.get('location')!
    expect(location).toMatch(/\?source=mail&lang=en&page=1&_draft=[\w-]{22}$/)
    for (const page of [await world.anonymous.get(location), await world.anonymous.get(location)]) {
      expect(page.status).toBe(200)
      expect(page.text).toContain('value="no &quot;address&quot;"')
      expect(page.text).toContain('An answer to this question is required.')
      expect(formAction(page)).toMatch(/\?source=mail&lang=en$/)
    }
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('stores a text that is part of the response only there, and shows it again', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure)
    const a = 'Many words. '.repeat(5000).trim()
    const rejected = await submitForm(world.anonymous, await world.anonymous.get(path), { a, mail: 'no address' })
    expect(rejected.text).toContain(a)
    expect(rejected.text).toContain('value="no address"')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a } }])
    const [row] = await storedDrafts(survey.id)
    expect(row!.sealed.length).toBeLessThan(2000)
    const changed = await submitForm(world.anonymous, rejected, { a: 'Other words', mail: 'still none' })
    expect(changed.text).toContain('value="Other words"')
  })

  it('stores the values encrypted, with an expiry in full hours, and deletes them when the page is stored or after a day', async () => {
    const { survey, path } = await addSurvey(await world.person(), structure, { anonymous: true })
    const first = await world.anonymous.get(path)
    const rejected = await submitForm(world.anonymous, first, { a: '', mail: 'private words' })
    const [row] = await storedDrafts(survey.id)
    expect(row!.sealed).not.toContain('private')
    expect(Buffer.from(row!.sealed, 'base64url').toString('latin1')).not.toContain('private')
    expect(new Date(row!.expires_at).getTime() % 3_600_000).toBe(0)
    await submitForm(world.anonymous, rejected, { a: 'x', mail: '' })
    expect(await storedDrafts(survey.id)).toEqual([])
    expect(await storedResponses(world, survey.id)).toMatchObject([{ answers: { a: 'x' } }])

    const abandoned = await post(await world.anonymous.get(path), { a: '', mail: 'no' })
    world.now = new Date(world.now.getTime() + 26 * 3_600_000)
    await world.application.boss.send('purge-expired-credentials', {})
    await world.runJobs()
    expect(await storedDrafts(survey.id)).toEqual([])
    expect((await world.anonymous.get(abandoned.headers.get('location')!)).headers.get('location')).toBe(path)
  })

  it('shows the stored answers once the page is stored', async () => {
    const { path } = await addSurvey(await world.person(), structure)
    const rejected = await post(await world.anonymous.get(path), { a: '', mail: 'no' })
    const location = rejected.headers.get('location')!
    await submitForm(world.anonymous, await world.anonymous.get(location), { a: 'x', mail: 'x@example.org' })
    const page = await world.anonymous.get(location)
    expect(page.text).toContain('value="x@example.org"')
    expect(page.text).not.toContain('is required')
  })

  it('stores separate drafts for two tabs, and shows no draft for another response key', async () => {
    const { path } = await addSurvey(await world.person(), structure)
    const first = await world.anonymous.get(path)
    const [firstTab, secondTab] = [await post(first, { a: '', mail: 'one' }), await post(first, { a: '', mail: 'two' })]
    const [firstUrl, secondUrl] = [firstTab, secondTab].map(({ headers }) => headers.get('location')!)
    expect((await world.anonymous.get(firstUrl!)).text).toContain('value="one"')
    expect((await world.anonymous.get(secondUrl!)).text).toContain('value="two"')
    const otherKey = firstUrl!.replace(/[0-9a-f]{40}/, 'ab'.repeat(20))
    expect((await world.anonymous.get(otherKey)).headers.get('location')).toBe(path)
  })

  it('accepts answers of the maximum length', async () => {
    const { path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(text('a', { lines: 5 }), text('b', { required: true }))],
    })
    const long = '語'.repeat(100_000)
    const rejected = await submitForm(world.anonymous, await world.anonymous.get(path), { a: long, b: '' })
    expect(rejected.text).toContain(long)
  })

  it('redirects in the same way if the page is valid but its answers make other questions visible', async () => {
    const why = { ...text('why'), condition: { all: [{ question: 'yes', op: 'eq', value: 0 }] } }
    const { path } = await addSurvey(await world.person(), {
      title: 'T',
      form: [pageOf(single('yes', ['Yes', 'No']), why)],
    })
    const first = await world.anonymous.get(path)
    const reply = await world.anonymous.post(formAction(first), {
      form: { _key: hiddenValue(first, '_key'), _page: '1', _shown: 'yes', yes: '0' },
    })
    expect(reply.status).toBe(303)
    expect((await world.anonymous.get(reply.headers.get('location')!)).text).toContain('added more questions')
  })
})
