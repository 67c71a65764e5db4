import { describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const INVITATION = {
  subject: 'Tea?',
  sender: 'Ann <ann@example.org>',
  message: '[Invite Link]',
  name: 'Bob',
  email: 'bob@example.net',
}
const survey = async (ann: Person) =>
  (await addSurvey(ann, { title: 'Tea', form: [pageOf(text('q'))] })).survey.id as number
const invite = (ann: Person, id: number, more = {}) =>
  ann.post(`/api/v3/surveys/${id}/invites/`, { json: { ...INVITATION, ...more } })

describe('a server on this machine without a mail server', () => {
  const world = useWorld()

  test('keeps invitations in the development mailbox, and says on the pages of invitations that no one receives them', async () => {
    const ann = await world.person()
    const id = await survey(ann)
    expect((await invite(ann, id)).status).toBe(201)
    await world.runJobs()
    const browser = await signInAs(ann)
    const root = `/account/surveys/${id}/invitations/`
    const list = await browser.get(root)
    const [, email] = new RegExp(`${root}(\\d+)/`).exec(list.text)!
    for (const path of ['', 'new/', `${email}/`, `${email}/remind/`])
      expect([path, (await browser.get(root + path)).text]).toEqual([
        path,
        expect.stringContaining('Messages are kept in the <a href="/dev/outbox/">development mailbox</a>'),
      ])
    const page = (await browser.get(`${root}${email}/`)).text
    expect(page).toContain('<th scope="row">Kept, not sent</th><td>1</td>')
    expect(page).toContain('1 of 1 kept, none sent')
    for (const text of [page, (await browser.get(root)).text])
      expect(text).not.toMatch(/>Sent<|>Accepted<|>Delivered<| sent <time/)
  })
})

describe('a public server without a mail server', () => {
  const world = useWorld({ settings: { BASE_URL: 'https://surveys.example.org' } })

  test.each([{}, { scheduled: '1d' }])('sends and schedules no invitation (%j)', async (more) => {
    const ann = await world.person()
    const id = await survey(ann)
    expect(await invite(ann, id, more)).toMatchObject({
      status: 400,
      body: {
        errors: [{ field: 'email', code: 'email_unavailable', message: expect.stringMatching(/no mail server/) }],
      },
    })
    expect((await ann.get(`/api/v3/surveys/${id}/invites/`)).body.count).toBe(0)
  })
})
