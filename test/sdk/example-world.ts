import { createAccount } from '../../src/domain/account/commands.ts'
import { setNextId } from '../support/db-snapshot.ts'
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
      ],
    },
  ],
})

/**
 * Creates the objects of the examples in the contracts: survey 14, response 1207, contact 71 and others, all of one account.
 * Uses the API; only the next IDs are set in the database.
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
  await world.person({ username: 'ann', email: 'ann@example.org' })
  await createAccount(world.context(), {
    username: 'carla',
    email: 'carla@example.org',
    password: 'correct horse battery',
  })

  const send = async (method: string, path: string, json: object): Promise<{ id: number }> => {
    const reply = await owner.send(method, `/api/${path}`, { json })
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  const make = async (table: string, id: number, path: string, json: object) => {
    await next(table, id)
    await send('POST', path, json)
  }

  await make('survey', 14, 'v3/surveys/', { name: 'Customer feedback' })
  for (const title of ['First thoughts', 'Second thoughts', 'Customer feedback'])
    await send('PUT', 'v3/surveys/14/structure/', structure(title))
  await make('response', 1207, 'v3/surveys/14/responses/', { q1: 1, q3: 'Very content', _completed: 1 })
  await make('response', 1208, 'v3/surveys/14/responses/', { q1: 0, _completed: 1 })
  await make('collector', 21, 'v3/surveys/14/collectors/', { name: 'Leaflet' })
  await make('collector', 31, 'v3/surveys/14/collectors/', { name: 'Poster' })
  await send('POST', 'v3/surveys/14/filters/', { name: 'content', query: 'q1=0' })
  await send('POST', 'v3/surveys/14/tags/', { name: 'quarterly' })
  await make('report', 8, 'v3/surveys/14/reports/', { title: 'Last quarter' })
  await make('embed', 8, 'v3/embeds/', { survey: 14, kind: 'link' })
  await make('template', 5, 'v3/templates/', { name: 'Feedback', survey: 14 })

  for (const [id, name] of Object.entries({ 3: 'Marketing', 5: 'Sales' })) {
    await make('account_group', Number(id), 'v2/groups/', { name })
    await send('PUT', `v2/groups/${id}/members/`, { email: 'ann@example.org', roles: 'edit' })
  }
  await send('PUT', 'v2/surveys/14/groups/', { group: '3' })

  await make('contact', 70, 'v3/contacts/', { name: 'Anna', email: 'anna@example.org' })
  await make('contact', 71, 'v3/contacts/', { name: 'Ben', email: 'ben@example.org', city: 'Oslo' })
  await make('contact', 72, 'v3/contacts/', { name: 'Zoë', email: 'zoe@example.org' })
  await make('contact_list', 8, 'v3/contact-lists/', { name: 'Regulars' })
  await send('POST', 'v3/contact-lists/8/contacts/', { id: '70' })
  await send('POST', 'v3/surveys/14/invite_codes/', { count: 2 })
  await send('POST', 'v2/surveys/14/send-survey/', {
    ...{ name: 'Bob Example', email: 'bob@example.org', subject: 'A word', message: '[Invite Link]' },
    ...{ sender_name: 'Dora', sender_email: 'dora@example.org' },
  })
  await world.runJobs()
  const mail = { subject: 'What do you think?', sender: 'Dora <dora@example.org>', message: 'Here: [Invite Link]' }
  await make('email', 5, 'v2/emails/?survey=14', mail)
  await send('POST', 'v2/emails/5/recipients/', { contacts: '70' })

  const subscription = { event: 'response_complete', subscription_url: 'https://hooks.example.com/archive', survey: 14 }
  await make('webhook', 5, 'v3/webhooks/', subscription)
  await next('webhook_delivery', 71)
  await send('POST', 'v3/webhooks/5/ping/', {})
  return owner
}
