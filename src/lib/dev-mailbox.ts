import { createHash } from 'node:crypto'
import { chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Mailer, type MailMessage, mailOf } from './mailer.ts'
import { makePrivateFolder } from './private-folder.ts'

/** A message in the development mailbox. */
export interface StoredMail extends Pick<MailMessage, 'messageId' | 'from' | 'to' | 'subject' | 'text'> {
  id: string
  /** ISO 8601. */
  date: string
  html: string | null
}

/** The folder that receives messages when there is no mail server: `.eml` files that a mail program can open. */
export interface DevMailbox extends Mailer {
  /** Returns the newest messages, at most so many. */
  list(most: number): Promise<StoredMail[]>
  read(id: string): Promise<StoredMail | undefined>
  /** Returns a message as it would have been sent (RFC 5322). */
  readMessage(id: string): Promise<Buffer | undefined>
}

/** Derives the name of the files from the Message-ID, so that a repeated message replaces itself. */
const idOf = (messageId: string): string => createHash('sha256').update(messageId).digest('hex').slice(0, 24)
const ID = /^[0-9a-f]{24}$/

/** Removes access of other accounts to the folder: earlier versions left it open. */
async function tighten(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => undefined)
  if (!names) return
  await chmod(folder, 0o700)
  // Another process may have renamed its file meanwhile.
  for (const name of names) await chmod(join(folder, name), 0o600).catch(() => undefined)
}

/**
 * Creates a mailer that stores messages in a folder. The folder is created with the first message; beside each message lies a
 * summary for the page of the mailbox. Messages hold links that open accounts, so only the owner of the folder can read them.
 */
export async function openDevMailbox(folder: string): Promise<DevMailbox> {
  await tighten(folder)
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
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
    const kept: StoredMail[] = []
    for (const name of names) {
      const one = name.endsWith('.json') ? await read(name.slice(0, -5)) : undefined
      if (one) kept.push(one)
    }
    return kept
  }

  return {
    async send(mail) {
      const { message } = await transport.sendMail(mailOf(mail) as Parameters<typeof transport.sendMail>[0])
      const { messageId, date, from, to, subject, text, html = null } = mail
      const id = idOf(messageId)
      makePrivateFolder(folder)
      const summary: StoredMail = { id, messageId, date: date.toISOString(), from, to, subject, text, html }
      await write(file(id, 'json'), JSON.stringify(summary))
      await write(file(id, 'eml'), message as Buffer)
    },
    async list(most) {
      const names = await readdir(folder).catch(() => [])
      const found = await Promise.all(
        names
          .filter((name) => name.endsWith('.eml'))
          .map(async (name) => ({ id: name.slice(0, -4), at: (await stat(join(folder, name))).mtimeMs })),
      )
      const newest = found.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1)).slice(0, most)
      const kept = await Promise.all(newest.map(({ id }) => read(id)))
      return kept.filter((one) => one !== undefined)
    },
    read,
    readMessage: async (id) => (ID.test(id) ? readFile(file(id, 'eml')).catch(() => undefined) : undefined),
    async forget(addresses) {
      const wanted = new Set(addresses.map((address) => address.toLowerCase()))
      const kept = await listAll()
      const theirs = kept.filter(({ to }) => wanted.has(to.address.toLowerCase()))
      for (const { id } of theirs)
        for (const extension of ['json', 'eml'] as const) await rm(file(id, extension), { force: true })
      return theirs.length
    },
    close: async () => undefined,
  }
}
