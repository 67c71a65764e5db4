import { describe, expect, it } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { actionOf, hiddenValue, pageOf, responsesTo, sendForm, single, surveyOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const rows = (survey: number) =>
  world.em().getKysely<Tables>().selectFrom('page_draft').selectAll().where('survey_id', '=', survey).execute()
const survey = {
  title: 'T',
  form: [pageOf(text('a', { required: true }), text('mail', { validation: { kind: 'email' } })), pageOf(text('b'))],
}
/** Submits a page and returns the reply without following a redirect. */
const post = (page: { text: string }, more: Record<string, string>) =>
  world.anonymous.post(actionOf(page), {
    form: { _key: hiddenValue(page, '_key'), _page: '1', _go: 'next', _draft: hiddenValue(page, '_draft'), ...more },
  })

describe('submitting an invalid page', () => {
  it('redirects to an address that shows the entered values on every visit', async () => {
    const { survey: made, path } = await surveyOf(world, await world.person(), survey)
    const first = await world.anonymous.get(`${path}?source=mail&lang=en`)
    const reply = await post(first, { a: '', mail: 'no "address"' })
    expect(reply.status).toBe(303)
    const to = reply.headers.get('location')!
    expect(to).toMatch(/\?source=mail&lang=en&page=1&_draft=[\w-]{22}$/)
    for (const page of [await world.anonymous.get(to), await world.anonymous.get(to)]) {
      expect(page.status).toBe(200)
      expect(page.text).toContain('value="no &quot;address&quot;"')
      expect(page.text).toContain('An answer to this question is required.')
      expect(actionOf(page)).toMatch(/\?source=mail&lang=en$/)
    }
    expect(await responsesTo(world, made.id)).toEqual([])
  })

  it('stores the draft encrypted with an expiry in full hours, and deletes it once the page is stored or after a day', async () => {
    const { survey: made, path } = await surveyOf(world, await world.person(), survey, { anonymous: true })
    const first = await world.anonymous.get(path)
    const again = await sendForm(world.anonymous, first, { a: '', mail: 'secret words' })
    const [row] = await rows(made.id)
    expect(row!.sealed).not.toContain('secret')
    expect(Buffer.from(row!.sealed, 'base64url').toString('latin1')).not.toContain('secret')
    expect(new Date(row!.expires_at).getTime() % 3_600_000).toBe(0)
    await sendForm(world.anonymous, again, { a: 'x', mail: '' })
    expect(await rows(made.id)).toEqual([])
    expect(await responsesTo(world, made.id)).toMatchObject([{ answers: { a: 'x' } }])

    const other = await post(await world.anonymous.get(path), { a: '', mail: 'no' })
    world.now = new Date(world.now.getTime() + 26 * 3_600_000)
    await world.application.boss.send('purge-expired-credentials', {})
    await world.runJobs()
    expect(await rows(made.id)).toEqual([])
    expect((await world.anonymous.get(other.headers.get('location')!)).headers.get('location')).toBe(path)
  })

  it('shows the stored answers once the page is stored', async () => {
    const { path } = await surveyOf(world, await world.person(), survey)
    const refused = await post(await world.anonymous.get(path), { a: '', mail: 'no' })
    const to = refused.headers.get('location')!
    await sendForm(world.anonymous, await world.anonymous.get(to), { a: 'x', mail: 'x@example.org' })
    const back = await world.anonymous.get(to)
    expect(back.text).toContain('value="x@example.org"')
    expect(back.text).not.toContain('is required')
  })

  it('stores one draft per tab, and shows none for another key', async () => {
    const { path } = await surveyOf(world, await world.person(), survey)
    const first = await world.anonymous.get(path)
    const [one, two] = [await post(first, { a: '', mail: 'one' }), await post(first, { a: '', mail: 'two' })]
    const [left, right] = [one, two].map(({ headers }) => headers.get('location')!)
    expect((await world.anonymous.get(left!)).text).toContain('value="one"')
    expect((await world.anonymous.get(right!)).text).toContain('value="two"')
    const foreign = left!.replace(/[0-9a-f]{40}/, 'ab'.repeat(20))
    expect((await world.anonymous.get(foreign)).headers.get('location')).toBe(path)
  })

  it('stores answers of the maximum length', async () => {
    const { path } = await surveyOf(world, await world.person(), {
      title: 'T',
      form: [pageOf(text('a', { lines: 5 }), text('b', { required: true }))],
    })
    const long = '語'.repeat(100_000)
    const again = await sendForm(world.anonymous, await world.anonymous.get(path), { a: long, b: '' })
    expect(again.text).toContain(long)
  })

  it('redirects in the same way when the answers make questions visible', async () => {
    const why = { ...text('why'), condition: { all: [{ question: 'yes', op: 'eq', value: 0 }] } }
    const { path } = await surveyOf(world, await world.person(), {
      title: 'T',
      form: [pageOf(single('yes', ['Yes', 'No']), why)],
    })
    const first = await world.anonymous.get(path)
    const reply = await world.anonymous.post(actionOf(first), {
      form: { _key: hiddenValue(first, '_key'), _page: '1', _shown: 'yes', yes: '0' },
    })
    expect(reply.status).toBe(303)
    expect((await world.anonymous.get(reply.headers.get('location')!)).text).toContain('added more questions')
  })
})
