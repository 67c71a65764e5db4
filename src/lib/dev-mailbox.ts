import { createHash } from 'node:crypto'
import { chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Mailer, type MailMessage, mailOf } from './mailer.ts'
import { makePrivateFolder } from './temporary-files.ts'

/** A message in the development mailbox. */
export interface StoredMail extends Pick<MailMessage, 'messageId' | 'from' | 'to' | 'subject' | 'text'> {
  id: string
  /** ISO 8601. */
  date: string
  html: string | null
}

/** A folder that stores messages if no mail server is set: `.eml` files that a mail program can open. */
export interface DevMailbox extends Mailer {
  /** Returns the newest messages. */
  list(limit: number): Promise<StoredMail[]>
  read(id: string): Promise<StoredMail | undefined>
  /** Returns a message in the format in which it would have been sent (RFC 5322). */
  readMessage(id: string): Promise<Buffer | undefined>
}

/** Derives the name of the files from the Message-ID. If a message is sent again, it therefore replaces its file. */
const idOf = (messageId: string): string => createHash('sha256').update(messageId).digest('hex').slice(0, 24)
const ID = /^[0-9a-f]{24}$/

/** Removes the access of other users of the system to the folder, which earlier versions did not restrict. */
async function restrictAccess(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => undefined)
  if (!names) return
  await chmod(folder, 0o700)
  // Another process may have renamed its file in the meantime.
  for (const name of names) await chmod(join(folder, name), 0o600).catch(() => undefined)
}

/**
 * Creates a mailer that stores messages in a folder. The folder is created with the first message; each message has a
 * summary file for the page of the mailbox. Only the owner of the folder can read it, because messages contain login
 * links.
 */
export async function openDevMailbox(folder: string): Promise<DevMailbox> {
  await restrictAccess(folder)
  const file = (id: string, extension: 'eml' | 'json') => join(folder, `${id}.${extension}`)

  async function write(path: string, content: Buffer | string): Promise<void> {
    await writeFile(`${path}.part`, content, { mode: 0o600 })
    await rename(`${path}.part`, path)
  }

  async function read(id: string): Promise<StoredMail | undefined> {
    const summary = ID.test(id) && (await readFile(file(id, 'json'), 'utf8').catch(() => undefined))
    return summary ? (JSON.parse(summary) as StoredMail) : undefined
  }

  async function listAll(): Promise<StoredMail[]> {
    const names = await readdir(folder).catch(() => [])
    const mails: StoredMail[] = []
    for (const name of names) {
      const mail = name.endsWith('.json') ? await read(name.slice(0, -5)) : undefined
      if (mail) mails.push(mail)
    }
    return mails
  }

  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await transport.sendMail(mailOf(mail) as Parameters<typeof transport.sendMail>[0])
      const { messageId, date, from, to, subject, text, html = null } = mail
      const id = idOf(messageId)
      makePrivateFolder(folder)
      const summary: StoredMail = { id, messageId, date: date.toISOString(), from, to, subject, text, html }
      await write(file(id, 'json'), JSON.stringify(summary))
      await write(file(id, 'eml'), message as Buffer)
    },
    async list(limit) {
      const names = await readdir(folder).catch(() => [])
      const files = await Promise.all(
        names
          .filter((name) => name.endsWith('.eml'))
          .map(async (name) => ({ id: name.slice(0, -4), at: (await stat(join(folder, name))).mtimeMs })),
      )
      const newest = files.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1)).slice(0, limit)
      const mails = await Promise.all(newest.map(({ id }) => read(id)))
      return mails.filter((mail) => mail !== undefined)
    },
    read,
    readMessage: async (id) => (ID.test(id) ? readFile(file(id, 'eml')).catch(() => undefined) : undefined),
    async deleteMessagesTo(addresses) {
      const recipients = new Set(addresses.map((address) => address.toLowerCase()))
      const mails = (await listAll()).filter(({ to }) => recipients.has(to.address.toLowerCase()))
      for (const { id } of mails)
        for (const extension of ['json', 'eml'] as const) await rm(file(id, extension), { force: true })
      return mails.length
    },
    close: async () => undefined,
  }
}
