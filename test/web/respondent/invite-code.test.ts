import { beforeAll, describe, expect, test } from '@jest/globals'
import { enqueue } from '../../../src/domain/jobs.ts'
import type { SurveySettings } from '../../../src/domain/survey/settings.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const twoPages = { title: 'Tea for {{ invite.name }}', form: [pageOf(text('first')), pageOf(text('second'))] }
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

/** Creates a survey with an invite code. @returns also a function that reads the code from the API */
async function createInvitedSurvey(structure: object, settings: Partial<SurveySettings> = {}) {
  const { survey, path } = await addSurvey(ann, structure, settings)
  const uri = `/api/v3/surveys/${survey.id}/invite_codes/`
  const [{ invite_url: link, code }] = (await ann.post(uri, { form: { count: 1 } })).body.results
  return { survey, path, link, code, readCode: async () => (await ann.get(uri)).body.results[0] }
}

describe('an invite code [spec 13.2]', () => {
  test('has the status Viewed after a visit, Incomplete after a page, and Completed with the response after the last page [spec 9.2]', async () => {
    const { survey, link, code, readCode } = await createInvitedSurvey(twoPages)
    const first = await world.anonymous.get(link)
    expect(first.status).toBe(200)
    expect(await readCode()).toMatchObject({ status: 'Viewed' })
    await submitForm(world.anonymous, first, { first: 'a' })
    expect(await readCode()).toMatchObject({ status: 'Incomplete' })
    const [stored] = await storedResponses(world, survey.id)
    expect(stored).toMatchObject({ invite_code: code, invite_email: null, completed: 0 })

    const secondVisit = await world.anonymous.get(link)
    expect(secondVisit.status).toBe(303)
    const second = await world.anonymous.get(secondVisit.headers.get('location')!)
    expect(second.text).toContain('Text second')
    await submitForm(world.anonymous, second, { second: 'b' })
    const [complete, ...others] = await storedResponses(world, survey.id)
    expect(others).toEqual([])
    expect(complete).toMatchObject({ answers: { first: 'a', second: 'b' }, completed: 1 })
    expect(await readCode()).toMatchObject({
      code,
      invite_url: link,
      status: 'Completed',
      response: complete!.id,
      response_uri: `${world.base}/api/v3/surveys/${survey.id}/responses/${complete!.id}/`,
    })
    const thanks = await world.anonymous.get((await world.anonymous.get(link)).headers.get('location')!)
    expect(thanks.text).toContain('Thank you!')
    expect(thanks.text).not.toContain('Text first')
  })

  test.each([
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])('is not viewed by a browser that loads the page in advance (%s: %s)', async (name, value) => {
    const { link, readCode } = await createInvitedSurvey(onePage)
    const page = await world.anonymous.get(link, { headers: { [name]: value } })
    expect(page.text).toContain('Text first')
    expect(await readCode()).toMatchObject({ status: '' })
    await world.anonymous.get(link)
    expect(await readCode()).toMatchObject({ status: 'Viewed' })
  })

  test.each(['.', '%3E', '%20', '%3E.', ')', '%E2%80%8B'])('is recognised with “%s” after it', async (stray) => {
    const { link, readCode } = await createInvitedSurvey(onePage)
    const { text: page } = await world.anonymous.get(`${link}${stray}`)
    expect(page).not.toContain('do not recognise the invite code')
    expect(await readCode()).toMatchObject({ status: 'Viewed' })
  })

  test('is recognised between characters of a mail program, and not inside other text', async () => {
    const { path, code, readCode } = await createInvitedSurvey(onePage)
    expect((await world.anonymous.get(`${path}?code=x${code}`)).text).toContain('do not recognise the invite code')
    expect(await readCode()).toMatchObject({ status: '' })
    const first = await world.anonymous.get(`${path}?code=%3C${code}%3E`)
    await submitForm(world.anonymous, first, { first: 'a' })
    expect(await readCode()).toMatchObject({ status: 'Completed' })
  })

  test('is recognised in upper and lower case, unless two codes differ in nothing else [spec 9.1]', async () => {
    const { survey, path, code, readCode } = await createInvitedSurvey(onePage)
    for (const spelling of [code.toLowerCase(), code.toUpperCase()]) {
      const page = await world.anonymous.get(`${path}?code=${spelling}`)
      expect(page.text).not.toContain('do not recognise the invite code')
    }
    expect(await readCode()).toMatchObject({ status: 'Viewed' })
    await submitForm(world.anonymous, await world.anonymous.get(`${path}?code=${code.toLowerCase()}`), { first: 'a' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ invite_code: code }])
    const invites = world.em().getKysely<Tables>()
    const { collector_id } = await invites
      .selectFrom('invite')
      .select('collector_id')
      .where('survey_id', '=', survey.id)
      .executeTakeFirstOrThrow()
    await invites
      .insertInto('invite')
      .values(
        ['ABCDefgh', 'abcdEFGH'].map((one) => ({
          survey_id: survey.id,
          collector_id,
          code: one,
          created_at: world.now,
        })),
      )
      .execute()
    expect((await world.anonymous.get(`${path}?code=abcdefgh`)).text).toContain('do not recognise the invite code')
    expect((await world.anonymous.get(`${path}?code=abcdEFGH`)).text).not.toContain('do not recognise')
  })

  test('is not marked as viewed by a HEAD request, which mail scanners send', async () => {
    const { link, readCode } = await createInvitedSurvey(onePage)
    expect((await world.anonymous.head(link)).status).toBe(200)
    expect(await readCode()).toMatchObject({ status: '' })
  })

  test('creates one response from concurrent submissions [spec 9.1]', async () => {
    const { survey, link } = await createInvitedSurvey(onePage)
    const pages = await Promise.all(Array.from({ length: 8 }, () => world.anonymous.get(link)))
    const replies = await Promise.all(
      pages.map((page, index) => submitForm(world.anonymous, page, { first: `${index}` })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(303))
    expect(new Set(replies.map(({ headers }) => headers.get('location'))).size).toBe(1)
    const stored = await storedResponses(world, survey.id)
    expect(stored).toHaveLength(1)
    expect(stored[0]).toMatchObject({ completed: 1 })
  })

  test('stores the response under the collector of the code', async () => {
    const { survey } = await addSurvey(ann, onePage)
    const uri = `/api/v3/surveys/${survey.id}/`
    const collector = (await ann.post(`${uri}collectors/`, { form: { name: 'Post' } })).body.id
    const { body } = await ann.post(`${uri}invite_codes/`, { form: { count: 1, collector } })
    await submitForm(world.anonymous, await world.anonymous.get(body.results[0].invite_url), { first: 'x' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ collector_id: collector }])
  })

  test('creates a response at every visit if one_per_invite is off', async () => {
    const { survey, link, code } = await createInvitedSurvey(onePage, { one_per_invite: false })
    for (const first of ['a', 'b']) await submitForm(world.anonymous, await world.anonymous.get(link), { first })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { first: 'a' }, invite_code: code },
      { answers: { first: 'b' }, invite_code: code },
    ])
  })

  test('is rejected if it is unknown and invite_only is on; without invite_only, an unknown code is ignored', async () => {
    const closed = await createInvitedSurvey(onePage, { invite_only: true })
    const rejected = await world.anonymous.get(`${closed.path}?code=abcdefgh`)
    expect(rejected.text).toContain('The invite code in this link is not valid')
    expect((await world.anonymous.get(closed.path)).text).toContain('You need an invitation')
    expect((await world.anonymous.get(closed.link)).text).toContain('Text first')
    const open = await createInvitedSurvey(onePage)
    for (const code of ['abcdefgh', '%00', '', `${'x'.repeat(5000)}`]) {
      const page = await world.anonymous.get(`${open.path}?code=${code}`)
      await submitForm(world.anonymous, page, { first: 'x' })
    }
    const stored = await storedResponses(world, open.survey.id)
    expect(stored).toHaveLength(4)
    expect(stored.every(({ invite_code }) => invite_code === null)).toBe(true)
  })

  test('is reported on the first page, in the language of the survey, if it is unknown and the survey is open', async () => {
    const { path, link, survey } = await createInvitedSurvey(onePage)
    const UNKNOWN_CODE = 'We do not recognise the invite code in this link.'
    expect((await world.anonymous.get(`${path}?code=mistyped`)).text).toContain(UNKNOWN_CODE)
    for (const address of [path, link]) expect((await world.anonymous.get(address)).text).not.toContain(UNKNOWN_CODE)
    await ann.put(`/api/v3/surveys/${survey.id}/`, { form: { live: 0 } })
    expect((await world.anonymous.get(`${path}?code=mistyped`)).text).not.toContain(UNKNOWN_CODE)
    const languages = [{ code: 'de', name: 'Deutsch', isDefault: true }]
    const german = await createInvitedSurvey({ ...onePage, languages })
    expect((await world.anonymous.get(`${german.path}?code=mistyped`)).text).toContain(
      'Der Einladungscode in diesem Link ist uns nicht bekannt',
    )
  })

  test('gives access to every page if invite_only is on', async () => {
    const { survey, link } = await createInvitedSurvey(twoPages, { invite_only: true })
    const second = await submitForm(world.anonymous, await world.anonymous.get(link), { first: 'x' })
    expect(second.status).toBe(303)
    await submitForm(world.anonymous, await world.anonymous.get(second.headers.get('location')!), { second: 'y' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1 }])
  })

  test('is not stored with an anonymous response, and still allows only one complete response', async () => {
    const { survey, link, readCode } = await createInvitedSurvey(onePage, { anonymous: true })
    const pages = await Promise.all(Array.from({ length: 4 }, () => world.anonymous.get(link)))
    const replies = await Promise.all(pages.map((page) => submitForm(world.anonymous, page, { first: 'x' })))
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303, 303])
    const stored = await storedResponses(world, survey.id)
    expect(stored.map(({ completed }) => completed).sort()).toEqual([0, 0, 0, 1])
    for (const response of stored)
      expect(response).toMatchObject({ invite_code: null, invite_email: null, invite_name: null })
    await enqueue(world.context(), 'mark-used-invites', {})
    await world.runJobs()
    expect(await readCode()).toMatchObject({ status: 'Completed', response: null })
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
