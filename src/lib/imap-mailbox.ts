import { rootCertificates } from 'node:tls'
import type { ImapFlow } from 'imapflow'
import { LRUCache } from 'lru-cache'
import { isLoopbackHost } from './network.ts'

/** A mailbox, as the settings describe it. */
export interface MailboxSettings {
  /** `imaps://user:password@host:port/Folder`; with `imap://`, TLS is required except on this machine. */
  url: string
  /** The folder for messages that were handled; undefined: they are marked as read. */
  moveTo?: string | undefined
  /** Certificates of authorities that are trusted in addition, as PEM. */
  ca?: string | undefined
}

/** Returns whether a message was handled. Otherwise, it is left as it is; `later`: it is read again the next time. */
export type MessageHandler = (source: Buffer) => Promise<'handled' | 'foreign' | 'later'>

/** Maximum number of messages of one run, so that a full mailbox does not block other work for long. */
const MAX_MESSAGES = 200
/** Number of messages that are remembered as foreign. */
const MAX_FOREIGN = 20_000
const TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 60_000

/** What went wrong with a mailbox, as far as operators can mend it. */
export type MailboxFault = 'login' | 'folder' | 'move folder' | 'connection'

/** An error of a mailbox. The message does not contain the password. */
export class MailboxError extends Error {
  override readonly name = 'MailboxError'
  readonly fault: MailboxFault

  constructor(fault: MailboxFault, message: string) {
    super(message)
    this.fault = fault
  }
}

export interface ImapMailbox {
  /**
   * Reads the unread messages. Handled messages are moved or marked as read; nothing is deleted.
   * @param maxBytes number of bytes of each message that are read
   * @throws {MailboxError}
   */
  read(handle: MessageHandler, maxBytes: number, signal: AbortSignal): Promise<void>
  /**
   * Signs in and looks for the folders.
   * @returns the number of unread messages
   * @throws {MailboxError}
   */
  check(): Promise<number>
}

export function openImapMailbox({ url, moveTo, ca }: MailboxSettings): ImapMailbox {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const isSecure = protocol === 'imaps:'
  const isLocal = isLoopbackHost(hostname)
  const folder = decodeURIComponent(pathname.replace(/^\//, '')) || 'INBOX'
  // Messages of people, which stay unread, are not read every minute.
  const foreign = new LRUCache<string, true>({ max: MAX_FOREIGN })

  /** Signs in, and runs work on the folder. */
  async function inFolder<Result>(work: (client: ImapFlow) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    // Loaded only if there is a mailbox.
    const imap = await import('imapflow')
    const client = new imap.ImapFlow({
      host: hostname.replace(/[[\]]/g, ''),
      port: Number(port) || (isSecure ? 993 : 143),
      secure: isSecure,
      ...(!isSecure && !isLocal && { doSTARTTLS: true }),
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      tls: { ...(isLocal && { rejectUnauthorized: false }), ...(ca && { ca: [...rootCertificates, ca] }) },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
    })
    // Without a listener, an error of the connection would end the process; commands fail as well.
    client.on('error', () => undefined)
    const abort = () => client.close()
    signal?.addEventListener('abort', abort)
    try {
      await explained('connection', () => client.connect())
      const lock = await explained('folder', () => client.getMailboxLock(folder))
      try {
        return await explained('connection', () => work(client))
      } finally {
        lock.release()
        await client.logout().catch(() => undefined)
      }
    } finally {
      signal?.removeEventListener('abort', abort)
      client.close()
    }
  }

  const findUnread = async (client: ImapFlow): Promise<number[]> =>
    (await client.search({ seen: false, deleted: false }, { uid: true })) || []

  return {
    read: (handle, maxBytes, signal) =>
      inFolder(async (client) => {
        const { uidValidity } = client.mailbox as { uidValidity: bigint }
        const keyOf = (uid: number) => `${uidValidity} ${uid}`
        const unread = (await findUnread(client)).filter((uid) => !foreign.has(keyOf(uid)))
        for (const uid of unread.slice(0, MAX_MESSAGES)) {
          if (signal.aborted) return
          const message = await client.fetchOne(String(uid), { source: { maxLength: maxBytes } }, { uid: true })
          // Another program has moved or deleted it.
          if (!message || message.source === undefined) continue
          const result = await handle(message.source)
          if (result === 'foreign') foreign.set(keyOf(uid), true)
          if (result !== 'handled') continue
          await putAway(client, String(uid), moveTo)
        }
      }, signal),
    check: () =>
      inFolder(async (client) => {
        if (moveTo !== undefined && !(await client.status(moveTo, { messages: true })))
          throw new MailboxError('move folder', `there is no folder ${moveTo}`)
        return (await findUnread(client)).length
      }),
  }
}

/** Moves a message, or marks it as read. */
async function putAway(client: ImapFlow, uid: string, moveTo: string | undefined): Promise<void> {
  // Without these extensions, a move would delete all messages for good that any program has marked as deleted.
  const canMove = client.capabilities.has('MOVE') || client.capabilities.has('UIDPLUS')
  if (moveTo !== undefined) {
    const move = canMove ? client.messageMove : client.messageCopy
    if (!(await move.call(client, uid, moveTo, { uid: true })))
      throw new MailboxError('move folder', `messages cannot be moved to the folder ${moveTo}`)
    if (canMove) return
  }
  await client.messageFlagsAdd(uid, ['\\Seen'], { uid: true })
}

interface ImapError extends Error {
  authenticationFailed?: boolean
  mailboxMissing?: boolean
  responseText?: string
}

/** Runs a step, and describes its error. */
async function explained<Result>(fault: MailboxFault, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof MailboxError) throw error
    const { authenticationFailed, responseText, message } = error as ImapError
    throw new MailboxError(authenticationFailed ? 'login' : fault, responseText || message)
  }
}
