import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/random.ts'
import { send } from './http.ts'
import { type MailServer, startMailServer } from './mail.ts'
import { ask, startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { type Bench, createTarget, onBench } from './service.ts'

/** So long everything may take, in milliseconds. */
const LIMIT_MS = 600_000
const RECOVERY_LIMIT_MS = 60_000

/** Two workers send 3,000 emails and are killed twenty times (200 and twice in the short form). */
export const emails = ({ seed, short }: Options): Promise<Result[]> =>
  onBench(async (bench) => {
    const [recipients, emailCount, kills] = short ? [200, 2, 2] : [3_000, 20, 20]
    const postgres = await startPostgres(bench.folder)
    bench.afterwards(postgres.stop)
    const random = seededRandom(seed)
    const mail = await startMailServer(random)
    bench.afterwards(mail.close)
    const settings = { DATABASE_URL: postgres.url, SMTP_URL: mail.url }
    const { base } = await bench.serve({ ...settings, WORKER: 'off' })
    await sendAll(bench, base, postgres.url, recipients, emailCount)
    const workers = [await bench.work(settings), await bench.work(settings)]
    const recoveries: Promise<number>[] = []
    const deadline = Date.now() + LIMIT_MS
    for (let kill = 1; kill <= kills && Date.now() < deadline; kill += 1) {
      // Spread over the whole send, so that each kill meets messages under way.
      const due = (recipients * kill) / (kills + 1)
      while (mail.count() < due && Date.now() < deadline) await pause(5)
      await pause(random() * 50)
      const victim = Math.floor(random() * workers.length)
      await workers[victim]!.end('SIGKILL')
      recoveries.push(recovered(postgres.url))
      workers[victim] = await bench.work(settings)
    }
    const unsent = async () =>
      (await ask<{ left: number }>(postgres.url, `select count(*)::int as left from email where status <> 'sent'`))[0]!
        .left
    while ((await unsent()) > 0 && Date.now() < deadline) await pause(200)
    const [marked] = await ask<{ sent: number }>(
      postgres.url,
      `select count(*)::int as sent from email_message where state = 'sent'`,
    )
    const recoveryMs = Math.max(...(await Promise.all(recoveries)))
    return [judge(mail, { recipients, kills, marked: marked!.sent, unsent: await unsent(), recoveryMs, short })]
  })

/**
 * Waits until the emails of a killed worker are taken over. Call it right after the kill.
 * @returns how long it took, in milliseconds; infinite after a minute
 */
async function recovered(databaseUrl: string): Promise<number> {
  const killed = performance.now()
  // The database notices a closed connection within milliseconds.
  await pause(100)
  const abandoned = await ask<{ id: string; run: string }>(
    databaseUrl,
    `select id, run from email_message where state = 'sending' and not exists (
       select from pg_locks where locktype = 'advisory' and objsubid = 1
         and (classid::bigint << 32 | objid::bigint) = hashtextextended('send-email ' || email_id, 0))`,
  )
  const runs = [...new Set(abandoned.map(({ run }) => `'${run}'`))].join()
  const left = `select id from email_message where run in (${runs}) and state = 'sending'`
  while (runs && (await ask(databaseUrl, left)).length > 0) {
    if (performance.now() - killed > RECOVERY_LIMIT_MS) return Number.POSITIVE_INFINITY
    await pause(50)
  }
  return performance.now() - killed
}

/** Creates contacts and emails to all of them, each to its share, and sends them. */
async function sendAll(
  { auth }: Bench,
  base: string,
  databaseUrl: string,
  count: number,
  emailCount: number,
): Promise<void> {
  const call = async (path: string, sent: { json?: unknown; form?: Record<string, string> }) => {
    const { status, text } = await send(base + path, { method: 'POST', auth, ...sent })
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text)
  }
  const { id: survey } = await createTarget(base, auth)
  const rows = Array.from({ length: count }, (_, at) => `Person ${at},person${at}@example.net`)
  const imported = await fetch(`${base}/api/v3/contacts/csv/`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: `Basic ${btoa(auth)}` },
    body: ['name,email', ...rows].join('\n'),
  })
  if (!imported.ok) throw new Error(`import: ${imported.status} ${await imported.text()}`)
  const ids = await ask<{ id: string }>(databaseUrl, 'select id from contact order by id')
  const share = count / emailCount
  for (let number = 0; number < emailCount; number += 1) {
    const json = { subject: `Tea ${number}?`, sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
    const { id } = await call(`/api/v2/emails/?survey=${survey}`, { json })
    const contacts = ids.slice(number * share, (number + 1) * share).map((row) => Number(row.id))
    await call(`/api/v2/emails/${id}/recipients/`, { json: { contacts } })
    await call(`/api/v2/emails/${id}/send/`, { form: {} })
  }
}

interface Sending {
  recipients: number
  kills: number
  /** Messages that are marked as sent. */
  marked: number
  /** Emails that are not finished. */
  unsent: number
  recoveryMs: number
  short: boolean
}

function judge(
  { taken, count }: MailServer,
  { recipients, kills, marked, unsent, recoveryMs, short }: Sending,
): Result {
  const doubled = [...taken.values()].filter((ids) => new Set(ids).size > 1).length
  const repeats = count() - taken.size
  const lost = recipients - taken.size
  const problems = [
    ...(lost ? [`${lost} recipients got nothing`] : []),
    ...(doubled ? [`${doubled} recipients got messages with different Message-IDs`] : []),
    ...(marked > taken.size ? [`${marked} are marked as sent, ${taken.size} were`] : []),
    ...(unsent ? [`${unsent} emails are not finished`] : []),
    // A worker has three emails in hand, and four messages of each under way.
    ...(repeats > kills * 12 ? [`${repeats} repeats`] : []),
    ...(recoveryMs > limitMs({ short }) ? ['recovery took too long'] : []),
  ]
  const writes = `${recipients} recipients, ${repeats} repeated under the same Message-ID`
  return { fault: `worker killed ×${kills} while it sends`, writes, lost, doubled, recoveryMs, problems }
}
