import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MAX_BOUNCE_BYTES, readBounce } from '../../src/lib/bounce-message.ts'
import { endsAddress } from '../../src/lib/mail-error.ts'

const read = (lines: readonly string[]) => readBounce(Buffer.from(lines.join('\r\n')))

/** A delivery status notification with the fields of one or more recipients. */
const dsn = (...blocks: readonly string[][]) => [
  'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
  'Subject: Undelivered Mail Returned to Sender',
  'Auto-Submitted: auto-replied',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  '',
  'I am sorry. The server 192.0.2.4 said no to:',
  '',
  '  cid@example.net',
  '    no such user here',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.net',
  'Arrival-Date: Sat, 28 Nov 2026 12:00:00 +0000',
  '',
  ...blocks.flatMap((block) => [...block, '']),
  '--b',
  'Content-Type: message/rfc822',
  '',
  'Subject: Warning: will be retried 4.4.1',
  '',
  'Come: 5.1.1',
  '--b--',
]
const BOB = 'Final-Recipient: rfc822; bob@example.net'
const failed = (status: string, ...diagnostic: string[]) => [BOB, 'Action: failed', `Status: ${status}`, ...diagnostic]
const prose = (from: string, subject: string, ...body: string[]) => [
  `From: ${from}`,
  `Subject: ${subject}`,
  '',
  ...body,
]

