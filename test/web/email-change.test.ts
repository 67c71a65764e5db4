import { describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { type ReceivedEmail, useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const mute = useWorld({ settings: { BASE_URL: 'https://surveys.example.org' } })
const NEW = 'new secret word'

async function signedIn(person: Person): Promise<Visitor> {
  const browser = new Visitor(person.base)
  await browser.signIn(person.actor.username, person.password)
  return browser
}

/** Enters another address on the account page. */
const enter = (
  browser: Visitor,
  email: string,
  { password }: Pick<Person, 'password'>,
  headers: Record<string, string> = {},
) => browser.post('/account/', { name: '', email, current: password }, headers)

/** The messages to an address, once the jobs are done. */
async function mailTo(address: string): Promise<ReceivedEmail[]> {
  await world.runJobs()
  return mailbox.sentTo(address)
}
const linkIn = ({ text }: ReceivedEmail) => /http\S+\?key=\S+/.exec(text)![0]
const keyIn = (message: ReceivedEmail) => new URL(linkIn(message)).searchParams.get('key')!
const emailOf = async (person: Person) => (await person.get('/api/v2/me')).body.user.email

describe('a new email address', () => {
  test('replaces the old one when its owner opens the confirmation link; the old address is notified', async () => {
    const ann = await world.person({ email: 'ann@example.org' })
    const browser = await signedIn(ann)
    expect((await enter(browser, 'ann@example.net', ann)).status).toBe(303)
    const page = (await browser.get('/account/')).text
    expect(page).toContain('Open the link that we sent to <strong>ann@example.net</strong>')
    expect(await emailOf(ann)).toBe('ann@example.org')
    expect((await new Visitor(world.base).signIn('ann@example.net', ann.password)).status).toBe(401)

    const [told] = await mailTo('ann@example.org')
    expect(told!.text).toContain('to ann@example.net. It takes effect when the new address is confirmed')
    const [message] = await mailTo('ann@example.net')
    const link = linkIn(message!)
    const shown = await new Visitor(world.base).get(link)
    expect([shown.status, shown.text.includes('ann@example.net')]).toEqual([200, true])
    expect(await emailOf(ann)).toBe('ann@example.org')

    const elsewhere = new Visitor(world.base)
    const key = keyIn(message!)
    expect((await elsewhere.post('/accounts/email/', { key }, { origin: 'https://evil.example' })).status).toBe(410)
    expect((await elsewhere.post('/accounts/email/', { key })).status).toBe(200)
    expect(await emailOf(ann)).toBe('ann@example.net')
    expect((await mailTo('ann@example.org')).at(-1)!.text).toContain('was changed to ann@example.net')
    expect((await elsewhere.post('/accounts/email/', { key })).status).toBe(410)
    expect((await browser.get('/account/')).text).not.toContain('Open the link')
    expect((await new Visitor(world.base).signIn('ANN@example.net', ann.password)).status).toBe(303)
    expect((await new Visitor(world.base).signIn('ann@example.org', ann.password)).status).toBe(401)
  })

  test('gives no access meant for its owner before it is confirmed', async () => {
    const [owner, mallory] = [await world.person(), await world.person()]
    await enter(await signedIn(mallory), 'ceo@victim.example', mallory)
    const { body: group } = await owner.post('/api/v2/groups/', { json: { name: 'Board' } })
    const added = await owner.post(`/api/v2/groups/${group.id}/users/`, {
      json: { email: 'ceo@victim.example', roles: ['Edit'] },
    })
    expect(added.status).toBe(404)
  })

  test('can be cancelled or replaced, and expires with a new password or after a day', async () => {
    const ann = await world.person()
    const browser = await signedIn(ann)
    const visitor = new Visitor(world.base)
    await enter(browser, 'first@example.net', ann)
    await enter(browser, 'second@example.net', ann)
    const [first, second] = [(await mailTo('first@example.net'))[0]!, (await mailTo('second@example.net'))[0]!]
    expect((await visitor.get(linkIn(first))).status).toBe(410)
    expect((await visitor.get(linkIn(second))).status).toBe(200)
    await browser.get('/account/')
    expect((await browser.post('/account/email/cancel/')).status).toBe(303)
    expect((await visitor.get(linkIn(second))).status).toBe(410)

    await enter(browser, 'third@example.net', ann)
    const [third] = await mailTo('third@example.net')
    await browser.post('/account/password/', { current: ann.password, password: NEW })
    expect((await visitor.post('/accounts/email/', { key: keyIn(third!) })).status).toBe(410)

    await enter(browser, 'fourth@example.net', { password: NEW })
    const [fourth] = await mailTo('fourth@example.net')
    world.now = new Date(world.now.getTime() + 86_401_000)
    expect((await visitor.post('/accounts/email/', { key: keyIn(fourth!) })).status).toBe(410)
  })

  test('is rejected if another account has taken it meanwhile', async () => {
    const ann = await world.person()
    await enter(await signedIn(ann), 'both@example.net', ann)
    const key = keyIn((await mailTo('both@example.net'))[0]!)
    await world.person({ email: 'Both@example.net' })
    const reply = await new Visitor(world.base).post('/accounts/email/', { key })
    expect([reply.status, reply.text.includes('already has an account')]).toEqual([400, true])
    expect(await emailOf(ann)).toBe(ann.actor.email)
  })

  test('invalidates reset links sent to the old address', async () => {
    const ann = await world.person()
    await new Visitor(world.base).post('/accounts/password/', { username: ann.actor.username })
    const [reset] = await mailTo(ann.actor.email)
    await enter(await signedIn(ann), 'moved@example.net', ann)
    await new Visitor(world.base).post('/accounts/email/', { key: keyIn((await mailTo('moved@example.net'))[0]!) })
    expect((await new Visitor(world.base).get(linkIn(reset!))).status).toBe(410)
  })

  test('is rejected on a server that sends no email', async () => {
    const ann = await mute.person()
    const browser = await signedIn(ann)
    const headers = { origin: 'https://surveys.example.org' }
    const refused = await enter(browser, 'new@example.net', ann, headers)
    expect([refused.status, refused.text.includes('this server does not send email')]).toEqual([422, true])
  })
})

describe('a new password', () => {
  test('is notified by email, however it was changed', async () => {
    const ann = await world.person()
    const browser = await signedIn(ann)
    await browser.post('/account/password/', { current: ann.password, password: NEW })
    const told = await mailTo(ann.actor.email)
    expect(told.map(({ headers }) => headers.subject)).toEqual(['Your password was changed'])
    await browser.post('/accounts/password/', { username: ann.actor.username })
    const key = keyIn((await mailTo(ann.actor.email)).at(-1)!)
    await browser.post('/accounts/password/new/', { key, password: 'another secret word' })
    expect((await mailTo(ann.actor.email)).at(-1)!.headers.subject).toBe('Your password was changed')
  })
})
