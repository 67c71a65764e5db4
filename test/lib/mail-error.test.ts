import { describe, expect, it } from '@jest/globals'
import { causeOfError, causeOfReply, type MailCause, MailError, type MailStage } from '../../src/lib/mail-error.ts'
import fc from '../support/fast-check.ts'

/** Replies of real servers and providers, with the stage at which they are sent. */
const REPLIES: [MailStage, string, MailCause][] = [
  // This recipient.
  [
    'recipient',
    '550 5.1.1 <p0@example.net>: Recipient address rejected: User unknown in local recipient table',
    'recipient',
  ],
  ['recipient', '550 5.1.1 no such user', 'recipient'],
  ['recipient', '550 no such user', 'recipient'],
  ['recipient', '550 Unrouteable address', 'recipient'],
  ['recipient', '550 Invalid recipient: <p0@example.net>', 'recipient'],
  ['recipient', '550 5.5.0 Requested action not taken: mailbox unavailable', 'recipient'],
  ['recipient', '550 5.4.1 Recipient address rejected: Access denied.', 'recipient'],
  ['recipient', '552 5.2.2 The email account that you tried to reach is over quota', 'recipient'],
  ['recipient', '552 5.2.2 Quota exceeded', 'recipient'],
  ['recipient', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required', 'recipient'],
  ['recipient', '556 5.1.10 Recipient address has null MX', 'recipient'],
  ['recipient', '553 sorry, that mailbox name is not allowed', 'recipient'],
  ['recipient', '501 <p0@example.net>: bad address syntax', 'recipient'],
  ['recipient', '550 5.1.1 <relay.limit@blocked.example>: unknown', 'recipient'],
  ['message', '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Please try', 'recipient'],
  // This installation.
  ['recipient', '554 5.7.1 <p0@example.net>: Relay access denied', 'relay'],
  ['recipient', '550 relay not permitted', 'relay'],
  ['recipient', '550 I cannot deliver mail for <p0@example.net>', 'relay'],
  ['recipient', '553 sorry, that domain is not in my list of allowed rcpthosts', 'relay'],
  ['recipient', '553 5.7.1 <surveys@example.org>: Sender address rejected: not owned by user ann', 'sender'],
  ['sender', '550 5.1.8 <surveys@example.invalid>: Sender address rejected: Domain not found', 'sender'],
  ['sender', '550 5.1.1 unknown user', 'sender'],
  ['recipient', '550 5.1.8 Sender address rejected: domain does not exist', 'sender'],
  ['message', '550 5.7.26 This mail has been blocked because the sender is unauthenticated (SPF, DKIM)', 'sender'],
  ['connect', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'blocked'],
  ['recipient', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'blocked'],
  ['sender', '550 5.7.1 Your IP address is on our blocklist', 'blocked'],
  ['message', '554 5.7.1 Message rejected as spam', 'policy'],
  ['message', '554 content rejected', 'policy'],
  ['recipient', '550 Administrative prohibition', 'policy'],
  ['recipient', '503 5.5.1 Error: need MAIL command', 'policy'],
  ['sender', '552 5.3.4 message file too big', 'size'],
  ['message', '552 5.3.4 Error: message file too big', 'size'],
  ['sender', '552 5.3.4 Message size exceeds fixed limit', 'size'],
  // The settings.
  ['login', '535 5.7.8 Error: authentication failed', 'credentials'],
  ['login', '535 Authentication failed: no mechanism available', 'credentials'],
  ['login', '502 5.5.1 command not implemented', 'no login'],
  ['sender', '530 5.7.1 Authentication required', 'credentials'],
  ['recipient', '530 5.7.0 Must issue a STARTTLS command first', 'encryption'],
  ['login', '538 5.7.11 Encryption required for requested authentication mechanism', 'encryption'],
  // Limits.
  ['sender', '450 4.7.1 Error: too much mail from 127.0.0.1', 'limit'],
  ['recipient', '450 4.7.1 Error: too many recipients from 127.0.0.1', 'limit'],
  ['connect', '421 4.7.0 mx.example.org Error: too many connections from 127.0.0.1', 'limit'],
  ['connect', '421 4.7.0 Try again later, closing connection. (EHLO)', 'limit'],
  ['recipient', '421 not now', 'limit'],
  ['sender', '452 4.3.1 Insufficient system storage', 'limit'],
  ['recipient', '452 4.5.3 Error: too many recipients', 'limit'],
  ['recipient', '451 4.7.0 Rate limit exceeded', 'limit'],
  ['message', '550 5.4.5 Daily user sending limit exceeded', 'limit'],
  [
    'message',
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
    'limit',
  ],
  ['login', '454 4.7.0 Temporary authentication failure', 'limit'],
  // This recipient, for now.
  ['recipient', '450 4.2.0 <p0@example.net>: Recipient address rejected: Greylisted', 'later'],
  ['recipient', '451 4.7.1 Greylisting in action, please come back later', 'later'],
  [
    'recipient',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery',
    'later',
  ],
  ['recipient', '452 4.2.2 Mailbox full', 'later'],
  ['recipient', '452 mailbox over quota exceeded', 'later'],
  ['recipient', '451 try later', 'later'],
  ['message', '451 4.7.1 please try again', 'later'],
]

const stages: readonly MailStage[] = ['connect', 'login', 'sender', 'recipient', 'message']
const status = (first: number) =>
  fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 30 })).map(([a, b]) => `${first}.${a}.${b}`)
