// Sends invitations through Postfix and Exim, and lets undeliverable ones come back: by LMTP from Postfix, by IMAP from a
// mailbox of Dovecot, and by a pipe to `canvass bounce` from Exim. Then one message of each kind must pass SpamAssassin. Needs
// Debian and root.
// Run: node tools/run.ts tools/neighbours/mail.ts
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ImapFlow } from 'imapflow'
import { type Application, createApplication } from '../../src/bootstrap.ts'
import { readConfig } from '../../src/config.ts'
import { bouncesAmong } from '../../src/domain/contact/bounced-address.ts'
import type { Context } from '../../src/domain/context.ts'
import { createEmail } from '../../src/domain/email/commands.ts'
import { enqueueTestEmail } from '../../src/domain/email/preview.ts'
import { listMessages } from '../../src/domain/email/progress.ts'
import { addRecipients } from '../../src/domain/email/recipients.ts'
import { remind } from '../../src/domain/email/reminders.ts'
import { sendEmail } from '../../src/domain/email/send.ts'
import { enqueue } from '../../src/domain/jobs.ts'
import { createSurvey } from '../../src/domain/survey/commands.ts'
import { notifyOwner, type SystemEmailName, systemEmailLanguages } from '../../src/domain/system-email.ts'
import { type ImapMailbox, openImapMailbox } from '../../src/lib/imap-mailbox.ts'
import { createLog } from '../../src/lib/log.ts'
import { tasks } from '../../src/worker/tasks.ts'
import { freePort } from '../../test/support/process.ts'
import { type RunningServer, startServer } from '../../test/support/running-server.ts'
import { temporaryFolder } from '../../test/support/temp-postgres.ts'
import { waitUntil } from '../../test/support/wait-until.ts'
import {
  type MailServerOptions,
  type MailServerProcess,
  startDovecot,
  startExim,
  startPostfix,
} from './mail-servers.ts'

const WAIT_MS = 30_000
/** The largest score of a message. SpamAssassin marks messages from 5. */
const MAX_SCORE = 1
const NAMES = ['bob', 'ann', 'other']
/** Gets a copy of what comes back to Postfix. */
const RETURNED = 'returned'
const SECRET_KEY = 'a secret key of the neighbours of the mail'

if (process.getuid?.() !== 0) {
  console.error('This tool starts mail servers, which needs root.')
  process.exit(1)
}

// Exim and Dovecot have fixed paths: they run where their folders are mounted for them alone.
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0
if (!canMount) console.log('neighbours: Exim and Dovecot are not tried, because unshare -m is not permitted here')

async function tryMailServer(
  name: 'Postfix' | 'Exim',
  start: (options: MailServerOptions) => Promise<MailServerProcess>,
): Promise<void> {
  const folder = temporaryFolder()
  const [port, lmtpPort] = [await freePort(), await freePort()]
  const command = path.join(folder, 'canvass-bounce')
  const mailFolder = path.join(folder, 'mail-server')
  mkdirSync(mailFolder)
  const bounces = name === 'Postfix' ? { lmtpPort } : { command }
  const mailServer = await start({ folder: mailFolder, port, names: [...NAMES, RETURNED], bounces })
  const settings = {
    BASE_URL: 'https://surveys.example.org',
    SECRET_KEY,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Canvass <surveys@example.org>',
    BOUNCE_ADDRESS: 'bounces@example.org',
    ...(name === 'Postfix' && { BOUNCE_LMTP: String(lmtpPort) }),
  }
  const server = await startServer({ ...settings, ADMIN_EMAIL: 'ann@example.test' })
  const application = await openApplication(server, settings)
  try {
    writeFileSync(command, pipeScript({ ...settings, DATABASE_URL: server.databaseUrl() }), { mode: 0o755 })
    await checkDelivery(name, mailServer, application)
    if (name === 'Postfix' && !mailServer.log().includes('TLS connection established'))
      throw new Error('The connection to Postfix was not encrypted')
    if (name === 'Postfix') {
      if (canMount) await checkMailbox(path.join(folder, 'dovecot'), mailServer, application)
      await checkScores(mailServer, application)
    }
  } catch (error) {
    console.error(`${mailServer.log().slice(-4_000)}\n${server.output().slice(-1_000)}`)
    throw error
  } finally {
    await application.close()
    await server.stop()
    await mailServer.stop()
  }
}

