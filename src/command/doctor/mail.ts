import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Client } from 'pg'
import type { InspectedConfig } from '../../config.ts'
import { MailboxError, type MailboxFault, openImapMailbox } from '../../lib/imap-mailbox.ts'
import { causeOfError, causeOfReply, type MailCause, MailError } from '../../lib/mail-error.ts'
import { transportOptions } from '../../lib/mailer.ts'
import { isLoopbackHost, isLoopbackUrl } from '../../lib/network.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Time limit of each step, in milliseconds. */
const TIMEOUT_MS = 5_000

/** What to do about each cause of a failure. */
const MENDS: Readonly<Record<MailCause, string>> = {
  recipient: 'Set ADMIN_EMAIL to an address that exists, or ask the operator of the mail server.',
  later: 'Run "canvass doctor" again later.',
  limit: 'Wait, or ask the operator of the mail server for a higher limit. Messages are not lost.',
  relay: 'Add user name and password to SMTP_URL, or allow this machine to relay (Postfix: mynetworks).',
  sender: 'Set MAIL_FROM to an address that the login in SMTP_URL may use.',
  blocked: 'Ask the operator of the mail server to unblock this machine, or send through another mail server.',
  size: 'Raise the maximum size of a message at the mail server.',
  policy: 'Ask the operator of the mail server what the reply means.',
  credentials: 'Check user name and password in SMTP_URL. Percent-encode special characters (@ is %40).',
  'no login':
    'Use a port where the mail server offers a login (smtp:// with 587, smtps:// with 465), or remove user name and password from SMTP_URL.',
  encryption: 'Port 465 needs smtps://, port 587 needs smtp://. Check SMTP_TLS.',
  certificate:
    'Use the host name in SMTP_URL for which the certificate is valid, renew it, or set SMTP_CA_FILE to the certificate of its authority.',
  host: 'Check the host name in SMTP_URL.',
  connection:
    'Check host and port in SMTP_URL, and whether a firewall blocks the port. Many providers block port 25; use 587. Port 465 needs smtps://.',
}

/** Connects to the mail server, signs in, and names a sender and a recipient. Sends no message. */
export async function checkMail(
  { mailServer, mailFrom, bounces, admin, baseUrl, dataDir }: InspectedConfig,
  found: Findings,
): Promise<void> {
  if (!mailServer) {
    if (isLoopbackUrl(baseUrl))
      return found.ok('server', 'no mail server is set: developers read messages at /dev/outbox/')
    return found.warning(
      'server',
      `No mail server is set: messages remain in ${dataDir}/outbox, and users cannot reset their passwords.`,
      'Set SMTP_URL, for example to smtp://user:password@mail.example.org:587.',
    )
  }
  // Reads the settings as the mailer does.
  const { options } = createTransport(transportOptions(mailServer)) as unknown as {
    options: SMTPConnection.Options & { auth?: Login }
  }
  const { host = '', auth } = options
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    customAuth: {
      ENVELOPE: ({ sendCommand }) => checkEnvelopes(sendCommand, mailFrom.address, admin?.email, bounces, found),
    },
  })
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.connect((error) => {
        if (error) return reject(error)
        if (!auth?.user) return resolve()
        connection.login(auth, (failure) => (failure ? reject(failure) : resolve()))
      })
    })
    found.ok(
      'server',
      `${host}:${options.port ?? (options.secure ? 465 : 587)} ${auth?.user ? `accepts the login of ${auth.user}` : 'accepts the connection'}`,
    )
    if (connection.secure) found.ok('encryption', 'the connection is encrypted')
    else if (isLoopbackHost(host)) found.ok('encryption', 'the mail server is on this machine')
    else
      found.warning(
        'encryption',
        `${host} does not offer STARTTLS: messages with login links${auth?.user ? ' and the password' : ''} are sent in plain text.`,
        'Enable TLS on the mail server, or use smtps:// with its TLS port.',
      )
    // The library passes commands of a caller only to a kind of login.
    await new Promise<void>((resolve, reject) =>
      connection.login({ method: 'ENVELOPE', user: '-', pass: '-' } as Login, (failure) =>
        failure ? reject(failure) : resolve(),
      ),
    )
  } catch (error) {
    found.error(
      'server',
      `The check of the mail server ${host} failed: ${reasonOf(error)}.`,
      MENDS[causeOfError(error)],
    )
  } finally {
    connection.close()
  }
}

type SendCommand = (command: string) => Promise<{ response: string; status: number }>

/** What to do if the mail server does not accept the envelope sender of invitations, or mail to it. */
const BOUNCE_MENDS = {
  sender: 'Let the login in SMTP_URL use all addresses of this form as senders, or remove BOUNCE_ADDRESS.',
  recipient:
    'Create the mailbox of BOUNCE_ADDRESS, and let the mail server accept a plus sign and more before the @ (Postfix: recipient_delimiter = +).',
} as const

/** Names senders and recipients to the mail server: those of a message, and those of an invitation that comes back. */
async function checkEnvelopes(
  sendCommand: SendCommand,
  sender: string,
  recipient: string = sender,
  bounces: InspectedConfig['bounces'],
  found: Findings,
): Promise<void> {
  const refusal = await refusalOf(sendCommand, sender, recipient)
  if (refusal) {
    const { command, response, cause } = refusal
    const { failure } = new MailError(cause, response)
    const isWarning = failure === 'deferred' || failure === 'limited' || failure === 'rejected'
    found[isWarning ? 'warning' : 'error'](
      'acceptance',
      `The mail server answers ${command} with: ${response}.`,
      MENDS[cause],
    )
    return
  }
  found.ok('acceptance', `the mail server accepts messages of ${sender}`)
  if (!bounces.address) return
  const returnPath = bounces.address.replace('@', `+0-${'0'.repeat(20)}@`)
  const bounce = await refusalOf(sendCommand, returnPath, returnPath)
  if (!bounce) return found.ok('bounces', `the mail server accepts ${bounces.address} with a token, and mail to it`)
  const { stage, command, response, cause } = bounce
  // A mail server that only sends mail need not know its recipients.
  if (stage === 'recipient' && cause !== 'recipient')
    return found.warning('bounces', `The mail server answers ${command} with: ${response}.`, MENDS[cause])
  found.error('bounces', `The mail server answers ${command} with: ${response}.`, BOUNCE_MENDS[stage])
}

