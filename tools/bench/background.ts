import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { SMTPServer } from 'smtp-server'
import { HttpBrowser } from '../../test/support/http-browser.ts'
import { line, printStep, ratio } from './figures.ts'
import { AUTHORIZATION, admin, createSurvey, startService, temporaryDatabase } from './servers.ts'
import { FORM, STRUCTURE, submit } from './submit.ts'

const ROWS = 100_000
const CONTACTS_GOAL_S = 15
const RESPONSES_GOAL_S = 20
const FORM_ROWS = 500
const FORM_GOAL_S = 0.3
const RECIPIENTS = 10_000
const EMAILS_GOAL = 1_000
const SUBMIT_SECONDS = 2
const BACKLOG = 20_000
const DELIVERIES_GOAL = 2_000
const LIMIT_MS = 120_000

/** A server of this process that only counts. */
interface Sink {
  url: string
  count: number
  close(): void
}

/**
 * Measures imports and what the worker does: contacts, responses, a form, emails to a mail server of this process, and
 * messages of a webhook to a receiver of this process.
 */
export async function benchBackground(): Promise<void> {
  const database = await temporaryDatabase()
  const [mail, receiver] = [await openMailServer(), await openReceiver()]
  const service = await startService(database.url, undefined, { SMTP_URL: mail.url, ALLOW_PRIVATE_TARGETS: 'on' })
  try {
    console.log('background: imports and the worker')
    const { id } = await createSurvey(service.base, STRUCTURE)
    await importContacts(service.base)
    await importResponses(service.base, id)
    await convertForm(service.base)
    await sendEmails(service.base, id, mail)
    await deliverMessages(service.base, id, receiver)
    await deliverBacklog(service.base, database.url, id, receiver)
  } finally {
    await service.stop()
    for (const { close } of [mail, receiver]) close()
    await database.stop()
  }
}

async function importContacts(base: string): Promise<void> {
  printStep(`${ROWS} contacts`)
  const rows = Array.from({ length: ROWS }, (_, n) => `Name ${n},person${n}@example.org,City ${n % 100}`)
  const seconds = await timeOf(() => send(base, 'v3/contacts/csv/', `name,email,city\n${rows.join('\n')}`, 'text/csv'))
  printSeconds(`${ROWS} contacts imported`, seconds, CONTACTS_GOAL_S)
}

async function importResponses(base: string, survey: number): Promise<void> {
  printStep(`${ROWS} responses`)
  const browser = new HttpBrowser(base)
  await browser.signIn(admin.username, admin.password)
  const page = `/account/surveys/${survey}/responses/import/`
  await browser.get(page)
  const rows = Array.from(
    { length: ROWS },
    (_, n) => `${['Never', 'Often'][n % 2]},A short answer of a typical length ${n}`,
  )
  const seconds = await timeOf(async () => {
    const { status, text } = await browser.upload(page, `choice0,text1\n${rows.join('\n')}`)
    if (status !== 303) throw new Error(`${page}: ${status} ${text.slice(0, 2_000)}`)
  })
  printSeconds(`${ROWS} responses imported`, seconds, RESPONSES_GOAL_S)
}

async function convertForm(base: string): Promise<void> {
  const rows = Array.from(
    { length: FORM_ROWS },
    (_, n) => `| | ${n % 2 ? 'text' : 'select_one often'} | q${n} | Question ${n} |`,
  )
  const choices = ['never', 'often'].map((name) => `| | often | ${name} | ${name} |`)
  const form = [
    '| survey |',
    '| | type | name | label |',
    ...rows,
    '| choices |',
    '| | list_name | name | label |',
    ...choices,
  ]
  const times: number[] = []
  for (let run = 0; run < 5; run += 1)
    times.push(await timeOf(() => send(base, 'v3/xlsform/', `${form.join('\n')}\n`, 'application/octet-stream')))
  printSeconds(`form of ${FORM_ROWS} rows converted`, Math.min(...times), FORM_GOAL_S)
}

