import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type ReceivedEmail, useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: { id: number; deploy_uri: string }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea' } })).body
})
beforeEach(() => {
  mailbox.messages = []
})

const draftOf = (message: string) => ({ subject: 'Tea?', sender: 'Ann <ann@example.org>', message })
const create = (message: string) => ann.post(`/api/v2/emails/?survey=${survey.id}`, { json: draftOf(message) })

let count = 0
/** Sends a message to one new contact through the mail server. @returns what arrived, and the link in it */
async function sent(message: string, contact: object = {}): Promise<ReceivedEmail & { link: string; way: string }> {
  count += 1
  const { recipients_uri, send_uri } = (await create(message)).body
  const json = { name: 'Bob Brown', email: `bob${count}@example.net`, ...contact }
  const { id } = (await ann.post('/api/v3/contacts/', { json })).body
  expect((await ann.post(recipients_uri, { json: { contacts: [id] } })).status).toBe(200)
  await ann.post(send_uri)
  await world.runJobs()
  const [taken] = mailbox.messages as [ReceivedEmail]
  const link = /http:\/\/\S+?\?code=\w{8}/.exec(taken.text)![0]
  return { ...taken, link, way: taken.headers['list-unsubscribe']!.slice(1, -1) }
}
const bodyOf = (html: string) => /<body>\n([\s\S]*)<\/body>/.exec(html)![1]!

