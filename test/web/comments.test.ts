import { beforeAll, describe, expect, test } from '@jest/globals'
import { enqueueCommentEmails } from '../../src/domain/notification/comments.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const XSS = '<script>alert(1)</script>'

describe('the page of comments', () => {
  let owner: Awaited<ReturnType<typeof openBuilder>>
  let comments: string
  beforeAll(async () => {
    owner = await openBuilder(world)
    comments = `${owner.root}comments/`
  })

  test('takes a comment on a question, which the card counts and links', async () => {
    const { to } = await owner.browser.post(`${comments}?question=drink`, { text: `Juice? ${XSS}` })
    expect(to).toBe(`${comments}?question=drink`)
    const page = await owner.browser.get(to!)
    expect(page.text).toContain('Comment on “Which drink?”')
    expect(page.text).toContain('Juice? &lt;script&gt;')
    const { text } = await owner.browser.get(owner.root)
    expect(text).toContain(`<a href="${comments}?question=drink">1 comment</a>`)
    expect((await owner.browser.get(`${comments}?question=why`)).text).not.toContain('Juice?')
  })

  test('answers, resolves and opens a thread again, and keeps a reply that was typed', async () => {
    await owner.browser.post(`${comments}?page=2`, { text: 'Page two' })
    const { text } = await owner.browser.get(comments)
    expect(text).toContain('Page 2')
    const thread = /thread-(\d+)">(?:<a[^>]*>)?Page 2/.exec(text)![1]!
    await owner.browser.post(`${comments}${thread}/reply/`, { text: 'Right' })
    await owner.browser.post(`${comments}${thread}/resolve/`, { text: 'Done so', resolved: '1' })
    expect((await owner.browser.get(comments)).text).not.toContain('Page two')
    const resolved = (await owner.browser.get(`${comments}?state=resolved`)).text
    for (const shown of ['Page two', 'Right', 'Done so']) expect(resolved).toContain(shown)
    await owner.browser.post(`${comments}${thread}/resolve/`, { text: '', resolved: '0' })
    expect((await owner.browser.get(comments)).text).toContain('Page two')
  })

  test('shows a rejected text again, with the reason', async () => {
    const long = 'y'.repeat(2001)
    const rejected = await owner.browser.post(comments, { text: long })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain(`>${long}<`)
    expect(rejected.text).toContain('id="text-error"')
  })

  test('says that a question was removed', async () => {
    await owner.browser.post(`${comments}?question=milk`, { text: 'Oat?' })
    await owner.press('delete', { question: 'milk' })
    const { text } = await owner.browser.get(comments)
    expect(text).toMatch(/“Milk\?” <span class="tag open">removed/)
    expect(text).toContain('Oat?')
  })

  test('belongs to people who may see the questions', async () => {
    const stranger = await openBuilder(world)
    expect((await stranger.browser.get(comments)).status).toBe(404)
    expect((await stranger.browser.post(`${comments}1/delete/`)).status).toBe(404)
  })
})