const phrase = fc.constantFrom(
  'User unknown',
  'Relay access denied',
  'too much mail',
  'mailbox full',
  'blocked',
  'no',
  '',
)

describe('causeOfReply', () => {
  it.each(REPLIES)('%s: %s → %s', (stage, reply, cause) => {
    expect(causeOfReply(stage, reply)).toBe(cause)
  })

  it('blames a recipient only after MAIL FROM, and for good only with a 5xx reply', () => {
    const reply = fc
      .constantFrom(4, 5)
      .chain((first) =>
        fc.tuple(
          fc.integer({ min: first * 100, max: first * 100 + 99 }),
          fc.option(status(first), { nil: '' }),
          phrase,
        ),
      )
    fc.assert(
      fc.property(fc.constantFrom(...stages), reply, (stage, [code, enhanced, text]) => {
        const { failure } = new MailError(causeOfReply(stage, `${code} ${enhanced} ${text}`), '')
        const isPersonal = failure === 'rejected' || failure === 'deferred'
        if (isPersonal) expect(['recipient', 'message']).toContain(stage)
        if (failure === 'rejected' || failure === 'refused') expect(code).toBeGreaterThanOrEqual(500)
        if (failure === 'deferred') expect(code).toBeLessThan(500)
      }),
    )
  })

  it('does not read the address of the recipient', () => {
    const local = fc.constantFrom('relay', 'rate', 'blocked', 'mailbox', 'sender', 'quota.exceeded', 'a')
    fc.assert(
      fc.property(fc.constantFrom(...REPLIES), local, local, ([stage, reply, cause], name, host) => {
        if (!reply.includes('p0@example.net')) return
        expect(causeOfReply(stage, reply.replace('p0@example.net', `${name}@${host}.example`))).toBe(cause)
      }),
    )
  })

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...stages), fc.string({ unit: 'binary', maxLength: 2000 }), (stage, text) => {
        expect(new MailError(causeOfReply(stage, text), text).failure).not.toBe('unreachable')
      }),
    )
  })
})

describe('causeOfError', () => {
  it.each([
    [{ code: 'EDNS', message: 'getaddrinfo ENOTFOUND mail.invalid', command: 'CONN' }, 'host'],
    [
      {
        code: 'ESOCKET',
        originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        message: 'self-signed certificate',
        command: 'CONN',
      },
      'certificate',
    ],
    [
      {
        code: 'ESOCKET',
        originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID',
        message: "Hostname/IP does not match certificate's altnames",
        command: 'CONN',
      },
      'certificate',
    ],
    [
      {
        code: 'ESOCKET',
        originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER',
        message: '0A00010B:SSL routines:wrong version number',
        command: 'CONN',
      },
      'encryption',
    ],
    [
      {
        code: 'ETLS',
        message: 'Error upgrading connection with STARTTLS: 454 4.7.0 TLS not available',
        response: '454 4.7.0 TLS not available',
        responseCode: 454,
        command: 'STARTTLS',
      },
      'encryption',
    ],
    [{ code: 'EAUTH', message: 'Missing credentials for "PLAIN"', command: 'API' }, 'no login'],
    [
      { code: 'ESOCKET', originalCode: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1', command: 'CONN' },
      'connection',
    ],
    [{ code: 'ETIMEDOUT', message: 'Greeting never received', command: 'CONN' }, 'connection'],
    [
      {
        code: 'EPROTOCOL',
        message: 'Invalid greeting',
        response: '554 5.7.1 blocked',
        responseCode: 554,
        command: 'CONN',
      },
      'blocked',
    ],
  ] as const)('%j → %s', (error, cause) => {
    expect(causeOfError(error)).toBe(cause)
  })
})
