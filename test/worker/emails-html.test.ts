import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createDraft, sendDraft } from '../support/emails.ts'
import { type ReceivedEmail, useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: number
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann)
})
beforeEach(() => {
  mailbox.messages = []
})

let count = 0
/** Sends a message to a new contact. @returns the received email with its invite link and unsubscribe link */
async function sent(
  message: string,
  contact: object = {},
): Promise<ReceivedEmail & { link: string; unsubscribeLink: string }> {
  count += 1
  const json = { name: 'Bob Brown', email: `bob${count}@example.net`, ...contact }
  const { id } = (await ann.post('/api/v3/contacts/', { json })).body
  await sendDraft(ann, await createDraft(ann, survey, [{ ids: [id], field: 'contacts' }], { message }))
  await world.runJobs()
  const [email] = mailbox.messages as [ReceivedEmail]
  const link = /http:\/\/\S+?\?code=\w{8}/.exec(email.text)![0]
  return { ...email, link, unsubscribeLink: email.headers['list-unsubscribe']!.slice(1, -1) }
}
const bodyOf = (html: string) => /<body>\n([\s\S]*)<\/body>/.exec(html)![1]!

describe('an HTML message', () => {
  test('of the official PHP sample keeps its line breaks, and its text part has no tags', async () => {
    const message =
      'Hello [Full Name]<br /><br />, please take our survey:<br /><br /><a href="[Invite Link]">Click here</a><br />Thanks'
    const { html, text, link, unsubscribeLink, headers } = await sent(message)
    expect(headers['content-type']).toMatch(/^multipart\/alternative/)
    const start = 'Hello Bob Brown<br /><br />, please take our survey:<br /><br />'
    expect(bodyOf(html)).toMatch(`${start}<a href="${link}">Click here</a><br />Thanks<hr>`)
    expect(text).toMatch(`Hello Bob Brown\n\n, please take our survey:\n\nClick here <${link}>\nThanks\n\n-- \n`)
    expect(text).not.toMatch(/<(?!http)/)
    expect(html).toContain(unsubscribeLink)
    expect(text).toContain(unsubscribeLink)
  })

  test('is sent without scripts, frames, forms and unsafe links, and with its text and harmless inline styles', async () => {
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

  test('escapes the values of placeholders in texts and attributes', async () => {
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

  test('keeps the line breaks of its source if it has only inline tags', async () => {
    const { html, text, link } = await sent('Hello <b>[Full Name]</b>\n\nPlease come:\n[Invite Link]')
    expect(html).toMatch(/Hello <b>Bob Brown<\/b><br \/>\s*<br \/>\s*Please come:<br \/>/)
    expect(text).toMatch(`Hello Bob Brown\n\nPlease come:\n${link}`)
  })

  test.each([
    ['Go to [Invite Link].', (link: string) => `Go to <a href="${link}">${link}</a>.`],
    ['([Invite Link]&page=2)', (link: string) => `(<a href="${link}&amp;page=2">${link}&amp;page=2</a>)`],
    [
      '&lt;[Invite Link]&gt; [Invite Link]?',
      (link: string) => `&lt;<a href="${link}">${link}</a>&gt; <a href="${link}">${link}</a>?`,
    ],
    ['<a href="[Invite Link]">Go to [Invite Link]</a>', (link: string) => `<a href="${link}">Go to ${link}</a>`],
    [
      '<a name="x">a</a><b>[Invite%20Link]</b>',
      (link: string) => `<a name="x">a</a><b><a href="${link}">${link}</a></b>`,
    ],
  ])('links the address that replaces the token in %p', async (message, expected) => {
    const { html, link } = await sent(`<p>${message}</p>`)
    expect(bodyOf(html).split('<hr>')[0]).toBe(`<p>${expected(link)}</p>`)
  })

  test('links an unsubscribe link, and escapes personal values in the address of a link', async () => {
    const { html, link, unsubscribeLink } = await sent('<p>[Invite Link]&who=[Full Name] [Unsubscribe Link]</p>', {
      name: '"><b>Bob',
    })
    const address = `${link}&amp;who=&quot;&gt;&lt;b&gt;Bob`
    expect(html).toContain(`<a href="${address}">`)
    expect(html).not.toContain('<b>')
    expect(html).toContain(`<a href="${unsubscribeLink.replaceAll('&', '&amp;')}">`)
  })

  test('gets no footer if it contains an unsubscribe link', async () => {
    const { html, unsubscribeLink } = await sent(
      '<p><a href="[Invite Link]">Go</a> <a href="[Unsubscribe Link]">No more</a></p>',
    )
    expect(html).toContain(`<a href="${unsubscribeLink}">No more</a>`)
    expect(html).not.toContain('<hr>')
  })

  test('gets the footer if the unsubscribe link is only in a comment', async () => {
    const { html, unsubscribeLink } = await sent('<p><!-- [Unsubscribe Link] --><a href="[Invite Link]">Go</a></p>')
    expect(bodyOf(html)).toMatch(/^<p><a [^>]*>Go<\/a><\/p><hr>/)
    expect(html).toContain(unsubscribeLink)
  })

  test.each([
    ['a comment', '<p>Come</p><!-- [Invite Link] -->'],
    ['a script', '<p>Come</p><script>"[Invite Link]"</script>'],
    ['a removed attribute', '<p onclick="[Invite Link]">Come</p>'],
  ])('is rejected if the invite link is only in %s', async (_, message) => {
    await expect(createDraft(ann, survey, [], { message })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'message', message: expect.stringMatching(/must contain \[Invite Link\]/) }],
    })
  })

  test('is sent with 5,000 nested elements', async () => {
    const { text } = await sent(`${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}<p>[Invite Link]</p>`)
    expect(text).toContain('?code=')
  })
})

describe('a plain text message', () => {
  test('shows an invite link on a separate line as a button', async () => {
    const { html, text, link } = await sent('Dear [Full Name],\n\n[Invite Link]\n\nBye & thanks')
    expect(html).toMatch(
      /<p>Dear Bob Brown,<\/p>\s*<table [^>]*><tr><td [^>]*><a href="[^"]+" style="[^"]+"><span lang="en">Take the survey<\/span><\/a><\/td><\/tr><\/table>\s*<p>Bye &amp; thanks<\/p>/,
    )
    expect(html.split(link)).toHaveLength(2)
    expect(text).toMatch(`Dear Bob Brown,\n\n${link}\n\nBye & thanks\n\n-- \n`)
  })

  test('keeps an invite link in a sentence and adds a button at the end', async () => {
    const { html, link } = await sent('Come to [Invite Link] soon.')
    expect(html).toContain(`<p>Come to <a href="${link}">${link}</a> soon.</p>`)
    expect(html.indexOf('Take the survey')).toBeGreaterThan(html.indexOf('soon.'))
  })

  test.each(['Write to Ann <ann@example.org>', 'if a <b and c> d', 'x < y > z', '<3 <- ->'])(
    'keeps %p unchanged',
    async (line) => {
      const { html, text } = await sent(`${line}\n[Invite Link]`)
      expect(text).toContain(line)
      expect(html).toContain(line.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    },
  )
})