/** Names a sender and a recipient, and takes them back. @returns the reply if one of them is refused */
async function refusalOf(sendCommand: SendCommand, sender: string, recipient: string) {
  const commands = [
    ['sender', `MAIL FROM:<${sender}>`],
    ['recipient', `RCPT TO:<${recipient}>`],
  ] as const
  for (const [stage, command] of commands) {
    const { response, status } = await sendCommand(command)
    if (status < 400) continue
    await sendCommand('RSET')
    return { stage, command, response, cause: causeOfReply(stage, response) }
  }
  await sendCommand('RSET')
  return undefined
}

interface Stopped {
  emails: number
  messages: number
  reply: string | null
  reason: MailCause | null
}

/** Reports emails that wait because the mail server refuses or limits this installation. */
export async function checkStoppedEmails(client: Client, found: Findings): Promise<void> {
  const { rows } = await client.query<Stopped>(`
    with stopped as (select id, hold from email where status = 'scheduled' and hold is not null)
    select (select count(*)::int from stopped) as emails,
      (select count(*)::int from email_message where state = 'queued' and email_id in (select id from stopped)) as messages,
      latest.hold->>'reply' as reply, latest.hold->>'reason' as reason
    from (select 1) as one left join lateral (select hold from stopped order by hold->>'until' desc limit 1) as latest on true`)
  const { emails, messages, reply, reason } = rows[0]!
  if (!emails) return found.ok('waiting', 'no email has been stopped by the mail server')
  found.error(
    'waiting',
    `Emails stopped by the mail server: ${emails}, with ${messages} waiting messages. Its last reply: ${reply}.`,
    `${MENDS[reason ?? 'policy']} Sending then continues automatically.`,
  )
}

interface Login {
  user: string
  pass: string
}

/** What to do about each fault of the mailbox of returned messages. */
const MAILBOX_MENDS: Readonly<Record<MailboxFault, string>> = {
  login: 'Check user name and password in BOUNCE_IMAP_URL. Percent-encode special characters (@ is %40).',
  folder: 'Set the path of BOUNCE_IMAP_URL to a folder that exists, such as /INBOX.',
  'move folder': 'Create the folder in the mailbox, or correct BOUNCE_IMAP_MOVE_TO.',
  connection:
    'Check host and port in BOUNCE_IMAP_URL. Port 993 needs imaps://, port 143 needs imap://. SMTP_CA_FILE adds authorities.',
}

/** Checks the ways in which undeliverable invitations come back. Changes nothing in the mailbox. */
export async function checkBounces(
  { bounces: { address, lmtp, mailbox }, mailServer }: InspectedConfig,
  found: Findings,
): Promise<void> {
  if (!mailServer) return
  if (!address)
    return found.ok('bounces', 'BOUNCE_ADDRESS is not set: what comes back goes to the senders of the invitations')
  if (lmtp) await checkListener(lmtp, found)
  if (mailbox) await checkMailbox(mailbox, found)
  if (!lmtp && !mailbox)
    found.ok(
      'returns',
      `mail to ${address} is expected from a pipe to "canvass bounce": set BOUNCE_LMTP or BOUNCE_IMAP_URL otherwise`,
    )
}

async function checkListener(lmtp: NonNullable<InspectedConfig['bounces']['lmtp']>, found: Findings): Promise<void> {
  const name = 'path' in lmtp ? lmtp.path : `${lmtp.host}:${lmtp.port}`
  const socket = 'path' in lmtp ? connect(lmtp.path) : connect(lmtp)
  try {
    const greeting = await new Promise<string>((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('it does not answer')))
      socket.once('error', reject).once('data', (data) => resolve(data.toString('utf8')))
    })
    if (/^220 .*LMTP Canvass/.test(greeting)) return found.ok('lmtp', `${name} takes bounces`)
    found.error('lmtp', `Another program answers at ${name} (BOUNCE_LMTP).`, 'Set BOUNCE_LMTP to another port.')
  } catch (error) {
    found.error(
      'lmtp',
      `Nothing takes bounces at ${name} (BOUNCE_LMTP): ${reasonOf(error)}.`,
      'Start "canvass serve" with WORKER=on, or "canvass work", on this machine, and look for "cannot take bounces by LMTP" in its log.',
    )
  } finally {
    socket.destroy()
  }
}

async function checkMailbox(
  mailbox: NonNullable<InspectedConfig['bounces']['mailbox']>,
  found: Findings,
): Promise<void> {
  const { hostname } = new URL(mailbox.url)
  try {
    const unread = await openImapMailbox(mailbox).check()
    found.ok('mailbox', `the mailbox at ${hostname} can be read and has ${unread} unread messages`)
  } catch (error) {
    const fault = error instanceof MailboxError ? error.fault : 'connection'
    found.error('mailbox', `The mailbox at ${hostname} cannot be read: ${reasonOf(error)}.`, MAILBOX_MENDS[fault])
  }
}
