import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { versions } from '../../scripts/versions.ts'
import { demoStructure } from '../../src/command/demo.ts'
import { makeWorkbook } from '../../test/support/workbook.ts'
import { exampleStructure } from './example-structure.ts'

/**
 * IDs of existing objects, by the name of the path parameter, and other values for requests: contents of files, a
 * cursor, and email addresses.
 */
export type ObjectIds = Record<string, (number | string)[] | string>

/** The number of objects of each kind. tools/fuzz/objects.py does not delete the first object of a kind. */
const OBJECTS_PER_KIND = 4

/** The email address of an account that can be a member of groups. */
const MEMBER = 'member@example.org'

const email = { sender: 'Ann <ann@example.org>', message: 'Please: [Invite Link]' }

const XLSFORM = {
  survey: [
    ['type', 'name', 'label'],
    ['text', 'q1', 'What can we do better?'],
  ],
}

/**
 * Marks all messages as sent, because no worker runs that could send them. Only sent messages can bounce and be
 * followed by reminders.
 * @param url the address of the database
 */
async function markMessagesSent(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(
    `update email_message set state = 'sent', address = contact.email, sent_at = now()
     from contact where contact.id = email_message.contact_id`,
  )
  await client.end()
}

/**
 * Creates objects of every kind through the API, so that path parameters can refer to existing objects.
 * @param database the address of the database of the service
 */
