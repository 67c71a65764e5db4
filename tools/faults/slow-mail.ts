import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from './accounts.ts'
import { inviteAll } from './email.ts'
import { send } from './http.ts'
import { startMailServer } from './mail.ts'
import { startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { createTarget, inEnvironment } from './service.ts'

/** Maximum time until the emails of the second account are sent, in milliseconds. */
const LIMIT_MS = 180_000

/**
 * Checks that slow recipients do not delay another account. The first account sends emails to recipients for whom the
 * mail server never replies. Meanwhile, the emails of the second account must be sent in time.
 */
export const slowMail = (options: Options): Promise<Result> =>
  inEnvironment(async (environment) => {
    const { auth, folder, serve, work, onCleanup } = environment
    const [emails, recipients, others] = options.short ? [4, 80, 3] : [10, 500, 20]
    const postgres = await startPostgres(folder)
    onCleanup(postgres.stop)
    const arrivals = new Map<string, number>()
    let stalled = 0
    const isOther = (address: string) => address.startsWith('other')
    const mail = await startMailServer((address) => {
      if (isOther(address)) arrivals.set(address, performance.now())
      else stalled += 1
      return isOther(address) ? Promise.resolve() : new Promise(() => undefined)
    })
    onCleanup(mail.close)
    const settings = { DATABASE_URL: postgres.url, SMTP_URL: mail.url }
    const { base } = await serve({ ...settings, WORKER: 'off' })
    await inviteAll(environment, base, postgres.url, recipients, emails)
    await work(settings)
    const deadline = performance.now() + LIMIT_MS
    while (stalled < 4 && performance.now() < deadline) await pause(20)
    await pause(2_000)
    const other = await createAccount(base, auth)
    const { id } = await createTarget(base, other)
    const sent = new Map<string, number>()
    for (let index = 0; index < others; index += 1) {
      const email = `other${index}@example.net`
      const json = { name: email, email, subject: 'Survey', sender: 'bob@example.org', message: '[Invite Link]' }
      const reply = await send(`${base}/api/v3/surveys/${id}/invites/`, { method: 'POST', auth: other, json })
      if (reply.status !== 201) throw new Error(`invites: ${reply.status} ${reply.text}`)
      sent.set(email, performance.now())
    }
    while (mail.messageIds.size < others && performance.now() < deadline) await pause(20)
    const recoveryMs = Math.max(
      0,
      ...[...sent].map(([email, at]) => (arrivals.get(email) ?? Number.POSITIVE_INFINITY) - at),
    )
    return {
      fault: `mail: ${emails} emails of another account without an answer`,
      writes: `${others} emails`,
      lost: others - mail.messageIds.size,
      doubled: 0,
      recoveryMs,
      problems: recoveryMs > limitMs(options) ? ['the silent recipients delay the other account'] : [],
    }
  })