describe('comments of people with a preview link', () => {
  let owner: Awaited<ReturnType<typeof openBuilder>>
  let open: string
  let silent: string
  beforeAll(async () => {
    owner = await openBuilder(world)
    const links = `/api/v3/surveys/${owner.id}/preview-links/`
    const create = async (json: object) => new URL((await owner.person.post(links, { json })).body.url).pathname
    open = await create({ comments: true })
    silent = await create({})
  })
  const fields = {
    _page: '1',
    drink: '2',
    why: 'Cold',
    _go: 'comment',
    _about: 'question why',
    _reviewer: 'Eve',
    _comment: XSS,
  }

  test('are stored with a name, once, and keep the answers on the page', async () => {
    const browser = new HttpBrowser(world.base)
    expect((await browser.get(open)).text).toContain('Add comment')
    const { text } = await browser.post(open, fields)
    expect(text).toContain('Your comment was added.')
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toContain(XSS)
    expect(text).toContain('value="Cold"')
    expect(text).toContain('name="_reviewer" form="preview" maxlength="80" autocomplete="name" value="Eve"')
    await browser.post(open, fields)
    const { results } = (await owner.person.get(`/api/v3/surveys/${owner.id}/comments/`)).body
    expect(results).toMatchObject([
      { question: 'why', comments: [{ author: 'Eve', reviewer: true, user_id: null, text: XSS }] },
    ])
  })

  test('show the answers of the team, but not its other comments', async () => {
    const path = `/api/v3/surveys/${owner.id}/comments/`
    await owner.person.post(path, { json: { text: 'Among us', question: 'why' } })
    const [, { id }] = (await owner.person.get(path)).body.results
    await owner.person.post(`${path}${id}/replies/`, { json: { text: 'Thank you, Eve' } })
    const { text } = await new HttpBrowser(world.base).get(open)
    expect(text).toContain('Thank you, Eve')
    expect(text).not.toContain('Among us')
  })

  test('need a name and a text, which stay in their fields', async () => {
    const { text } = await new HttpBrowser(world.base).post(open, { ...fields, _reviewer: '', _comment: 'Kept text' })
    expect(text).toContain('id="name-error"')
    expect(text).toContain('>Kept text</textarea>')
  })

  test('are not offered and not stored by a link without comments', async () => {
    const browser = new HttpBrowser(world.base)
    expect((await browser.get(silent)).text).not.toContain('Add comment')
    await browser.post(silent, { ...fields, _comment: 'Smuggled' })
    const listed = await owner.person.get(`/api/v3/surveys/${owner.id}/comments/?state=all`)
    expect(listed.text).not.toContain('Smuggled')
  })
})

describe('emails about comments', () => {
  let owner: Awaited<ReturnType<typeof openBuilder>>
  let bob: Person
  beforeAll(async () => {
    owner = await openBuilder(world)
    bob = await world.person({ name: 'Bob' })
    const group = await makeGroup(owner.person, 'Readers')
    await addMember(owner.person, group, bob, 'Test')
    await share(owner.person, owner.id, group)
    // The comments of the tests above.
    await emails()
  })

  /** Sends what is due ten minutes later. @returns the recipients and texts of the emails */
  const emails = async () => {
    const before = mailbox.messages.length
    world.now = new Date(world.now.getTime() + 600_000)
    await enqueueCommentEmails(world.context(), new AbortController().signal)
    await world.runJobs()
    return mailbox.messages.slice(before).map(({ headers, text }) => `${headers.to}\n${text}`)
  }

  test('are one for several comments, to the owner and the other people in the thread, not to the author', async () => {
    const path = `/api/v3/surveys/${owner.id}/comments/`
    const { id } = (await bob.post(path, { json: { text: 'First thought', question: 'drink' } })).body
    await bob.post(path, { json: { text: 'Second thought' } })
    const [toOwner, ...others] = await emails()
    expect(others).toEqual([])
    expect(toOwner).toContain(owner.person.actor.email)
    expect(toOwner).toContain('First thought')
    expect(toOwner).toContain('Second thought')
    await owner.person.post(`${path}${id}/replies/`, { json: { text: 'A reply' } })
    const [toBob, ...more] = await emails()
    expect(more).toEqual([])
    expect(toBob).toContain(bob.actor.email)
    expect(await emails()).toEqual([])
  })

  test('are turned off and on on the page', async () => {
    const page = `${owner.root}comments/`
    await owner.browser.post(`${page}emails/`, { emails: '0' })
    expect((await owner.browser.get(page)).text).toContain('You get no emails')
    const path = `/api/v3/surveys/${owner.id}/comments/`
    await bob.post(path, { json: { text: 'Unheard' } })
    expect(await emails()).toEqual([])
    await owner.browser.post(`${page}emails/`, { emails: '1' })
    await bob.post(path, { json: { text: 'Heard' } })
    expect(await emails()).toHaveLength(1)
  })

  test('end when a person loses the access', async () => {
    const path = `/api/v3/surveys/${owner.id}/comments/`
    const { id } = (await bob.post(path, { json: { text: 'Last words' } })).body
    await emails()
    const groups = (await owner.person.get(`/api/v3/surveys/${owner.id}/groups/`)).body.results
    await owner.person.send('DELETE', `/api/v3/surveys/${owner.id}/groups/`, { json: { group: String(groups[0].id) } })
    await owner.person.post(`${path}${id}/replies/`, { json: { text: 'Secret now' } })
    expect(await emails()).toEqual([])
    expect((await (await signInAs(bob)).get(`${owner.root}comments/`)).status).toBe(404)
  })
})
