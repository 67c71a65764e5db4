import { createAccount } from '../../src/domain/account/commands.ts'
import { setNextId } from '../support/db-snapshot.ts'
import { createDraft } from '../support/emails.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import type { Person, World } from '../support/world.ts'

const question = (id: string, title: string, labels: string[]) => ({
  idname: 'single-choice',
  id,
  title: { en: title, fr: title },
  children: [{ type: 'single', choices: labels.map((label) => ({ label: { en: label, fr: label } })) }],
})

const structure = (title: string) => ({
  title: { en: title },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    {
      type: 'page',
      children: [
        question('q1', 'Are you content?', ['Yes', 'No', 'Neither']),
        question('q2', 'Will you come again?', ['Yes', 'No']),
        { idname: 'text-response', id: 'q3', title: 'Anything else?', children: [{ type: 'string' }] },
        { idname: 'file-upload', id: 'photo', title: 'A photo?', children: [{ type: 'file' }] },
      ],
    },
  ],
})

/**
 * Creates the objects of the examples in the contracts: survey 14, response 1207, contact 71 and others, all of one
 * account. Creates them through version 3 of the API and through functions of the domain. Writes to the database
 * directly only to set the ID of the next object and to add a file.
 *
 * @returns the account of the samples
 */
export async function makeExampleWorld(world: World): Promise<Person> {
  const next = (table: string, id: number) => setNextId(world.databaseUrl, table, id)
  world.now = new Date('2026-03-01T09:30:00Z')
  await next('account', 2)
  const owner = await world.person({
    username: 'dora',
    email: 'dora@example.org',
    password: 'correct horse battery',
    isDeveloper: true,
  })
  const ann = await world.person({ username: 'ann', email: 'ann@example.org' })
  await createAccount(world.context(), {
    username: 'carla',
    email: 'carla@example.org',
    password: 'correct horse battery',
  })

  const send = async (method: string, path: string, json: object): Promise<{ id: number }> => {
    const reply = await owner.send(method, `/api/v3/${path}`, { json })
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  const create = async (table: string, id: number, path: string, json: object) => {
    await next(table, id)
    await send('POST', path, json)
  }

  await create('survey', 14, 'surveys/', { name: 'Customer feedback' })
  for (const title of ['First thoughts', 'Second thoughts', 'Customer feedback'])
    await send('PUT', 'surveys/14/structure/', structure(title))
  await create('survey', 18, 'surveys/', { name: 'Summer party' })
  await send('DELETE', 'surveys/18/', {})
  await create('response', 1207, 'surveys/14/responses/', { q1: 1, q3: 'Very content', _completed: 1 })
  await addFile(world, 1207, '8e03978e40d543e8bc936894a57f9324')
  await create('response', 1208, 'surveys/14/responses/', { q1: 0, _completed: 1 })
  await create('response', 1209, 'surveys/14/responses/', { q3: 'A test' })
  await send('DELETE', 'surveys/14/responses/1209/', {})
  await create('collector', 21, 'surveys/14/collectors/', { name: 'Leaflet' })
  await create('collector', 31, 'surveys/14/collectors/', { name: 'Poster' })
  await send('POST', 'surveys/14/filters/', { name: 'content', query: 'q1=0' })
  await send('POST', 'surveys/14/tags/', { name: 'quarterly' })
  await create('coding_category', 3, 'surveys/14/coding/categories/', {
    name: 'Staff',
    description: 'Friendly or unfriendly people',
    colour: '#f9c74f',
  })
  await addImport(world)
  await create('coding_rule', 5, 'surveys/14/coding/rules/', {
    contains: 'friendly',
    category: 3,
    applies_to_new: true,
  })
  await create('coding_round', 2, 'surveys/14/coding/rounds/', {})
  await send('POST', 'surveys/14/coding/answers/', { answers: [{ response_id: 1207, key: 'q3' }], add: [3] })
  await send('PUT', 'surveys/14/coding/rounds/2/', {})
  await addSignInFailure(world)
  await create('report', 8, 'surveys/14/reports/', { title: 'Last quarter' })
  const targets = [0, 1].map((choice) => ({ choice, percentage: 50 }))
  await send('PUT', 'surveys/14/weighting/', { questions: [{ question: 'q1', targets }] })
  await create('embed', 8, 'embeds/', { survey: 14, kind: 'link' })
  await create('template', 5, 'templates/', { name: 'Feedback', survey: 14 })

  for (const [id, name] of Object.entries({ 3: 'Marketing', 5: 'Sales' })) {
    await next('account_group', Number(id))
    await addMember(owner, await makeGroup(owner, name), ann, 'edit')
  }
  await share(owner, 14, 3)
  const invited = await owner.post('/api/v3/surveys/14/team/invitations/', {
    json: { email: 'ann@example.org', roles: 'view' },
  })
  const key = new URL(invited.body.url).searchParams.get('key')
  await ann.post('/api/v3/colleague-invitations/accept/', { json: { key } })
  await create('question_library', 12, 'question-library/', { survey: 14, question: 'q3', group: 3 })
  const colleague = { email: 'colleague@example.net', roles: 'report view' }
  await send('POST', 'surveys/14/review/', { note: 'Please look at page 2.' })
  await create('survey_comment', 7, 'surveys/14/comments/', { text: 'Is this too broad?', question: 'q3' })
  await create('preview_link', 4, 'surveys/14/preview-links/', { label: 'Ethics board' })
  await create('colleague_invitation', 6, 'surveys/14/team/invitations/', colleague)
  await create('colleague_invitation', 7, 'hand-overs/', { surveys: 14, email: 'colleague@example.net' })

  await create('contact', 70, 'contacts/', { name: 'Anna', email: 'anna@example.org' })
  await create('contact', 71, 'contacts/', { name: 'Ben', email: 'ben@example.org', city: 'Oslo' })
  await create('contact', 72, 'contacts/', { name: 'Zoë', email: 'zoe@example.org' })
  await create('contact_list', 8, 'contact-lists/', { name: 'Regulars' })
  await send('POST', 'contact-lists/8/contacts/', { id: '70' })
  await send('POST', 'surveys/14/invite_codes/', { count: 2 })
  const sender = 'Dora <dora@example.org>'
  await send('POST', 'surveys/14/invites/', {
    ...{ name: 'Bob Example', email: 'bob@example.org' },
    ...{ subject: 'A word', sender, message: '[Invite Link]' },
  })
  await world.runJobs()
  await next('email', 5)
  const draft = { subject: 'What do you think?', sender, message: 'Here: [Invite Link]' }
  await createDraft(owner, 14, [{ ids: [70], field: 'contacts' }], draft)

  const subscription = { event: 'response_complete', subscription_url: 'https://hooks.example.com/archive', survey: 14 }
  await create('webhook', 5, 'webhooks/', subscription)
  await next('webhook_delivery', 71)
  await send('POST', 'webhooks/5/ping/', {})
  return owner
}

/** Adds a failure of the identity provider of survey 14. */
async function addSignInFailure(world: World): Promise<void> {
  await world
    .em()
    .getConnection()
    .execute(
      `insert into provider_failure (survey_id, number, step, status, code, reason, first_at, last_at)
     values (14, 482915, 'token', 401, 'invalid_client', 'The provider refused the client.', now(), now())`,
    )
}

/** Adds the import of survey 14. */
async function addImport(world: World): Promise<void> {
  const record = { title: 'Customer feedback', responses: 40, stored: 40, notes: [], proofs: [] }
  await world
    .em()
    .getConnection()
    .execute(
      `insert into survey_import (account_id, survey_id, format, record, created_at)
       select owner_id, id, 'surveyjs', ?::json, now() from survey where id = 14`,
      [JSON.stringify(record)],
    )
}

/** Adds a file with a fixed key to a response to survey 14. */
async function addFile(world: World, response: number, key: string): Promise<void> {
  const db = world.em().getConnection()
  await db.execute(
    `insert into uploaded_file (survey_id, key, question_id, response_id, name, type, bytes, created_at)
     values (14, ?, 'photo', ?, 'kitchen.txt', 'text/plain', 7, '2026-03-01T09:00:00Z')`,
    [key, response],
  )
  await db.execute(`insert into uploaded_file_chunk (survey_id, key, number, content) values (14, ?, 0, 'A note.')`, [
    key,
  ])
  await db.execute(`update response set answers = answers || ?::jsonb where id = ?`, [
    JSON.stringify({ photo: key }),
    response,
  ])
}
