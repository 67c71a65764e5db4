import { beforeAll, describe, expect, test } from '@jest/globals'
import { enqueue } from '../../../src/domain/jobs.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import type { Reply } from '../../support/client.ts'
import { addSurvey, formAction, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const onePage = { title: 'Tea', form: [pageOf(text('first'))] }
const twoPages = { title: 'Tea', form: [pageOf(text('first')), pageOf(text('second'))] }

/** Creates an anonymous survey with invite codes. */
async function createInvitedSurvey(count: number, structure: object = onePage, settings: object = {}) {
  const { survey, path } = await addSurvey(ann, structure)
  const api = `/api/v3/surveys/${survey.id}/`
  expect((await ann.put(`${api}settings/`, { json: { anonymous: true, ...settings } })).status).toBe(200)
  const { body } = await ann.post(`${api}invite_codes/`, { form: { count } })
  const links: string[] = body.results.map(({ invite_url }: { invite_url: string }) => invite_url)
  return { survey, path, api, links, codes: links.map((link) => new URL(link).searchParams.get('code')!) }
}

/** Opens a link and answers all pages. @returns the reply to the last page */
async function answerAll(link: string, pages: object[]): Promise<Reply> {
  let reply = await world.anonymous.get(link)
  for (const answers of pages) {
    const location = reply.headers.get('location')
    if (location) reply = await world.anonymous.get(location)
    reply = await submitForm(world.anonymous, reply, answers as Record<string, string>)
  }
  return reply
}

/** Returns what a visitor can see of a reply: status, headers and text, without random keys, times and request ids. */
const visible = ({ status, headers, text: body }: Reply) => ({
  status,
  location: (headers.get('location') ?? '').replaceAll(/[0-9a-f]{40}/g, 'KEY'),
  headers: [...headers].map(([name]) => name).sort(),
  body: body.replaceAll(/[0-9a-f]{40}/g, 'KEY').replaceAll(/name="_started" value="\d+"/g, 'STARTED'),
})

describe('watching an anonymous survey with all invite codes', () => {
  test('does not show which code was used: pages, statuses, figures and reminders are the same before and after a response, until the next full hour', async () => {
    world.now = new Date('2026-03-02T10:20:30.400Z')
    const { survey, api } = await createInvitedSurvey(1)
    const contacts: number[] = []
    for (const name of ['Ann', 'Ben', 'Cid', 'Dora', 'Emil'])
      contacts.push((await ann.post('/api/v3/contacts/', { json: { name, email: `${name}@example.org` } })).body.id)
    const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: '[Invite Link]' }
    const { body: mail } = await ann.post(`${api}invites/`, { json: { ...json, contacts: contacts.join(',') } })
    await world.runJobs()
    const codes: string[] = (await ann.get(`${api}invites/`)).body.results.map(({ code }: { code: string }) => code)
    expect(codes).toHaveLength(5)
    const links = codes.map((code) => `/surveys/${ann.actor.username}/${survey.slug}/?code=${code}`)
    const observe = async () => {
      const pages: object[] = []
      for (const [index, link] of links.entries())
        for (const reply of [await world.anonymous.get(link), await world.anonymous.head(link)])
          pages.push(JSON.parse(JSON.stringify(visible(reply)).replaceAll(codes[index]!, 'CODE')))
      const lists = []
      for (const path of [
        `${api}invites/`,
        `${api}invite_codes/`,
        `/api/v3/contacts/?survey=${survey.id}`,
        `${api}emails/${mail.email}/`,
      ])
        lists.push((await ann.get(path)).body)
      return { pages, lists }
    }
    const before = await observe()
    for (const page of before.pages) expect(before.pages.slice(0, 2)).toContainEqual(page)
    expect(before.lists[3].funnel).toMatchObject({ recipients: 5, opened: 0, completed: 0 })
    for (const index of [3, 0, 4]) {
      expect((await answerAll(links[index]!, [{ first: `by ${index}` }])).status).toBe(303)
      world.now = new Date(world.now.getTime() + 600)
      expect(await observe()).toEqual(before)
    }
    expect(await storedResponses(world, survey.id)).toHaveLength(3)
    const remind = () => ann.post(`/api/v2/emails/${mail.email}/reminder/`)
    expect((await remind()).body).toMatchObject({ num_recipients: 5 })
    world.now = new Date('2026-03-02T11:00:00Z')
    await enqueue(world.context(), 'mark-used-invites', {})
    await world.runJobs()
    const { pages, lists } = await observe()
    expect(pages).toEqual(before.pages)
    expect(lists[0].results.map(({ status }: { status: string }) => status)).toEqual([
      'Completed',
      'Sent',
      'Sent',
      'Completed',
      'Completed',
    ])
    expect((await remind()).body).toMatchObject({ num_recipients: 2 })
  })

  test('does not show it by submitting pages: a used code gets the same replies as an unused one', async () => {
    const { survey, links } = await createInvitedSurvey(3, twoPages)
    await answerAll(links[0]!, [{ first: 'a' }, { second: 'b' }])
    const walk = async (link: string) => {
      const seen = []
      let reply = await world.anonymous.get(link)
      for (const answers of [{ first: 'x' }, { second: 'y' }] as Record<string, string>[]) {
        reply = await submitForm(world.anonymous, reply, answers)
        seen.push(visible(reply))
        reply = await world.anonymous.get(reply.headers.get('location')!)
        seen.push(visible(reply))
      }
      return { seen, address: reply }
    }
    const [used, unused] = [await walk(links[0]!), await walk(links[1]!)]
    const codeless = (walked: object) => JSON.stringify(walked).replaceAll(/code=\w{8}/g, 'code=CODE')
    expect(codeless(used.seen)).toBe(codeless(unused.seen))
    expect(used.seen.at(-1)!.body).toContain('Thank you!')
    const stored = await storedResponses(world, survey.id)
    expect(stored.map(({ completed, pagepath }) => ({ completed, pagepath }))).toEqual([
      { completed: 1, pagepath: '1,2' },
      { completed: 0, pagepath: '1,2,0' },
      { completed: 1, pagepath: '1,2' },
    ])
    expect(stored[1]).toMatchObject({ answers: { first: 'x', second: 'y' } })
  })

  test('does not show it by the message of a full quota, and a repeated page changes nothing', async () => {
    const quotas = [{ name: 'all', limit: 1, action: 'terminate', message: 'Enough answers' }]
    const structure = { title: 'Tea', form: [pageOf(single('pick', ['a', 'b']))], quotas }
    const { survey, links } = await createInvitedSurvey(3, structure)
    const replies = []
    for (const index of [0, 0, 1]) {
      const page = await world.anonymous.get(links[index]!)
      const reply = await submitForm(world.anonymous, page, { pick: '0' })
      replies.push((await world.anonymous.get(reply.headers.get('location')!)).text.includes('Enough answers'))
      expect((await submitForm(world.anonymous, page, { pick: '1' })).headers.get('location')).toContain('/surveys/')
    }
    expect(replies).toEqual([false, true, true])
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { pick: 0 } },
      { completed: 0, answers: { pick: 0 } },
      { completed: 2, answers: { pick: 0 } },
    ])
  })
})

