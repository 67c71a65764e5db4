import { demoStructure } from '../../src/command/demo-survey.ts'
import { versions } from '../versions.ts'
import { exampleStructure } from './example-structure.ts'

/** IDs of existing objects by the name of their path parameter. */
export type ObjectIds = Record<string, (number | string)[]>

/** The number of objects of each kind; test/fuzz/hooks.py does not delete the first two. */
const OBJECTS_PER_KIND = 8

/** Creates objects of every kind through the API, so that path parameters can refer to existing objects. */
export async function createObjects(base: string, authorization: string): Promise<ObjectIds> {
  async function send(method: string, path: string, body: unknown): Promise<{ id: number }> {
    const reply = await fetch(`${base}/api${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${method} ${path} returned ${reply.status}: ${await reply.text()}`)
    return (await reply.json()) as { id: number }
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
  const email = { sender: 'Ann <ann@example.org>', message: 'Please: [Invite Link]' }
  return {
    survey_id: surveys,
    response_id: await several(`/v3/surveys/${survey}/responses/`, () => ({ q1: 1, q3: 'Fine', _completed: 1 })),
    report_id: await several(`/v3/surveys/${survey}/reports/`, (n) => ({ title: `Report ${n}` })),
    collector_id: await several('/v3/collectors/', (n) => ({ name: `Collector ${n}`, survey })),
    contact_id: await several('/v3/contacts/', (n) => ({ name: `Person ${n}`, email: `person${n}@example.org` })),
    list_id: await several('/v3/contact-lists/', (n) => ({ name: `List ${n}` })),
    embed_id: await several('/v3/embeds/', () => ({ survey, kind: 'link' })),
    template_id: await several('/v3/templates/', (n) => ({ name: `Template ${n}`, structure: exampleStructure })),
    // Only version 2 has operations for these objects.
    ...(versions.includes('v2') && {
      group_id: await several('/v2/groups/', (n) => ({ name: `Group${n}` })),
      email_id: await several(`/v2/emails/?survey=${survey}`, (n) => ({ subject: `Email ${n}`, ...email })),
    }),
    webhook_id: await several('/v3/webhooks/', (n) => ({
      event: 'response_complete',
      subscription_url: `https://hooks.example.com/${n}`,
    })),
    version: [1],
    other: [1],
  }
}