describe('a message of HTML', () => {
  test('of the official PHP sample arrives with its line breaks, and as text without a tag', async () => {
    const message =
      'Hello [Full Name]<br /><br />, please take our survey:<br /><br /><a href="[Invite Link]">Click here</a><br />Thanks'
    const { html, text, link, way, headers } = await sent(message)
    expect(headers['content-type']).toMatch(/^multipart\/alternative/)
    const said = 'Hello Bob Brown<br /><br />, please take our survey:<br /><br />'
    expect(bodyOf(html)).toMatch(`${said}<a href="${link}">Click here</a><br />Thanks<hr>`)
    expect(text).toMatch(`Hello Bob Brown\n\n, please take our survey:\n\nClick here <${link}>\nThanks\n\n-- \n`)
    expect(text).not.toMatch(/<(?!http)/)
    expect(html).toContain(way)
    expect(text).toContain(way)
  })

  test('loses what runs, loads or leads astray, and keeps its text and its looks', async () => {
    const { html } = await sent(
      `<!DOCTYPE html><html><head><title>x</title><style>p{}</style></head><body onload="evil()">
<p style="color:#c00;position:fixed;background:url(http://evil.example/)" onclick="evil()">Dear <b>[Full Name]</b></p>
<script>evil()</script><iframe src="http://evil.example/"></iframe><form action="/x"><input name="y"></form>
<a href="javascript:evil()">one</a> <a href=" JaVaScRiPt:evil()">two</a> <a href="data:text/html,x">three</a>
<img src="https://example.org/logo.png" alt="Logo" onerror="evil()"><img src="data:image/png;base64,AA">
<a href="[Invite Link]">Start</a></body></html>`,
    )
    expect(html).not.toMatch(/evil|javascript|<script|<iframe|<form|<input|data:|position|<style|p\{\}/i)
    expect(html).toContain('<p style="color:#c00">Dear <b>Bob Brown</b></p>')
    expect(html).toContain('<img src="https://example.org/logo.png" alt="Logo" />')
    expect(html).toContain('<a>one</a> <a>two</a> <a>three</a>')
  })

  test('takes values as text, inside attributes too', async () => {
    const { html, text, link } = await sent(
      `<p title="[Full Name]">[Full Name], [Custom:R&D]</p><a href="[Custom:site]">site</a><a href=[Invite Link]>go</a> <a href="[Invite%20Link]">start</a> <a href="[Invite Link]" title='[Custom:R&D]'>there</a>`,
      {
        name: `"><script>evil()</script>`,
        'R&D': `' onclick='evil()' <b>x</b> & co`,
        site: 'javascript:evil()',
      },
    )
    const name = '&lt;script&gt;evil()&lt;/script&gt;'
    expect(html).toContain(
      `<p title="&quot;&gt;${name}">"&gt;${name}, ' onclick='evil()' &lt;b&gt;x&lt;/b&gt; &amp; co</p>`,
    )
    expect(html).toContain(`<a>site</a><a href="${link}">go</a> <a href="${link}">start</a>`)
    expect(html).toContain(`<a href="${link}" title="' onclick='evil()' &lt;b&gt;x&lt;/b&gt; &amp; co">there</a>`)
    expect(html).not.toMatch(/<script|javascript/)
    expect(text).toContain(`"><script>evil()</script>, ' onclick='evil()' <b>x</b> & co`)
  })

  test('with inline tags alone keeps its line breaks', async () => {
    const { html, text, link } = await sent('Hello <b>[Full Name]</b>\n\nPlease come:\n[Invite Link]')
    expect(html).toMatch(/Hello <b>Bob Brown<\/b><br \/>\s*<br \/>\s*Please come:<br \/>/)
    expect(text).toMatch(`Hello Bob Brown\n\nPlease come:\n${link}`)
  })

  test('that has a way out of its own gets no second one', async () => {
    const { html, way } = await sent('<p><a href="[Invite Link]">Go</a> <a href="[Unsubscribe Link]">No more</a></p>')
    expect(html).toContain(`<a href="${way}">No more</a>`)
    expect(html).not.toContain('<hr>')
  })

  test('with its way out in a comment still gets the footer', async () => {
    const { html, way } = await sent('<p><!-- [Unsubscribe Link] --><a href="[Invite Link]">Go</a></p>')
    expect(bodyOf(html)).toMatch(/^<p><a [^>]*>Go<\/a><\/p><hr>/)
    expect(html).toContain(way)
  })

  test.each([
    ['a comment', '<p>Come</p><!-- [Invite Link] -->'],
    ['a script', '<p>Come</p><script>"[Invite Link]"</script>'],
    ['an attribute that is not kept', '<p onclick="[Invite Link]">Come</p>'],
  ])('is refused where its invite link stands only in %s', async (_, message) => {
    const { status, body } = await create(message)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.description).toMatch(/message: must contain \[Invite Link\]/)
  })

  test('of absurd depth is sent all the same', async () => {
    const { text } = await sent(`${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}<p>[Invite Link]</p>`)
    expect(text).toContain('?code=')
  })
})

describe('a message of plain text', () => {
  test('is set with a button where the link stands on a line of its own', async () => {
    const { html, text, link } = await sent('Dear [Full Name],\n\n[Invite Link]\n\nBye & thanks')
    expect(html).toMatch(
      /<p>Dear Bob Brown,<\/p>\s*<p [^>]*><a href="[^"]+" style="[^"]+"><span lang="en">Take the survey<\/span><\/a><\/p>\s*<p>Bye &amp; thanks<\/p>/,
    )
    expect(html.split(link)).toHaveLength(2)
    expect(text).toMatch(`Dear Bob Brown,\n\n${link}\n\nBye & thanks\n\n-- \n`)
  })

  test('keeps a link in a sentence, and has the button at its end', async () => {
    const { html, link } = await sent('Come to [Invite Link] soon.')
    expect(html).toContain(`<p>Come to <a href="${link}">${link}</a> soon.</p>`)
    expect(html.indexOf('Take the survey')).toBeGreaterThan(html.indexOf('soon.'))
  })

  test.each(['Write to Ann <ann@example.org>', 'if a <b and c> d', 'x < y > z', '<3 <- ->'])(
    'holds %p as it is written',
    async (said) => {
      const { html, text } = await sent(`${said}\n[Invite Link]`)
      expect(text).toContain(said)
      expect(html).toContain(said.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    },
  )
})