describe('readBounce', () => {
  test.each([
    [
      'Postfix',
      failed(
        '5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 <bob@example.net>: Recipient address rejected:',
        '    User unknown',
      ),
      /^550 5\.1\.1 <bob@example\.net>: Recipient address rejected: User unknown$/,
      true,
    ],
    ['Postfix, local', failed('5.1.1', 'Diagnostic-Code: x-unix; user unknown'), /^550 5\.1\.1 user unknown$/, true],
    [
      'Exim',
      failed('5.0.0', 'Diagnostic-Code: smtp; 550 Unrouteable address'),
      /^550 5\.0\.0 Unrouteable address$/,
      true,
    ],
    ['Exim without a code', failed('5.0.0'), /^550 5\.0\.0$/, false],
    [
      'Exim without a code, whose text has the reason',
      ['Final-Recipient: rfc822;cid@example.net', 'Action: failed', 'Status: 5.0.0'],
      /^550 5\.0\.0 no such user here$/,
      true,
    ],
    [
      'Exchange',
      failed('5.1.10', 'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found'),
      /5\.1\.10/,
      true,
    ],
    [
      'Google',
      failed('5.1.1', 'Diagnostic-Code: smtp; 550-5.1.1 The email account does not exist'),
      /^550 5\.1\.1 The email/,
      true,
    ],
    [
      'an expired message',
      failed('4.4.1', 'Diagnostic-Code: smtp; 451 4.4.1 timed out'),
      /^451 4\.4\.1 timed out$/,
      false,
    ],
    ['content', failed('5.7.1', 'Diagnostic-Code: smtp; 554 5.7.1 content rejected as spam'), /^554 5\.7\.1/, false],
    ['a full mailbox', failed('5.2.2', 'Diagnostic-Code: smtp; 552 5.2.2 over quota'), /^552 5\.2\.2/, false],
  ])('reads the delivery status of %s', async (_, block, reply, isGone) => {
    const report = await read(dsn(block))
    expect(report).toEqual({ kind: 'failed', reply: expect.stringMatching(reply) })
    expect(endsAddress((report as { reply: string }).reply)).toBe(isGone)
  })

  test('a delay, a success and an address that forwards to several others are no failures', async () => {
    expect(await read(dsn([BOB, 'Action: delayed', 'Status: 4.4.1']))).toEqual({ kind: 'delayed' })
    expect(await read(dsn([BOB, 'Action: relayed', 'Status: 2.0.0']))).toEqual({ kind: 'other' })
    expect(await read(dsn([BOB, 'Status: 4.2.1']))).toEqual({ kind: 'delayed' })
    expect(await read(dsn([BOB, 'Action: delivered', 'Status: 2.0.0'], failed('5.1.1')))).toEqual({ kind: 'other' })
    expect((await read(dsn(failed('5.1.1'), failed('5.1.1')))).kind).toBe('failed')
  })

  test.each([
    [
      'qmail',
      prose(
        'MAILER-DAEMON@mx.example.net',
        'failure notice',
        "Hi. This is the qmail-send program. I'm afraid I wasn't able to deliver your message.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        '',
        '<bob@example.net>:',
        '192.0.2.4 does not like recipient.',
        'Remote host said: 550 5.1.1 no such user',
        'Giving up on 192.0.2.4.',
      ),
      /^550 5\.1\.1 no such user$/,
      true,
    ],
    [
      'qmail with a status in brackets',
      prose(
        'mailer-daemon@mx.example.net',
        'failure notice',
        "This is a permanent error; I've given up.",
        '<bob@example.net>:',
        'Sorry, no mailbox here by that name. (#5.1.1)',
      ),
      /^550 5\.1\.1 Sorry/,
      true,
    ],
    [
      'a queue that gives up',
      prose(
        'MAILER-DAEMON@mx.example.net',
        'failure notice',
        "I'm not going to try again; this message has been in the queue too long. (#4.4.1)",
      ),
      /^450 4\.4\.1/,
      false,
    ],
    [
      'Mail Delivery System',
      prose(
        'Mail Delivery System <noreply@mx.example.net>',
        'Mail delivery failed: returning message to sender',
        'bob@example.net',
        '  SMTP error from remote mail server after RCPT TO: host mx: 550 No such user',
      ),
      /^550 No such user$/,
      true,
    ],
    [
      'a failed recipient in the header',
      [
        'From: robot@mx.example.net',
        'X-Failed-Recipients: bob@example.net',
        'Subject: Undeliverable',
        '',
        'It could not be delivered.',
      ],
      /^550 It could not be delivered/,
      false,
    ],
  ])('reads the text of %s', async (_, lines, reply, isGone) => {
    const report = await read(lines)
    expect(report).toEqual({ kind: 'failed', reply: expect.stringMatching(reply) })
    expect(endsAddress((report as { reply: string }).reply)).toBe(isGone)
  })

  test.each([
    [
      'a delay in prose',
      prose(
        'postmaster@mx.example.net',
        'Delivery delayed',
        'Your message has not been delivered yet. 450 4.2.0 greylisted. It will be retried for 5 days.',
      ),
      'delayed',
    ],
    [
      'an out-of-office notice',
      [
        'Auto-Submitted: auto-replied',
        ...prose('Bob <bob@example.net>', 'Out of office', 'I have left. Call extension 550 or room 5.1.1.'),
      ],
      'other',
    ],
    [
      'a person',
      [
        'In-Reply-To: <1.0123456789abcdef01234567@x>',
        ...prose('bob@example.net', 'Re: Tea?', 'My colleague could not be delivered to: 550 5.1.1'),
      ],
      'other',
    ],
    [
      'a postmaster who writes',
      prose('Postmaster <postmaster@example.net>', 'Hello', 'Your server 5.1.1.20 answers well.'),
      'other',
    ],
    ['an empty message', [''], 'other'],
  ])('takes %s for what it is', async (_, lines, kind) => {
    expect((await read(lines)).kind).toBe(kind)
  })

  test('reads complaints (RFC 5965)', async () => {
    const complaint = (type: string) => [
      'From: fbl@example.net',
      'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
      '',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${type}`,
      '--b--',
    ]
    expect(await read(complaint('abuse'))).toEqual({ kind: 'complaint' })
    expect(await read(complaint('not-spam'))).toEqual({ kind: 'other' })
  })

  test('reads the beginning of a long message, and survives every cut and deep nesting', async () => {
    const lines = dsn(failed('5.1.1'))
    const long = Buffer.concat([
      Buffer.from(lines.slice(0, -1).join('\r\n')),
      Buffer.alloc(3 * MAX_BOUNCE_BYTES, 'a b\r\n'),
    ])
    expect(await readBounce(long)).toMatchObject({ kind: 'failed' })
    const nested = Array.from(
      { length: 400 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=${depth}\r\n\r\n--${depth}\r\n`,
    )
    expect(await readBounce(Buffer.from(nested.join('')))).toEqual({ kind: 'other' })
    const source = Buffer.from(lines.join('\r\n'))
    await fc.assert(
      fc.asyncProperty(fc.nat(source.length), fc.uint8Array({ maxLength: 40 }), async (cut, bytes) => {
        const report = await readBounce(Buffer.concat([source.subarray(0, cut), bytes, source.subarray(cut)]))
        expect(['failed', 'delayed', 'complaint', 'other']).toContain(report.kind)
      }),
      { numRuns: 200 },
    )
  })
})
