import { beforeAll, describe, expect, test } from '@jest/globals'
import { enqueue } from '../../../src/domain/enqueue.ts'
import type { SurveySettings } from '../../../src/domain/survey/settings.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { pageOf, responsesTo, sendForm, surveyOf, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const twoPages = { title: 'Tea for {{ invite.name }}', form: [pageOf(text('first')), pageOf(text('second'))] }
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

/** A survey, an invite code of it, and what is listed of that code. */
async function invited(structure: object, settings: Partial<SurveySettings> = {}) {
  const { survey, path } = await surveyOf(world, ann, structure, settings)
  const uri = `/api/v2/surveys/${survey.id}/invite-codes/`
  const [{ invite_url: link, code }] = (await ann.post(`${uri}?count=1`)).body.invites
  return { survey, path, link, code, listed: async () => (await ann.get(uri)).body.invites[0] }
}

describe('an invite code at the public page', () => {
  test('opening it marks it Viewed, answering Incomplete, completing Completed with the response', async () => {
    const { survey, link, code, listed } = await invited(twoPages)
    const first = await world.anonymous.get(link)
    expect(first.status).toBe(200)
    expect(await listed()).toMatchObject({ status: 'Viewed' })
    await sendForm(world.anonymous, first, { first: 'a' })
    expect(await listed()).toMatchObject({ status: 'Incomplete' })
    const [stored] = await responsesTo(world, survey.id)
    expect(stored).toMatchObject({ invite_code: code, invite_email: null, completed: 0 })

    const again = await world.anonymous.get(link)
    expect(again.status).toBe(303)
    const second = await world.anonymous.get(again.headers.get('location')!)
    expect(second.text).toContain('Text second')
    await sendForm(world.anonymous, second, { second: 'b' })
    const [complete, ...others] = await responsesTo(world, survey.id)
    expect(others).toEqual([])
    expect(complete).toMatchObject({ answers: { first: 'a', second: 'b' }, completed: 1 })
    expect(await listed()).toEqual({
      code,
      invite_url: link,
      status: 'Completed',
      response_id: String(complete!.id),
      response_uri: `${world.base}/api/v2/surveys/${survey.id}/responses/${complete!.id}/`,
    })
    const late = await world.anonymous.get((await world.anonymous.get(link)).headers.get('location')!)
    expect(late.text).toContain('Thank you!')
    expect(late.text).not.toContain('Text first')
  })

  test('a HEAD request, as mail scanners send it, is no view', async () => {
    const { link, listed } = await invited(onePage)
    expect((await world.anonymous.head(link)).status).toBe(200)
    expect(await listed()).toMatchObject({ status: '' })
  })

  test('one response per code and collector, however many are sent at the same time', async () => {
    const { survey, link } = await invited(onePage)
    const pages = await Promise.all(Array.from({ length: 8 }, () => world.anonymous.get(link)))
    const sent = await Promise.all(pages.map((page, index) => sendForm(world.anonymous, page, { first: `${index}` })))
    expect(sent.map(({ status }) => status)).toEqual(Array(8).fill(303))
    expect(new Set(sent.map(({ headers }) => headers.get('location'))).size).toBe(1)
    const stored = await responsesTo(world, survey.id)
    expect(stored).toHaveLength(1)
    expect(stored[0]).toMatchObject({ completed: 1 })
  })

  test('its collector counts the response, whatever the address says', async () => {
    const { survey } = await surveyOf(world, ann, onePage)
    const uri = `/api/v2/surveys/${survey.id}/`
    const { collector } = (await ann.post(`${uri}collectors/`, { form: { name: 'Letter' } })).body
    const made = await ann.post(`${uri}invite-codes/?count=1&collector=${collector.id}`)
    await sendForm(world.anonymous, await world.anonymous.get(made.body.invites[0].invite_url), { first: 'x' })
    expect(await responsesTo(world, survey.id)).toMatchObject([{ collector_id: collector.id }])
  })

  test('one_per_invite off: every visit makes a response', async () => {
    const { survey, link, code } = await invited(onePage, { one_per_invite: false })
    for (const first of ['a', 'b']) await sendForm(world.anonymous, await world.anonymous.get(link), { first })
    expect(await responsesTo(world, survey.id)).toMatchObject([
      { answers: { first: 'a' }, invite_code: code },
      { answers: { first: 'b' }, invite_code: code },
    ])
  })

  test('an unknown code: a friendly message where the survey is by invitation, else the survey', async () => {
    const closed = await invited(onePage, { invite_only: true })
    const refused = await world.anonymous.get(`${closed.path}?code=abcdefgh`)
    expect(refused.text).toContain('The invite code in this link is not valid')
    expect((await world.anonymous.get(closed.path)).text).toContain('You need an invitation')
    expect((await world.anonymous.get(closed.link)).text).toContain('Text first')
    const open = await invited(onePage)
    for (const code of ['abcdefgh', '%00', '', `${'x'.repeat(5000)}`]) {
      const page = await world.anonymous.get(`${open.path}?code=${code}`)
      await sendForm(world.anonymous, page, { first: 'x' })
    }
    const stored = await responsesTo(world, open.survey.id)
    expect(stored).toHaveLength(4)
    expect(stored.every(({ invite_code }) => invite_code === null)).toBe(true)
  })

  test('an unknown code on an open survey is pointed out, in the language of the survey, before anything is answered', async () => {
    const { path, link, survey } = await invited(onePage)
    const NOTICE = 'We do not recognise the invite code in this link.'
    expect((await world.anonymous.get(`${path}?code=mistyped`)).text).toContain(NOTICE)
    for (const known of [path, link]) expect((await world.anonymous.get(known)).text).not.toContain(NOTICE)
    await ann.put(`/api/v3/surveys/${survey.id}/`, { form: { live: 0 } })
    expect((await world.anonymous.get(`${path}?code=mistyped`)).text).not.toContain(NOTICE)
    const languages = [{ code: 'de', name: 'Deutsch', isDefault: true }]
    const german = await invited({ ...onePage, languages })
    expect((await world.anonymous.get(`${german.path}?code=mistyped`)).text).toContain(
      'Der Einladungscode in diesem Link ist uns nicht bekannt',
    )
  })

  test('by invitation only: the form that was sent is taken', async () => {
    const { survey, link } = await invited(twoPages, { invite_only: true })
    const second = await sendForm(world.anonymous, await world.anonymous.get(link), { first: 'x' })
    expect(second.status).toBe(303)
    await sendForm(world.anonymous, await world.anonymous.get(second.headers.get('location')!), { second: 'y' })
    expect(await responsesTo(world, survey.id)).toMatchObject([{ completed: 1 }])
  })

  test('anonymous: nothing of the invitation is stored, and yet it brings one response only', async () => {
    const { survey, link, listed } = await invited(onePage, { anonymous: true })
    const pages = await Promise.all(Array.from({ length: 4 }, () => world.anonymous.get(link)))
    const sent = await Promise.all(pages.map((page) => sendForm(world.anonymous, page, { first: 'x' })))
    expect(sent.map(({ status }) => status).sort()).toEqual([303, 403, 403, 403])
    const stored = await responsesTo(world, survey.id)
    expect(stored).toMatchObject([{ invite_code: null, invite_email: null, invite_name: null }])
    const once = pages[sent.findIndex(({ status }) => status === 303)]!
    expect((await sendForm(world.anonymous, once, { first: 'twice' })).status).toBe(303)
    expect((await world.anonymous.get(link)).text).toContain('has already been used')
    await enqueue(world.context(), 'mark-used-invites', {})
    await world.runJobs()
    const { status, response_id } = await listed()
    expect({ status, response_id }).toEqual({ status: 'Completed', response_id: undefined })
    const [invite] = await world
      .em()
      .getKysely<Tables>()
      .selectFrom('invite')
      .selectAll()
      .where('survey_id', '=', survey.id)
      .execute()
    expect(String(invite!.used_on)).not.toContain(':')
  })
})
