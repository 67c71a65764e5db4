import { setTimeout as pause } from 'node:timers/promises'
import { inviteAll } from './email.ts'
import { startMailServer } from './mail.ts'
import { query, startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { inEnvironment } from './service.ts'

/** Maximum time until all messages are sent, in milliseconds. */
const LIMIT_MS = 300_000

/**
 * Sends two emails while the mail server does not reply for the recipients of the first email. The second email must be
 * sent in the meantime, and the first email as soon as the mail server replies again.
 */
export const stalledMail = (options: Options): Promise<Result[]> =>
  inEnvironment(async (environment) => {
    const recipients = options.short ? 100 : 2_000
    const postgres = await startPostgres(environment.folder)
    environment.onCleanup(postgres.stop)
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const half = recipients / 2
    const isStalled = (address: string) => Number(/\d+/.exec(address)![0]) < half
    const mail = await startMailServer(async (address) => (isStalled(address) ? answered : undefined))
    environment.onCleanup(mail.close)
    const settings = { DATABASE_URL: postgres.url, SMTP_URL: mail.url }
    const { base } = await environment.serve({ ...settings, WORKER: 'off' })
    await inviteAll(environment, base, postgres.url, recipients, 2)
    const start = performance.now()
    await environment.work(settings)
    const others = () => [...mail.messageIds.keys()].filter((address) => !isStalled(address)).length
    const deadline = start + LIMIT_MS
    while (others() < half && performance.now() < deadline) await pause(20)
    const sentMs = performance.now() - start
    const problems = others() < half ? ['the stalled messages delay the others'] : []
    const received = mail.messageIds.size
    const answeredAt = performance.now()
    answer()
    while (mail.messageIds.size === received && performance.now() < deadline) await pause(20)
    const recoveryMs = performance.now() - answeredAt
    const unsent = async () =>
      (
        await query<{ left: number }>(postgres.url, `select count(*)::int as left from email where status <> 'sent'`)
      )[0]!.left
    while ((await unsent()) > 0 && performance.now() < deadline) await pause(200)
    if ((await unsent()) > 0) problems.push(`${await unsent()} emails are incomplete`)
    if (recoveryMs > limitMs(options)) problems.push('sending continues too late')
    return [
      {
        fault: `mail server silent for half of the recipients (the others in ${(sentMs / 1000).toFixed(1)} s)`,
        writes: `${recipients} recipients`,
        lost: recipients - mail.messageIds.size,
        doubled: [...mail.messageIds.values()].filter((ids) => new Set(ids).size > 1).length,
        recoveryMs,
        problems,
      },
    ]
  })
