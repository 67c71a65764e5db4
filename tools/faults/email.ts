import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/random.ts'
import { send } from './http.ts'
import { type MailServer, randomDelays, startMailServer } from './mail.ts'
import { query, startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { createTarget, type Environment, inEnvironment } from './service.ts'

/** Maximum duration of the whole fault, in milliseconds. */
const LIMIT_MS = 600_000
const RECOVERY_LIMIT_MS = 60_000

/**
 * Kills one of two workers twenty times while the workers send 2,000 messages. In the short form, kills a worker twice
 * while they send 200 messages.
 */
export const emails = ({ seed, short }: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const [recipients, emailCount, kills] = short ? [200, 2, 2] : [2_000, 20, 20]
    const postgres = await startPostgres(environment.folder)
    environment.onCleanup(postgres.stop)
    const random = seededRandom(seed)
    const mail = await startMailServer(randomDelays(random))
    environment.onCleanup(mail.close)
    const settings = { DATABASE_URL: postgres.url, SMTP_URL: mail.url }
    const { base } = await environment.serve({ ...settings, WORKER: 'off' })
    await inviteAll(environment, base, postgres.url, recipients, emailCount)
    const workers = [await environment.work(settings), await environment.work(settings)]
    const recoveries: Promise<number>[] = []
    const deadline = Date.now() + LIMIT_MS
    for (let kill = 1; kill <= kills && Date.now() < deadline; kill += 1) {
      // The kills are distributed over the time in which messages are sent, so that each kill interrupts messages.
      const due = (recipients * kill) / (kills + 1)
      while (mail.count() < due && Date.now() < deadline) await pause(5)
      await pause(random() * 50)
      const index = Math.floor(random() * workers.length)
      await workers[index]!.end('SIGKILL')
      recoveries.push(waitForRecovery(postgres.url))
      workers[index] = await environment.work(settings)
    }
    const unsent = async () =>
      (
        await query<{ left: number }>(postgres.url, `select count(*)::int as left from email where status <> 'sent'`)
      )[0]!.left
    while ((await unsent()) > 0 && Date.now() < deadline) await pause(200)
    const [markedSent] = await query<{ sent: number }>(
      postgres.url,
      `select count(*)::int as sent from email_message where state = 'sent'`,
    )
    const recoveryMs = Math.max(...(await Promise.all(recoveries)))
    return [
      resultOfSending(mail, {
        recipients,
        kills,
        markedSent: markedSent!.sent,
        unsent: await unsent(),
        recoveryMs,
        short,
      }),
    ]
  })

/**
 * Waits until another worker has requeued the messages of a killed worker. Call it directly after the kill.
 * @returns the duration in milliseconds; infinite after a minute
 */
async function waitForRecovery(databaseUrl: string): Promise<number> {
  const killed = performance.now()
  // This is enough time for the database to detect the closed connection of the killed worker.
  await pause(100)
  const abandoned = await query<{ id: string; run: string }>(
    databaseUrl,
    `select id, run from email_message where state = 'sending' and not exists (
       select from pg_locks where locktype = 'advisory' and objsubid = 1
         and (classid::bigint << 32 | objid::bigint) = hashtextextended('send-email ' || email_id, 0))`,
  )
  const runs = [...new Set(abandoned.map(({ run }) => `'${run}'`))].join()
  const left = `select id from email_message where run in (${runs}) and state = 'sending'`
  while (runs && (await query(databaseUrl, left)).length > 0) {
    if (performance.now() - killed > RECOVERY_LIMIT_MS) return Number.POSITIVE_INFINITY
    await pause(50)
  }
  return performance.now() - killed
}

/**
 * Creates contacts `person0@…`, `person1@…` and invites all of them. Each email invites the same number of contacts.
 */
export async function inviteAll(
  { auth }: Environment,
  base: string,
  databaseUrl: string,
  count: number,
  emailCount: number,
): Promise<void> {
  const { id: survey } = await createTarget(base, auth)
  const rows = Array.from({ length: count }, (_, index) => `Person ${index},person${index}@example.net`)
  const imported = await fetch(`${base}/api/v3/contacts/csv/`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Basic ${btoa(auth)}` },
    body: ['name,email', ...rows].join('\n'),
  })
  if (!imported.ok) throw new Error(`import: ${imported.status} ${await imported.text()}`)
  const ids = await query<{ id: string }>(databaseUrl, 'select id from contact order by id')
  const share = count / emailCount
  for (let number = 0; number < emailCount; number += 1) {
    const contacts = ids.slice(number * share, (number + 1) * share).map(({ id }) => id)
    const { status, text } = await send(`${base}/api/v3/surveys/${survey}/invites/`, {
      method: 'POST',
      auth,
      json: {
        subject: `Survey ${number}`,
        sender: 'Ann <ann@example.org>',
        message: 'Please answer: [Invite Link]',
        contacts: contacts.join(),
      },
    })
    if (status !== 201) throw new Error(`invites: ${status} ${text}`)
  }
}

interface SendingResult {
  recipients: number
  kills: number
  /** The number of messages that are marked as sent. */
  markedSent: number
  /** The number of emails that have unsent messages. */
  unsent: number
  recoveryMs: number
  short: boolean
}

function resultOfSending(
  { messageIds, count }: MailServer,
  { recipients, kills, markedSent, unsent, recoveryMs, short }: SendingResult,
): Result {
  const doubled = [...messageIds.values()].filter((ids) => new Set(ids).size > 1).length
  const repeats = count() - messageIds.size
  const lost = recipients - messageIds.size
  const problems = [
    ...(lost ? [`${lost} recipients got no message`] : []),
    ...(doubled ? [`${doubled} recipients got messages with different Message-IDs`] : []),
    ...(markedSent > messageIds.size ? [`${markedSent} are marked as sent, ${messageIds.size} were`] : []),
    ...(unsent ? [`${unsent} emails are incomplete`] : []),
    // A worker sends four emails at the same time, and four messages of each, so a kill interrupts at most 16 messages.
    ...(repeats > kills * 16 ? [`${repeats} duplicates`] : []),
    ...(recoveryMs > limitMs({ short }) ? ['recovery took too long'] : []),
  ]
  const writes = `${recipients} recipients, ${repeats} repeated under the same Message-ID`
  return { fault: `worker killed ×${kills} while it sends`, writes, lost, doubled, recoveryMs, problems }
}
