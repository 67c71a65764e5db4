import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { kindOfTable } from '../../../src/domain/administration/storage.ts'
import { createDraft, emailProgress, sendDraft } from '../../support/emails.ts'
import { unescapeHtml } from '../../support/html.ts'
import { type HttpBrowser, signInAs } from '../../support/http-browser.ts'
import { useMailbox } from '../../support/mailbox.ts'
import { addSurvey, pageOf } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const backups = mkdtempSync(join(tmpdir(), 'canvass-backups-'))
const mailbox = useMailbox()
const world = useWorld({
  smtp: () => mailbox.url,
  settings: { BACKUP_TO: `${backups}/`, BACKUP_SCHEDULE: '15 2 * * *' },
})
const plain = useWorld()
const ROOT = '/administration/'
const PAGES = ['', 'users/', 'mail/', 'jobs/', 'storage/', 'backups/', 'health/', 'settings/', 'activity/']
const textOf = (page: string) => unescapeHtml(page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))

let admin: Person
let desk: HttpBrowser
beforeAll(async () => {
  admin = await world.person({ name: 'Rita Root', isAdministrator: true })
  desk = await signInAs(admin)
})
afterAll(() => rmSync(backups, { recursive: true }))

const textAt = async (path: string) => textOf((await desk.get(`${ROOT}${path}`)).text)

describe('the pages of the administration', () => {
  test('are in one list, and do not exist for others', async () => {
    const { text } = await desk.get(ROOT)
    for (const path of PAGES) expect(text).toContain(`href="${ROOT}${path}"`)
    expect(textOf(text)).toMatch(/PostgreSQL \d+/)
    const other = await signInAs(await world.person({ isDeveloper: true }))
    for (const path of PAGES) expect([path, (await other.get(`${ROOT}${path}`)).status]).toEqual([path, 404])
    await other.get('/account/')
    for (const path of ['mail/test/', 'mail/1/', `jobs/${crypto.randomUUID()}/`, 'backups/', 'health/'])
      expect([path, (await other.post(`${ROOT}${path}`, { email: 'a@example.org' })).status]).toEqual([path, 404])
  })

  test('show the settings with their sources, and no secrets', async () => {
    const page = await textAt('settings/')
    expect(page).toMatch(/BACKUP_SCHEDULE [^.]*\. 15 2 \* \* \* environment/)
    expect(page).toMatch(/SECRET_KEY [^*]*\*\*\* environment/)
    expect(page).toMatch(/SECURITY_LOG_DAYS [^.]*\. 365 default/)
    expect(page).not.toContain(world.secretKey)
  })

  test('check the installation as the command doctor does', async () => {
    expect(textOf((await desk.get(`${ROOT}health/`)).text)).not.toContain('database.connection')
    const [one, other] = await Promise.all([desk.post(`${ROOT}health/`), desk.post(`${ROOT}health/`)])
    for (const reply of [one, other]) {
      expect(reply.status).toBe(200)
      expect(textOf(reply.text)).toMatch(/\d+ checks: \d+ errors?, \d+ warnings?/)
      expect(textOf(reply.text)).toContain('Good database.connection PostgreSQL')
      expect(textOf(reply.text)).toMatch(/Error jobs.worker No worker has run yet. Start "canvass work"/)
    }
  })

  test('show the space of each kind of data', async () => {
    const page = await textAt('storage/')
    expect(page).toMatch(/The database takes \d+([.,]\d)? MB\./)
    for (const kind of ['Responses', 'Accounts', 'Jobs', 'Activity']) expect(page).toContain(`${kind} `)
  })
})

describe('the kinds of tables', () => {
  test('leave only tables of the program itself without a kind', async () => {
    const { rows } = await world.application.services.pool.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
    )
    const other = rows.filter(({ schema, name }) => kindOfTable(schema, name) === 'other').map(({ name }) => name)
    expect(other.sort()).toEqual(['backup_run', 'migration', 'provider_failure', 'respondent_session', 'secret_key'])
  })
})

