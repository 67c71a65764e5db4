import { describe, expect, test } from '@jest/globals'
import { nextAttemptAt } from '../../../src/domain/email/deliver.ts'
import { mailStyleOf } from '../../../src/domain/email/mail-theme.ts'
import { buildEmailMessage, prepareMessage } from '../../../src/domain/email/message.ts'
import { fillTokens } from '../../../src/domain/email/tokens.ts'
import { formatSender, parseSender } from '../../../src/domain/email-address.ts'
import fc from '../../support/fast-check.ts'

const values = {
  inviteLink: 'https://s.example/surveys/ann/tea/?code=abcdefgh',
  unsubscribeLink: 'https://s.example/unsubscribe/7-ab/',
  name: 'Bob',
  email: 'bob@example.net',
  custom: { city: 'Oslo', 'shoe size': '43' },
}

describe('parseSender', () => {
  test.each([
    ['Ann Example <ann@example.org>', 'Ann Example', 'ann@example.org'],
    ['Ann Example <ann@example.org', 'Ann Example', 'ann@example.org'],
    ['"Example, Ann" <ann@example.org>', 'Example, Ann', 'ann@example.org'],
    ['<ann@example.org>', '', 'ann@example.org'],
    [' ann@example.org ', '', 'ann@example.org'],
  ])('parses %s', (text, name, address) => expect(parseSender(text)).toEqual({ name, address }))

  test.each(['', 'Ann', 'Ann <ann>', 'Ann <a@b.org> x', 'A <a@b.org> <c@d.org>', 'A\n<a@b.org>', '<>'])(
    'returns undefined for %p',
    (text) => expect(parseSender(text)).toBeUndefined(),
  )

  test('parses the result of formatSender to the same name and address', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-zÀ-ž .,'-]{0,40}$/), (name) => {
        const sender = parseSender(`${name} <ann@example.org>`)!
        expect(parseSender(formatSender(sender))).toEqual(sender)
      }),
    )
  })
})

describe('fillTokens', () => {
  test('replaces every token', () => {
    const text =
      '[Full Name], [Email], [Custom:city], [Custom:shoe size], [Custom:none], [Invite Link] [Unsubscribe Link] [other]'
    const expected = `Bob, bob@example.net, Oslo, 43, , ${values.inviteLink} ${values.unsubscribeLink} [other]`
    expect(fillTokens(text, values)).toBe(expected)
  })

  test('does not replace tokens in values', () => {
    const custom = { city: '[Invite Link]' }
    expect(fillTokens('[Full Name] [Custom:city]', { ...values, name: '[Email]', custom })).toBe(
      '[Email] [Invite Link]',
    )
    expect(fillTokens('[Custom:toString] [Custom:__proto__]', values)).toBe(' ')
  })
})

describe('buildEmailMessage', () => {
  const build = (message: string, footer: string | null = null, name = 'Bob') =>
    buildEmailMessage(
      {
        from: { from: { name: 'Ann', address: 'ann@example.org' } },
        subject: 'Tea, [Full Name]?',
        message: prepareMessage(message),
        footer,
        language: 'en',
        style: mailStyleOf(),
      },
      { ...values, name },
      { messageId: '<1@x>', date: new Date(0) },
    )

  test('escapes text in the HTML part, and adds elements for links and paragraphs', () => {
    const { html = '' } = build(
      'Hi [Full Name] & co\n\n<script>alert(1)</script>\r\n[Invite Link].',
      null,
      '<b>"Bob"</b>',
    )
    expect(html).toContain('<p>Hi &lt;b&gt;&quot;Bob&quot;&lt;/b&gt; &amp; co</p>')
    expect(html).toContain(`&lt;/script&gt;<br><a href="${values.inviteLink}">${values.inviteLink}</a>.</p>`)
    expect(html).not.toContain('<script')
  })

  test('adds the footer and the headers for one-click unsubscribing (RFC 8058) [spec 9.8]', () => {
    const message = build('[Invite Link]', 'No more: [Unsubscribe Link]')
    expect(message.text).toBe(`${values.inviteLink}\n\n-- \nNo more: ${values.unsubscribeLink}\n`)
    expect(message.headers).toEqual({
      'List-Unsubscribe': `<${values.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  test('removes line breaks from a name in the subject, so that the name cannot add a header', () => {
    expect(build('[Invite Link]', null, 'Bob\r\nBcc: eve@example.org').subject).toBe('Tea, Bob Bcc: eve@example.org?')
  })
})

describe('nextAttemptAt', () => {
  test('returns delays that grow from one minute to one day, and undefined after the last attempt', () => {
    const now = new Date('2026-01-01T00:00:00Z')
    const delaysMinutes = Array.from({ length: 9 }, (_, failed) => nextAttemptAt(now, failed + 1, 0.5)).map(
      (at) => at && (at.getTime() - now.getTime()) / 60_000,
    )
    expect(delaysMinutes).toEqual([1, 5, 15, 60, 180, 360, 720, 1440, undefined])
    expect((nextAttemptAt(now, 1, 0)!.getTime() - now.getTime()) / 1000).toBe(57)
  })
})