export async function createObjects(base: string, database: string, authorization: string): Promise<ObjectIds> {
  async function send<Reply = { id: number }>(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await fetch(`${base}/api${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path} returned ${reply.status}: ${await reply.text()}`)
    return (await reply.json()) as Reply
  }
  /** Uploads a file. @returns its key */
  async function upload(path: string, body: Buffer<ArrayBuffer>): Promise<string> {
    const headers = { authorization, 'content-type': 'application/octet-stream' }
    const reply = await fetch(`${base}/api${path}`, { method: 'POST', headers, body })
    return ((await reply.json()) as { key: string }).key
  }
  const colleague = (n: number) => ({ email: `colleague${n}@example.org`, roles: 'view' })
  /** Creates members of the team of the first survey. Only version 2 creates accounts. @returns their IDs */
  async function createTeamMembers(): Promise<number[]> {
    const ids: number[] = []
    for (let n = 0; n < OBJECTS_PER_KIND; n += 1) {
      const [email, password] = [`member${n}@example.org`, 'correct horse battery']
      ids.push((await send('POST', '/v2/users/', { email, password })).id)
      const team = `/v3/surveys/${survey}/team/invitations/`
      const { url } = await send<{ url: string }>('POST', team, { email, roles: 'view' })
      const reply = await fetch(`${base}/api/v3/colleague-invitations/accept/`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ key: new URL(url).searchParams.get('key') }),
      })
      if (!reply.ok) throw new Error(`An invitation was not accepted: ${await reply.text()}`)
    }
    return ids
  }
  async function importSurvey(body: Buffer<ArrayBuffer>): Promise<number> {
    const headers = { authorization, 'content-type': 'application/octet-stream' }
    const reply = await fetch(`${base}/api/v3/imports/`, { method: 'POST', headers, body })
    const { survey_uri } = (await reply.json()) as { survey_uri: string }
    return Number(/surveys\/(\d+)\//.exec(survey_uri)?.[1])
  }
  async function several(path: string, body: (n: number) => unknown): Promise<number[]> {
    const ids: number[] = []
    for (let n = 0; n < OBJECTS_PER_KIND; n += 1) ids.push((await send('POST', path, body(n))).id)
    return ids
  }

  const surveys = await several('/v3/surveys/', (n) => ({ name: `Survey ${n}` }))
  for (const [n, id] of surveys.entries())
    await send('PUT', `/v3/surveys/${id}/structure/`, n % 4 === 3 ? demoStructure : exampleStructure)
  const survey = surveys[0]
  await send('POST', `/v3/surveys/${survey}/filters/`, { name: 'late reds', query: 'q1=1' })
  await send('POST', `/v3/surveys/${survey}/tags/`, { name: 'quarterly' })
  const contacts = await several('/v3/contacts/', (n) => ({ name: `Person ${n}`, email: `person${n}@example.org` }))
  const lists = await several('/v3/contact-lists/', (n) => ({ name: `List ${n}` }))
  for (const list of lists) await send('POST', `/v3/contact-lists/${list}/contacts/`, { id: contacts.join() })
  const webhooks = await several('/v3/webhooks/', (n) => ({
    event: 'response_complete',
    subscription_url: `https://hooks.example.com/${n}`,
  }))
  // The webhook has a delivery for each response and for each ping.
  await send('POST', `/v3/webhooks/${webhooks[0]}/ping/`)
  const responses = await several(`/v3/surveys/${survey}/responses/`, () => ({ q1: 1, q3: 'Fine', _completed: 1 }))
  for (const id of responses.slice(-2)) await send('DELETE', `/v3/surveys/${survey}/responses/${id}/`)
  const workbook = await makeWorkbook(XLSFORM)
  const file = await upload(`/v3/surveys/${survey}/files/?question=photo`, workbook)
  await send('PUT', `/v3/surveys/${survey}/responses/${responses[0]}/`, { photo: file })
  const image = readFileSync(new URL('../../test/support/logo.png', import.meta.url))
  await upload(`/v3/surveys/${survey}/images/`, image)
  const moved = Buffer.from(JSON.stringify({ elements: [{ type: 'text', name: 'why' }] }))
  const imported = await importSurvey(moved)
  const deliveries = await send<{ results: { id: number }[] }>('GET', `/v3/webhooks/${webhooks[0]}/deliveries/`)
  const feed = await send<{ next_cursor: string }>('GET', `/v3/surveys/${survey}/responses/changes/`)
  const invites = { ...email, subject: 'Please answer', contacts: contacts.join() }
  const sent = await send<{ email: number }>('POST', `/v3/surveys/${survey}/invites/`, invites)
  await markMessagesSent(database)
  const account = await send('GET', '/v3/users/me/')
  if (versions.includes('v2')) await send('POST', '/v2/users/', { email: MEMBER })
  const categories = await several(`/v3/surveys/${survey}/coding/categories/`, (n) => ({ name: `Category ${n}` }))
  const rounds: number[] = []
  for (let n = 0; n < OBJECTS_PER_KIND; n += 1) {
    const { id } = await send('POST', `/v3/surveys/${survey}/coding/rounds/`)
    await send('PUT', `/v3/surveys/${survey}/coding/rounds/${id}/`, {})
    rounds.push(id)
  }
  return {
    survey_id: surveys,
    response_id: responses,
    report_id: await several(`/v3/surveys/${survey}/reports/`, (n) => ({ title: `Report ${n}` })),
    category_id: categories,
    round_id: rounds,
    rule_id: await several(`/v3/surveys/${survey}/coding/rules/`, (n) => ({
      contains: `word ${n}`,
      category: categories[0],
    })),
    collector_id: await several('/v3/collectors/', (n) => ({ name: `Collector ${n}`, survey })),
    contact_id: contacts,
    list_id: lists,
    embed_id: await several('/v3/embeds/', () => ({ survey, kind: 'link' })),
    preview_link_id: await several(`/v3/surveys/${survey}/preview-links/`, (n) => ({ label: `Reader ${n}` })),
    comment_id: await several(`/v3/surveys/${survey}/comments/`, (n) => ({ text: `Comment ${n}` })),
    library_question_id: await several('/v3/question-library/', () => ({ survey, question: 'q3' })),
    template_id: await several('/v3/templates/', (n) => ({ name: `Template ${n}`, structure: exampleStructure })),
    // Only version 2 has operations for these objects.
    ...(versions.includes('v2') && {
      member_id: await createTeamMembers(),
      group_id: await several('/v2/groups/', (n) => ({ name: `Group${n}` })),
      email_id: await several(`/v2/emails/?survey=${survey}`, (n) => ({ subject: `Email ${n}`, ...email })),
    }),
    webhook_id: webhooks,
    delivery_id: deliveries.results.map(({ id }) => id),
    question_id: ['q1'],
    hand_over_id: await several('/v3/hand-overs/', (n) => ({ surveys: surveys[n], email: `heir${n}@example.org` })),
    invitation_id: await several(`/v3/surveys/${survey}/team/invitations/`, colleague),
    version: [1],
    other: [1],
    user_id: [account.id],
    gallery_template_id: ['net-promoter'],
    file_key: [file],
    xlsform: workbook.toString('base64'),
    image: image.toString('base64'),
    moved: moved.toString('base64'),
    imported: [imported],
    member: MEMBER,
    since: feed.next_cursor,
    sent_email_id: [sent.email],
    recipient: 'person0@example.org',
  }
}