const openApplication = ({ databaseUrl }: RunningServer, settings: Record<string, string>) =>
  createApplication({
    config: readConfig({ ...settings, DATABASE_URL: databaseUrl() }),
    databaseUrl: databaseUrl(),
    log: createLog('silent'),
    clock: () => new Date(),
    strict: false,
  })

/** Returns a script that runs `canvass bounce` with the settings of the server, as the user of a mail server. */
const pipeScript = (settings: Record<string, string>): string => `#!/bin/sh
${Object.entries(settings)
  .map(([name, value]) => `export ${name}='${value}'`)
  .join('\n')}
exec '${process.execPath}' '${path.resolve('src/main.mjs')}' bounce "$@"
`

/** Runs work as the administrator, in a transaction. */
async function act<Result>(
  { orm, services }: Application,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  return orm.em.fork().transactional(async (em) => {
    const [row] = await em.execute(`select id, username, email, name, plan from account where username = 'ann'`)
    const actor = { ...row, isDeveloper: true } as unknown as Context['actor']
    return work({ em, actor, now: new Date(), services })
  })
}

const DRAFT = { subject: 'Lunch on Friday?', sender: 'Ann Example <ann@example.org>' }
const TEXT = 'Dear [Full Name],\n\nplease choose a dish for Friday:\n\n[Invite Link]\n\nThank you\nAnn'

async function invite(context: Context, survey: number, message: string, names: readonly string[]): Promise<number> {
  const { id } = await createEmail(context, { survey }, { ...DRAFT, message })
  for (const name of names)
    await addRecipients(context, id, {
      create: { name: `${name} ${randomUUID().slice(0, 4)}`, email: `${name}@example.test` },
    })
  await sendEmail(context, id)
  return id
}

const newSurvey = (application: Application) =>
  act(application, async (context) => (await createSurvey(context, { name: 'Lunch' })).id)

/** An invitation arrives, one comes back from an unknown recipient, and one waits. */
async function checkDelivery(name: string, mailServer: MailServerProcess, application: Application): Promise<void> {
  const survey = await newSurvey(application)
  const email = await act(application, (context) => invite(context, survey, TEXT, ['bob', 'nobody', 'later']))
  const states = () =>
    act(application, async (context) => {
      const { messages } = await listMessages(context, email, { offset: 0, limit: 10 })
      return messages.map((message) => message.state).join()
    })
  await waitUntil(
    async () => mailServer.messagesTo('bob').length > 0 && (await states()) === 'sent,bounced,queued',
    WAIT_MS,
  )
  const [bounce] = await act(application, async (context) => [
    ...(await bouncesAmong(context, context.actor.id, [
      'bob@example.test',
      'nobody@example.test',
      'later@example.test',
    ])),
  ])
  if (bounce?.[0] !== 'nobody@example.test') throw new Error(`The remembered address is ${bounce?.[0]}`)
  console.log(`neighbours: ${name} delivered an invitation, returned one (${bounce[1].reason}), and deferred one`)
}

/** A mailbox of Dovecot with the returned message is read, and the message is moved to a folder. */
async function checkMailbox(folder: string, mailServer: MailServerProcess, application: Application): Promise<void> {
  const { orm, services } = application
  await waitUntil(() => mailServer.messagesTo(RETURNED).length === 1, WAIT_MS)
  const port = await freePort()
  const stop = await startDovecot(folder, mailServer.mail, port)
  try {
    const url = `imap://${RETURNED}:secret@127.0.0.1:${port}/INBOX`
    const inbox = openImapMailbox({ url })
    if ((await inbox.check()) !== 1) throw new Error('The mailbox has not one unread message')
    const client = await imapClient(port)
    await client.mailboxCreate('Returned')
    const read = (bounceMailbox: ImapMailbox) =>
      tasks['read-bounces'](
        { em: orm.em.fork(), now: new Date(), services: { ...services, bounceMailbox } },
        {},
        AbortSignal.timeout(WAIT_MS),
      )
    await read(openImapMailbox({ url, moveTo: 'Returned' }))
    const moved = await client.status('Returned', { messages: true, unseen: true })
    const left = await client.status('INBOX', { messages: true })
    await client.logout()
    if (!moved || !left || moved.messages !== 1 || left.messages !== 0) throw new Error('The message was not moved')
    console.log('neighbours: a bounce in a mailbox of Dovecot was read and moved')
  } finally {
    await stop()
  }
}

