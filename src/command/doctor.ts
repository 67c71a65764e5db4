import { type InspectedConfig, inspectConfig } from '../config.ts'
import type { Finding } from '../lib/finding.ts'
import { checkAddress } from './doctor/address.ts'
import { checkDatabase } from './doctor/database.ts'
import { checkBackups, checkBucket, checkDeletions, checkFolder } from './doctor/files.ts'
import { Findings, reasonOf } from './doctor/finding.ts'
import { checkJobs, checkSecurityLog } from './doctor/jobs.ts'
import { checkBounces, checkMail, checkStoppedEmails } from './doctor/mail.ts'
import { checkNodes, checkReplicas } from './doctor/nodes.ts'
import { checkSignIn } from './doctor/sign-in.ts'
import { checkTraces } from './doctor/traces.ts'

type Check = (found: Findings) => unknown

/**
 * `doctor`: checks the installation and says what to do about each problem. Exits with 1 if there is an error.
 */
export async function run({ json }: { json?: boolean }): Promise<void> {
  const list = await inspectInstallation(undefined, (finding) => {
    if (!json) print(finding)
  })
  const isHealthy = list.every(({ status }) => status !== 'error')
  if (json) console.log(JSON.stringify({ healthy: isHealthy, findings: list }, undefined, 2))
  else console.log(`\n${summaryOf(list)}`)
  if (!isHealthy) process.exitCode = 1
}

/**
 * Checks the installation. Changes nothing: the objects that it writes to the bucket of files and to the store of backups
 * are deleted again.
 * @param env the environment; undefined: that of the process
 * @param report is called with each finding as soon as its group of checks has ended
 */
export async function inspectInstallation(
  env?: NodeJS.ProcessEnv,
  report: (finding: Finding) => void = () => undefined,
): Promise<Finding[]> {
  const list: Finding[] = []
  const { config, errors } = inspectConfig(env)
  /** Runs the checks of a group, unless a setting that they need is invalid. */
  const group = async (name: string, needs: readonly string[], check: Check) => {
    if (errors.some((error) => needs.includes(error.name))) return
    const start = list.length
    const found = new Findings(list, name)
    try {
      await check(found)
    } catch (error) {
      found.error('check', `The check failed: ${reasonOf(error)}.`, 'Fix the cause, then run "canvass doctor" again.')
    }
    list.slice(start).forEach(report)
  }

  await group('settings', [], (found) => {
    for (const { name, message } of errors) found.explained(name, message, `Correct ${name} as in .env.example.`)
    if (!errors.length) found.ok('all', 'all settings are valid')
  })
  await group('folder', ['DATA_DIR'], (found) => checkFolder(config, found))
  await group('database', ['DATABASE_URL', 'DATA_DIR'], (found) => checkStored(config, list, found))
  await group('database', ['DATABASE_REPLICA_URL'], (found) => checkReplicas(config.replicaUrls, found))
  await group('files', ['FILES_URL', 'S3_ADDRESSING_STYLE'], (found) => checkBucket(config, found))
  await group('backups', ['BACKUP_TO', 'BACKUP_SCHEDULE', 'S3_ADDRESSING_STYLE'], (found) =>
    checkBackups(config, found),
  )
  await group('mail', ['SMTP_URL', 'SMTP_TLS', 'SMTP_CA_FILE', 'MAIL_FROM'], (found) => checkMail(config, found))
  await group('mail', ['BOUNCE_ADDRESS', 'BOUNCE_LMTP', 'BOUNCE_IMAP_URL', 'SMTP_CA_FILE'], (found) =>
    checkBounces(config, found),
  )
  await group('address', ['BASE_URL', 'HOST', 'PORT'], (found) => checkAddress(config, found))
  await group('sign-in', ['OIDC_PROVIDERS_FILE'], (found) => checkSignIn(config, found))
  await group('traces', ['OTEL_EXPORTER_OTLP_ENDPOINT'], (found) => checkTraces(config, found))
  return list
}

/** Checks the database. If its schema is current, checks its contents too. */
async function checkStored(config: InspectedConfig, list: Finding[], found: Findings): Promise<void> {
  const database = await checkDatabase(config, found)
  if (!database) return
  try {
    if (!database.isCurrent) return found.ok('contents', 'not checked: jobs, emails, files and the security log')
    await checkNodes(database.client, found)
    await checkJobs(database.client, new Findings(list, 'jobs'))
    await checkStoppedEmails(database.client, new Findings(list, 'mail'))
    await checkDeletions(database.client, new Findings(list, 'files'))
    if (config.secretKey)
      await checkSecurityLog(database.client, database.url, config.secretKey, new Findings(list, 'security log'))
    else
      found.error(
        'secret key',
        'The database exists, but its secret key does not.',
        'Set SECRET_KEY, or restore DATA_DIR/secret-key from a backup. A new key makes API keys and sessions invalid.',
      )
  } finally {
    await database.stop()
  }
}

function print({ check, status, message, mend }: Finding): void {
  console.log(`${status.padEnd(8)} ${check}: ${message}`)
  if (mend) console.log(`${' '.repeat(9)}→ ${mend}`)
}

function summaryOf(list: readonly Finding[]): string {
  const count = (status: Finding['status']) => list.filter((finding) => finding.status === status).length
  const plural = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  return `${plural(list.length, 'check')}: ${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}.`
}
