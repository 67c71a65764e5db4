import { describe, expect, test } from '@jest/globals'
import { setMember } from '../../src/domain/group/commands.ts'
import { makeGroup } from '../support/groups.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { type ReceivedEmail, useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const withoutMailServer = useWorld({ settings: { BASE_URL: 'https://surveys.example.org' } })
const NEW = 'new secret word'

/** Submits another email address on the account page. */
const changeEmail = (
  browser: HttpBrowser,
  email: string,
  { password }: Pick<Person, 'password'>,
  headers: Record<string, string> = {},
) => browser.post('/account/', { name: '', email, current: password }, headers)

/** Runs all jobs. @returns the messages to an address */
async function messagesTo(address: string): Promise<ReceivedEmail[]> {
  await world.runJobs()
  return mailbox.sentTo(address)
}
const linkIn = ({ text }: ReceivedEmail) => /http\S+\?key=\S+/.exec(text)![0]
const keyIn = (message: ReceivedEmail) => new URL(linkIn(message)).searchParams.get('key')!
const emailOf = async (person: Person) => (await person.get(`/api/v3/users/${person.actor.id}/`)).body.email

describe('a new email address', () => {
  test('replaces the old address when it is confirmed through its link, and the old address is notified', async () => {
    const ann = await world.person({ email: 'ann@example.org' })
    const browser = await signInAs(ann)
    expect((await changeEmail(browser, 'ann@example.net', ann)).status).toBe(303)
    const page = (await browser.get('/account/')).text
    expect(page).toContain('Open the link that we sent to <strong>ann@example.net</strong>')
    expect(await emailOf(ann)).toBe('ann@example.org')
    expect((await new HttpBrowser(world.base).signIn('ann@example.net', ann.password)).status).toBe(401)

    const [notification] = await messagesTo('ann@example.org')
    expect(notification!.text).toContain('to ann@example.net. It takes effect when the new address is confirmed')
    const [message] = await messagesTo('ann@example.net')
    const link = linkIn(message!)
    const confirmation = await new HttpBrowser(world.base).get(link)
    expect([confirmation.status, confirmation.text.includes('ann@example.net')]).toEqual([200, true])
    expect(await emailOf(ann)).toBe('ann@example.org')

    const otherBrowser = new HttpBrowser(world.base)
    const key = keyIn(message!)
    expect((await otherBrowser.post('/accounts/email/', { key }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await otherBrowser.post('/accounts/email/', { key })).status).toBe(200)
    expect(await emailOf(ann)).toBe('ann@example.net')
    expect((await messagesTo('ann@example.org')).at(-1)!.text).toContain('was changed to ann@example.net')
    expect((await otherBrowser.post('/accounts/email/', { key })).status).toBe(410)
    expect((await browser.get('/account/')).text).not.toContain('Open the link')
    expect((await new HttpBrowser(world.base).signIn('ANN@example.net', ann.password)).status).toBe(303)
    expect((await new HttpBrowser(world.base).signIn('ann@example.org', ann.password)).status).toBe(401)
  })

  test('gives no access to groups before it is confirmed', async () => {
    const [owner, mallory] = [await world.person(), await world.person()]
    await changeEmail(await signInAs(mallory), 'ceo@victim.example', mallory)
    const group = await makeGroup(owner)
    const member = { email: 'ceo@victim.example', roles: 'Edit' }
    await expect(owner.act((context) => setMember(context, group, member))).rejects.toMatchObject({
      code: 'user_not_found',
    })
  })

  test('can be cancelled or replaced before it is confirmed, and expires with a new password or after a day', async () => {
    const ann = await world.person()
    const browser = await signInAs(ann)
    const otherBrowser = new HttpBrowser(world.base)
    await changeEmail(browser, 'first@example.net', ann)
    await changeEmail(browser, 'second@example.net', ann)
    const [first, second] = [(await messagesTo('first@example.net'))[0]!, (await messagesTo('second@example.net'))[0]!]
    expect((await otherBrowser.get(linkIn(first))).status).toBe(410)
    expect((await otherBrowser.get(linkIn(second))).status).toBe(200)
    await browser.get('/account/')
    expect((await browser.post('/account/email/cancel/')).status).toBe(303)
    expect((await otherBrowser.get(linkIn(second))).status).toBe(410)

    await changeEmail(browser, 'third@example.net', ann)
    const [third] = await messagesTo('third@example.net')
    await browser.post('/account/password/', { current: ann.password, password: NEW })
    expect((await otherBrowser.post('/accounts/email/', { key: keyIn(third!) })).status).toBe(410)

    await changeEmail(browser, 'fourth@example.net', { password: NEW })
    const [fourth] = await messagesTo('fourth@example.net')
    world.now = new Date(world.now.getTime() + 86_401_000)
    expect((await otherBrowser.post('/accounts/email/', { key: keyIn(fourth!) })).status).toBe(410)
  })

  test('is rejected at its confirmation if another account now uses it', async () => {
    const ann = await world.person()
    await changeEmail(await signInAs(ann), 'both@example.net', ann)
    const key = keyIn((await messagesTo('both@example.net'))[0]!)
    await world.person({ email: 'Both@example.net' })
    const reply = await new HttpBrowser(world.base).post('/accounts/email/', { key })
    expect([reply.status, reply.text.includes('already has an account')]).toEqual([400, true])
    expect(await emailOf(ann)).toBe(ann.actor.email)
  })

  test('invalidates reset links sent to the old address', async () => {
    const ann = await world.person()
    await new HttpBrowser(world.base).post('/accounts/password/', { username: ann.actor.username })
    const [reset] = await messagesTo(ann.actor.email)
    await changeEmail(await signInAs(ann), 'moved@example.net', ann)
    await new HttpBrowser(world.base).post('/accounts/email/', {
      key: keyIn((await messagesTo('moved@example.net'))[0]!),
    })
    expect((await new HttpBrowser(world.base).get(linkIn(reset!))).status).toBe(410)
  })

  test('is rejected on a server that sends no email', async () => {
    const ann = await withoutMailServer.person()
    const browser = await signInAs(ann)
    const headers = { origin: 'https://surveys.example.org' }
    const reply = await changeEmail(browser, 'new@example.net', ann, headers)
    expect([reply.status, reply.text.includes('this server does not send email')]).toEqual([422, true])
  })
})

describe('a new password', () => {
  test('is reported to the user by email after a change on the account page and after a reset', async () => {
    const ann = await world.person()
    const browser = await signInAs(ann)
    await browser.post('/account/password/', { current: ann.password, password: NEW })
    const messages = await messagesTo(ann.actor.email)
    expect(messages.map(({ headers }) => headers.subject)).toEqual(['Your password was changed'])
    await browser.post('/accounts/password/', { username: ann.actor.username })
    const key = keyIn((await messagesTo(ann.actor.email)).at(-1)!)
    await browser.post('/accounts/password/new/', { key, password: 'another secret word' })
    expect((await messagesTo(ann.actor.email)).at(-1)!.headers.subject).toBe('Your password was changed')
  })
})
