import { connect } from 'node:net'
import type { InspectedConfig } from '../../config.ts'
import { MailboxError, type MailboxFault, openImapMailbox } from '../../lib/imap-mailbox.ts'
import { type Findings, reasonOf } from './finding.ts'

const TIMEOUT_MS = 5_000

/** What to do about each fault of the mailbox of returned messages. */
const MENDS: Readonly<Record<MailboxFault, string>> = {
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
    found.error('mailbox', `The mailbox at ${hostname} cannot be read: ${reasonOf(error)}.`, MENDS[fault])
  }
}