describe('mail', () => {
  test('sends a test message, and shows the reply of a mail server that refuses it', async () => {
    await desk.get(`${ROOT}mail/`)
    const sent = await desk.post(`${ROOT}mail/test/`, { email: 'test@example.org' })
    expect([sent.status, sent.to]).toEqual([303, `${ROOT}mail/`])
    expect(mailbox.sentTo('test@example.org')).toMatchObject([{ headers: { subject: 'Test message of Canvass' } }])
    expect(await textAt('mail/')).toContain('The mail server accepted the message to test@example.org.')
    const behaviour = mailbox.behaviour
    mailbox.behaviour = () => '550 5.1.1 no such mailbox'
    const refused = await desk.post(`${ROOT}mail/test/`, { email: 'gone@example.org' })
    mailbox.behaviour = behaviour
    expect(textOf(refused.text)).toMatch(/The message was not sent\. .*no such mailbox/)
    expect((await desk.post(`${ROOT}mail/test/`, { email: 'nobody' })).status).toBe(422)
    expect(await textAt('activity/')).toContain('Test message sent You, ')
  })

  test('lists emails with failed messages, and sends them again', async () => {
    const ann = await world.person()
    const structure = {
      title: 'Secret plans',
      form: [pageOf({ idname: 'text-response', id: 'name', title: 'Name', children: [{ type: 'string' }] })],
    }
    const { survey } = await addSurvey(ann, structure)
    const { id: contact } = (await ann.post('/api/v3/contacts/', { json: { name: 'Cleo', email: 'cleo@example.net' } }))
      .body
    const email = await createDraft(ann, survey.id, [{ ids: [contact], field: 'contacts' }])
    await sendDraft(ann, email)
    expect(await textAt('mail/')).toContain('1 message wait')
    const behaviour = mailbox.behaviour
    mailbox.behaviour = () => '550 5.1.1 no such mailbox'
    await world.runJobs()
    mailbox.behaviour = behaviour
    const page = await textAt('mail/')
    expect(page).toContain(`1 message failed Email ${email} of ${ann.actor.username}`)
    expect(page).toContain('no such mailbox')
    expect(page).not.toContain('Secret plans')
    expect((await desk.post(`${ROOT}mail/${email}/`)).to).toBe(`${ROOT}mail/`)
    await world.runJobs()
    expect(await emailProgress(ann, email)).toMatchObject({ sent: 1, failed: 0 })
    expect((await desk.post(`${ROOT}mail/999999/`)).status).toBe(404)
    expect(await textAt('activity/')).toContain(`1 message of email ${email} queued again You, `)
  })

  test('says that nothing is sent without a mail server', async () => {
    const browser = await signInAs(await plain.person({ isAdministrator: true }))
    expect(textOf((await browser.get(`${ROOT}mail/`)).text)).toContain('No mail server is set up (SMTP_URL)')
    expect(textOf((await browser.get(`${ROOT}backups/`)).text)).toContain('No backups are scheduled.')
    expect((await browser.post(`${ROOT}backups/`)).status).toBe(404)
  })
})

describe('jobs', () => {
  test('that failed are listed with the reason, and tried again once', async () => {
    const { boss } = world.application
    const id = (await boss.send('send-system-email', {
      account: 0,
      subject: 's',
      text: 'secret link',
      reference: 'r',
    }))!
    await boss.fetch('send-system-email')
    await boss.fail('send-system-email', id, { message: 'the disk is full' })
    await world.application.services.pool.query(
      `update pgboss.job set state = 'failed', completed_on = now() where id = $1`,
      [id],
    )
    const page = await textAt('jobs/')
    expect(page).toMatch(/Failed Send an email about an account .* the disk is full/)
    expect(page).not.toContain('secret link')
    expect((await desk.post(`${ROOT}jobs/${id}/`)).to).toBe(`${ROOT}jobs/`)
    expect((await desk.post(`${ROOT}jobs/${id}/`)).status).toBe(404)
    for (const wrong of ['1', "'", crypto.randomUUID()])
      expect((await desk.post(`${ROOT}jobs/${encodeURIComponent(wrong)}/`)).status).toBe(404)
    const runs = await world.runJobs()
    expect(runs).toMatchObject([{ name: 'send-system-email', payload: { text: 'secret link' } }])
    expect(await textAt('activity/')).toContain('Failed job tried again: send-system-email You, ')
  })
})

describe('backups', () => {
  test('are started once at a time, verified, and listed', async () => {
    expect(await textAt('backups/')).toContain('Last verified never')
    await desk.get(`${ROOT}backups/`)
    await Promise.all([desk.post(`${ROOT}backups/`), desk.post(`${ROOT}backups/`)])
    expect(await textAt('backups/')).toContain('A backup is waiting or running.')
    expect(await world.application.boss.findJobs('back-up')).toHaveLength(1)
    // The process of the backup reads the settings of this process.
    Object.assign(process.env, { SECRET_KEY: world.secretKey, DATA_DIR: world.dataDir })
    await world.runJobs()
    for (const name of ['SECRET_KEY', 'DATA_DIR']) delete process.env[name]
    const page = await textAt('backups/')
    expect(page).toMatch(/Last backups .* Verified/)
    expect(page).toMatch(/Stored backups canvass-\d{8}T\d{6}Z\.backup/)
    expect(page).not.toContain('Last verified never')
    rmSync(backups, { recursive: true })
    writeFileSync(backups, 'not a folder')
    expect(await textAt('backups/')).toContain('The list cannot be read.')
    expect(await textAt('activity/')).toContain('Backup started You, ')
  }, 60_000)
})
