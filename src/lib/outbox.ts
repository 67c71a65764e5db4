import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Letter, type Mailer, mailOf } from './mailer.ts'

/** A letter in the outbox. */
export interface Kept extends Pick<Letter, 'messageId' | 'from' | 'to' | 'subject' | 'text'> {
  id: string
  /** ISO 8601. */
  date: string
  html: string | null
}

/** Where letters land when there is no mail server: a folder of `.eml` files that a mail program can open. */
export interface Outbox extends Mailer {
  /** The newest letters first, at most so many. */
  list(most: number): Promise<Kept[]>
  read(id: string): Promise<Kept | undefined>
  /** The letter as it would have been sent (RFC 5322). */
  readMessage(id: string): Promise<Buffer | undefined>
}

/** A letter that is kept again replaces itself. */
const idOf = (messageId: string): string => createHash('sha256').update(messageId).digest('hex').slice(0, 24)
const ID = /^[0-9a-f]{24}$/

/** Keeps letters in a folder, which is made when the first one comes. Beside each lies a summary for our own page. */
export function createOutbox(folder: string): Outbox {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const file = (id: string, extension: 'eml' | 'json') => join(folder, `${id}.${extension}`)

  async function write(path: string, content: Buffer | string): Promise<void> {
    await writeFile(`${path}.part`, content)
    await rename(`${path}.part`, path)
  }

  async function read(id: string): Promise<Kept | undefined> {
    const summary = ID.test(id) && (await readFile(file(id, 'json'), 'utf8').catch(() => undefined))
    return summary ? (JSON.parse(summary) as Kept) : undefined
  }

  return {
    async send(letter, { beforeEnd = async () => undefined } = {}) {
      const { message } = await transport.sendMail(mailOf(letter) as Parameters<typeof transport.sendMail>[0])
      const { messageId, date, from, to, subject, text, html = null } = letter
      const id = idOf(messageId)
      await mkdir(folder, { recursive: true })
      await beforeEnd()
      const summary: Kept = { id, messageId, date: date.toISOString(), from, to, subject, text, html }
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
    close: async () => undefined,
  }
}
