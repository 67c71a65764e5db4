import { createTransport } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { InspectedConfig } from '../../config.ts'
import { isLoopbackHost, isLoopbackUrl } from '../../lib/loopback.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Time limit of each step, in milliseconds. */
const TIMEOUT_MS = 5_000

/** What to do about the error codes of nodemailer. */
const MENDS: Readonly<Record<string, string>> = {
  EDNS: 'Check the host name in SMTP_URL.',
  ECONNECTION:
    'Check host and port in SMTP_URL, and whether a firewall blocks the port. Many providers block port 25; use 587.',
  ESOCKET: 'Check host and port in SMTP_URL. Port 465 needs smtps://, port 587 needs smtp://.',
  ETIMEDOUT: 'Check host and port in SMTP_URL, and whether a firewall blocks the port. Port 465 needs smtps://.',
  ETLS: 'Renew the certificate of the mail server, or use the host name in SMTP_URL for which it is valid.',
  EAUTH: 'Check user name and password in SMTP_URL. Percent-encode special characters (@ is %40).',
  ENOAUTH: 'Add user name and password to SMTP_URL.',
}

/** Connects to the mail server and signs in. Sends no message. */
export async function checkMail({ smtpUrl, baseUrl, dataDir }: InspectedConfig, found: Findings): Promise<void> {
  if (!smtpUrl) {
    if (isLoopbackUrl(baseUrl))
      return found.ok('server', 'no mail server is set: developers read messages at /dev/outbox/')
    return found.warning(
      'server',
      `No mail server is set: messages remain in ${dataDir}/outbox, and users cannot reset their passwords.`,
      'Set SMTP_URL, for example to smtp://user:password@mail.example.org:587.',
    )
  }
  // Reads the URL as the mailer does.
  const { options } = createTransport(smtpUrl) as unknown as { options: SMTPConnection.Options & { auth?: Login } }
  const { host = '', auth } = options
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
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
  } catch (error) {
    const { code = '' } = error as { code?: string }
    found.error(
      'server',
      `The check of the mail server ${host} failed: ${reasonOf(error)}.`,
      MENDS[code] ?? 'Check SMTP_URL.',
    )
  } finally {
    connection.close()
  }
}

interface Login {
  user: string
  pass: string
}
