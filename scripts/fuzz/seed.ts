import { demoStructure } from '../../src/command/demo-survey.ts'

/** Ids of real things by the name of the path parameter that they stand for. */
export type Things = Record<string, (number | string)[]>

/** Of each kind; test/fuzz/hooks.py lets the first two stay. */
const EACH = 8

/** Makes things of every kind through the interface, so that path parameters can name something that is there. */
export async function seed(base: string, authorization: string): Promise<Things> {
  async function send(method: string, path: string, body: unknown): Promise<{ id: number }> {
    const reply = await fetch(`${base}/api/v3${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
    return (await reply.json()) as { id: number }
  }
  async function several(path: string, body: (n: number) => unknown): Promise<number[]> {
    const ids: number[] = []
    for (let n = 0; n < EACH; n += 1) ids.push((await send('POST', path, body(n))).id)
    return ids
  }

  const surveys = await several('/surveys/', (n) => ({ name: `Survey ${n}` }))
  for (const id of surveys) await send('PUT', `/surveys/${id}/structure/`, demoStructure)
  const survey = surveys[0]
  return {
    survey_id: surveys,
    response_id: await several(`/surveys/${survey}/responses/`, () => ({ drink: 1, _completed: 1 })),
    report_id: await several(`/surveys/${survey}/reports/`, (n) => ({ title: `Report ${n}` })),
    collector_id: await several('/collectors/', (n) => ({ name: `Collector ${n}`, survey })),
    contact_id: await several('/contacts/', (n) => ({ name: `Person ${n}`, email: `person${n}@example.org` })),
    list_id: await several('/contact-lists/', (n) => ({ name: `List ${n}` })),
    embed_id: await several('/embeds/', () => ({ survey, kind: 'link' })),
    template_id: await several('/templates/', (n) => ({ name: `Template ${n}`, structure: demoStructure })),
    version: [1],
    other: [1],
  }
}