describe('an invitation to an anonymous survey', () => {
  test('is needed for every page of a survey that requires invitations, and is used up by the last page', async () => {
    const { survey, path, links, codes } = await createInvitedSurvey(2, twoPages, { invite_only: true })
    const first = await world.anonymous.get(links[0]!)
    const toSecond = (await submitForm(world.anonymous, first, { first: 'a' })).headers.get('location')!
    expect(toSecond).toContain(`code=${codes[0]}`)
    const second = await world.anonymous.get(toSecond)
    const withoutCode = toSecond.replace(/[?&]code=\w+/, '')
    expect((await world.anonymous.get(withoutCode)).text).toContain('You need an invitation')
    const action = formAction(second).replace(/[?&]code=\w+/, '')
    const refused = await world.anonymous.post(action, { form: { _page: '2', _go: 'next', second: 'b' } })
    expect(refused.status).toBe(403)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 0 }])
    // Until the last page, the invitation begins further responses.
    expect((await world.anonymous.get(links[0]!)).text).toContain('Text first')
    expect((await submitForm(world.anonymous, second, { second: 'b' })).status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, invite_code: null }])
    expect((await world.anonymous.get(path)).text).toContain('You need an invitation')
  })

  test('is kept by the link to saved answers, and by a page with errors', async () => {
    const structure = { title: 'Tea', form: [pageOf(text('first')), pageOf(text('second', { required: true }))] }
    const { survey, links, codes } = await createInvitedSurvey(1, structure, { invite_only: true })
    const first = await world.anonymous.get(links[0]!)
    const saved = await submitForm(world.anonymous, first, { first: 'a', _go: 'later' })
    const page = await world.anonymous.get(saved.headers.get('location')!)
    expect(page.text).toContain('Your answers have been saved')
    const link = /<a class="address"[^>]* href="([^"]*)"/.exec(page.text)![1]!
    expect(link).toContain(codes[0])
    const again = await world.anonymous.get(link)
    const toSecond = await submitForm(world.anonymous, again, { first: 'a' })
    const second = await world.anonymous.get(toSecond.headers.get('location')!)
    const wrong = await submitForm(world.anonymous, second, { second: '' })
    expect((await submitForm(world.anonymous, wrong, { second: 'b' })).status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1 }])
  })

  test('is not used up by a page that the full survey does not accept', async () => {
    const { survey, api, links } = await createInvitedSurvey(2, onePage)
    await ann.put(`${api}settings/`, { json: { max_responses: 1 } })
    const pages = [await world.anonymous.get(links[0]!), await world.anonymous.get(links[1]!)]
    await Promise.all(pages.map((page) => submitForm(world.anonymous, page, { first: 'x' })))
    const used = await world
      .em()
      .getKysely<Tables>()
      .selectFrom('used_invite')
      .select('hash')
      .where('survey_id', '=', survey.id)
      .execute()
    expect(used).toHaveLength(1)
  })

  test('that was used before the survey became anonymous does not bring a second complete response, and the response in progress can be completed', async () => {
    const { survey, path } = await addSurvey(ann, twoPages, { invite_only: true })
    const api = `/api/v3/surveys/${survey.id}/`
    const { body } = await ann.post(`${api}invite_codes/`, { form: { count: 1 } })
    const link: string = body.results[0].invite_url
    const toSecond = (await submitForm(world.anonymous, await world.anonymous.get(link), { first: 'a' })).headers.get(
      'location',
    )!
    expect((await ann.put(`${api}settings/`, { json: { anonymous: true } })).status).toBe(200)
    await submitForm(world.anonymous, await world.anonymous.get(toSecond), { second: 'b' })
    await answerAll(link, [{ first: 'c' }, { second: 'd' }])
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { first: 'a', second: 'b' } },
      { completed: 0, answers: { first: 'c', second: 'd' } },
    ])
    expect(path).toContain('/surveys/')
  })
})