async function sendEmails(base: string, survey: number, mail: Sink): Promise<void> {
  printStep(`${RECIPIENTS} emails`)
  const json = 'application/json'
  const rows = Array.from({ length: RECIPIENTS }, (_, n) => `Recipient ${n},recipient${n}@example.org,All`)
  await send(base, 'v3/contacts/csv/', `name,email,city\n${rows.join('\n')}`, 'text/csv')
  const ids: number[] = []
  for (let page = 1; ids.length < RECIPIENTS; page += 1) {
    const { results } = await send(base, `v3/contacts/?search=recipient&page_size=500&page=${page}`)
    if (!results.length) break
    ids.push(...results.map(({ id }: { id: number }) => id))
  }
  const draft = { subject: 'Tea?', sender: `Bench <${admin.email}>`, message: 'Come, [Full Name]: [Invite Link]' }
  const { id } = await send(base, `v2/emails/?survey=${survey}`, JSON.stringify(draft), json)
  await send(base, `v2/emails/${id}/recipients/`, JSON.stringify({ contacts: ids.join(',') }), json)
  const seconds = await timeOf(async () => {
    await send(base, `v2/emails/${id}/send/`, '{}', json)
    await countTo(mail, RECIPIENTS)
  })
  line(`emails to ${RECIPIENTS} recipients`, `${Math.round(RECIPIENTS / seconds)}/s`)
  ratio(`  of ${EMAILS_GOAL}/s`, RECIPIENTS / seconds / EMAILS_GOAL, { atLeast: 1 })
}

async function deliverMessages(base: string, survey: number, receiver: Sink): Promise<void> {
  printStep('messages of a webhook')
  const webhook = { subscription_url: receiver.url, event: 'response_complete', survey }
  await send(base, 'v3/webhooks/', JSON.stringify(webhook), 'application/json')
  const paths = [`/api/v3/surveys/${survey}/responses/`]
  const start = performance.now()
  const body = `${FORM}&_completed=1`
  const { requests } = await submit(base, { paths, type: 'application/x-www-form-urlencoded', body }, SUBMIT_SECONDS)
  await countTo(receiver, requests)
  const perSecond = (requests * 1_000) / (performance.now() - start)
  line(`${requests} messages of a webhook`, `${Math.round(perSecond)}/s`, 'while they are submitted, and after')
}

/** Measures the delivery of messages that are all due, without requests at the same time. */
async function deliverBacklog(base: string, databaseUrl: string, survey: number, receiver: Sink): Promise<void> {
  printStep('backlog of a webhook')
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query("update webhook set paused_until = now() + interval '1 hour'")
    const paths = [`/api/v3/surveys/${survey}/responses/`]
    const submission = { paths, type: 'application/x-www-form-urlencoded', body: `${FORM}&_completed=1` }
    const pending = async () => {
      const { rows } = await client.query('select count(*) from webhook_delivery where next_attempt_at is not null')
      return Number(rows[0].count)
    }
    let due = await pending()
    for (; due < BACKLOG; due = await pending()) await submit(base, submission, 1)
    const target = receiver.count + due
    const seconds = await timeOf(async () => {
      await client.query('update webhook set paused_until = null')
      await countTo(receiver, target)
    })
    line(`${due} messages of a webhook, all due`, `${Math.round(due / seconds)}/s`)
    ratio(`  of ${DELIVERIES_GOAL}/s`, due / seconds / DELIVERIES_GOAL, { atLeast: 1 })
  } finally {
    await client.end()
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}

function printSeconds(label: string, seconds: number, goal: number): void {
  line(label, `${seconds.toFixed(2)} s`)
  ratio(`  of ${goal} s`, seconds / goal, { atMost: 1 })
}

/** Sends a request of the API. @returns the parsed reply */
async function send(base: string, address: string, body?: string, type?: string) {
  const headers = { authorization: AUTHORIZATION, ...(type && { 'content-type': type }) }
  const reply = await fetch(`${base}/api/${address}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body: body ?? null,
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${address}: ${reply.status} ${text.slice(0, 2_000)}`)
  return JSON.parse(text || 'null')
}

async function countTo(sink: Sink, count: number): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; sink.count < count; await pause(10))
    if (Date.now() > deadline) throw new Error(`${sink.count} instead of ${count} arrived`)
}

async function openMailServer(): Promise<Sink> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, callback) {
      stream.on('end', () => {
        sink.count += 1
        callback()
      })
      stream.resume()
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const sink: Sink = { url: `smtp://127.0.0.1:${port}`, count: 0, close: () => server.close(() => undefined) }
  return sink
}

async function openReceiver(): Promise<Sink> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      sink.count += 1
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const sink: Sink = { url: `http://127.0.0.1:${port}/`, count: 0, close }
  return sink
}