async function imapClient(port: number): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    auth: { user: RETURNED, pass: 'secret' },
    logger: false,
  })
  await client.connect()
  return client
}

/** Sends one message of each kind, and scores all with SpamAssassin. */
async function checkScores(mailServer: MailServerProcess, application: Application): Promise<void> {
  const survey = await newSurvey(application)
  const html =
    '<h1>Lunch</h1><p>Dear [Full Name],</p><p>please <a href="[Invite Link]">choose a dish</a> for Friday.</p><p>Ann</p>'
  const names = Object.keys(systemEmailLanguages.en!) as SystemEmailName[]
  const values = {
    username: 'ann',
    email: 'ann@example.test',
    url: 'https://surveys.example.org/account/',
    used: '90',
    max: '100',
  }
  const before = count(mailServer)
  await act(application, async (context) => {
    const email = await invite(context, survey, TEXT, ['other'])
    await invite(context, survey, html, ['other'])
    await enqueueTestEmail(context, email)
    for (const name of names) await notifyOwner(context, context.actor.id, { name, values })
    await enqueue(context, 'send-system-email', {
      account: context.actor.id,
      subject: 'Your link to continue: Lunch',
      text: `With this link, you can continue later:\n\nhttps://surveys.example.org/ann/lunch/?code=${randomUUID()}\n`,
      to: 'other@example.test',
      toName: '',
      reference: randomUUID(),
    })
    await context.em.execute(
      `insert into survey_notification (survey_id, account_id, frequency, seq, next_at) values (?, ?, 'immediate', 0, now())`,
      [survey, context.actor.id],
    )
    await enqueue(context, 'send-notification', {
      survey,
      account: context.actor.id,
      responses: 3,
      reference: randomUUID(),
    })
  })
  const invited = 2
  await waitUntil(() => mailServer.messagesTo('other').length >= invited, WAIT_MS)
  await waitUntil(async () => {
    const [{ id } = { id: 0 }] = await act(application, ({ em }) =>
      em.execute(`select id from email where survey_id = ? and status = 'sent' order by id limit 1`, [survey]),
    )
    if (!id) return false
    await act(application, (context) => remind(context, id, {}))
    return true
  }, WAIT_MS)
  // Two invitations, a reminder, a test, a link to continue, a notification, and the emails of the service.
  const expected = before + invited + 4 + names.length
  await waitUntil(() => count(mailServer) >= expected, WAIT_MS)
  const bad = score(NAMES.flatMap(mailServer.messagesTo)).filter(([, value]) => value >= MAX_SCORE)
  for (const [subject, value, rules] of bad) console.error(`SpamAssassin: ${value} for "${subject}" (${rules})`)
  if (bad.length) process.exitCode = 1
  else console.log(`neighbours: SpamAssassin scores ${expected} messages below ${MAX_SCORE}`)
}

const count = (mailServer: MailServerProcess) => NAMES.flatMap(mailServer.messagesTo).length

/** Scores messages with the local rules of SpamAssassin. ALL_TRUSTED would forgive one point on this machine. */
function score(files: readonly string[]): (readonly [subject: string, score: number, rules: string])[] {
  if (spawnSync('spamassassin', ['--version']).error)
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'spamassassin'], { stdio: 'pipe' })
  const program = `
    my $test = Mail::SpamAssassin->new({ local_tests_only => 1, dont_copy_prefs => 1, userprefs_filename => '/dev/null', config_text_append => "score ALL_TRUSTED 0\\n" });
    for my $file (@ARGV) {
      open(my $in, '<', $file); my @lines = <$in>; my $message = $test->parse(\\@lines); my $status = $test->check($message);
      my $subject = $message->get_header('Subject'); $subject =~ s/\\s+/ /g;
      print join("\\t", $subject, $status->get_score, $status->get_names_of_tests_hit), "\\n"; $status->finish; $message->finish }`
  const output = execFileSync('perl', ['-MMail::SpamAssassin', '-e', program, ...files], { encoding: 'utf8' })
  const scores = output
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
  if (scores.length !== files.length)
    throw new Error(`SpamAssassin scored ${scores.length} of ${files.length} messages`)
  return scores.map(([subject = '', value, rules = '']) => [subject.trim(), Number(value), rules])
}

await tryMailServer('Postfix', startPostfix)
if (canMount) await tryMailServer('Exim', startExim)
