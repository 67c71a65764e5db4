import { beforeAll, describe, expect, test } from '@jest/globals'
import * as versions from '../src/api/versions.ts'
import type { Reply, RequestOptions } from './support/client.ts'
import { type Person, useWorld } from './support/world.ts'

interface Media {
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
interface Operation {
  operationId: string
  security?: { oauth?: string[] }[]
  requestBody?: { content: Record<string, Media> }
  parameters?: Parameter[]
  responses: object
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: { examples?: unknown[] }
}
type Item = Record<string, Operation> & { parameters?: Parameter[] }
interface Document {
  paths: Record<string, Item>
  components: Record<string, Record<string, unknown>>
}

const world = useWorld()
let ann: Person
let bob: Person
/** What stands for the parameters of a path: things that belong to ann. */
let hers: Record<string, string>
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  const make = async (path: string, json: object) => String((await ann.post(path, { json })).body.id)
  const survey = await make('/api/v3/surveys/', { name: 'Hers' })
  hers = {
    survey_id: survey,
    collector_id: await make('/api/v3/collectors/', { name: 'Hers', survey: Number(survey) }),
    template_id: await make('/api/v3/templates/', { name: 'Hers', survey: Number(survey) }),
    embed_id: await make('/api/v3/embeds/', { kind: 'link', survey: Number(survey) }),
    user_id: String(ann.actor.id),
    plan_name: 'standard',
  }
})

const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const

interface Call {
  method: string
  path: string
  pattern: string
  operation: Operation
  sent: RequestOptions
}

/** Every operation of a published document, with what the document itself gives as an example. */
async function calls(version: string): Promise<Call[]> {
  const { body } = await world.anonymous.get(`/openapi/${version}.json`)
  const { paths, components } = body as Document
  const follow = (thing: Parameter & { $ref?: string }): Parameter =>
    thing.$ref ? (components[thing.$ref.split('/')[2]!]![thing.$ref.split('/')[3]!] as Parameter) : thing
  return Object.entries(paths).flatMap(([pattern, item]) =>
    METHODS.filter((method) => item[method]).map((method): Call => {
      const operation = item[method]!
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(follow)
      const needed = parameters.filter((one) => one.in === 'query' && one.required)
      const search = needed.map(({ name, schema }) => `${name}=${schema.examples?.[0]}`).join('&')
      const path = pattern.replace(/\{(\w+)\}/g, (_, name) => hers[name] ?? '1')
      const media = operation.requestBody?.content['application/json']
      const json = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
      const sent = json === undefined ? {} : { json }
      return {
        method: method.toUpperCase(),
        path: `/api/${version}${path}${search && `?${search}`}`,
        pattern,
        operation,
        sent,
      }
    }),
  )
}

const say = ({ status, text }: Reply, { method, path }: Call) =>
  `${method} ${path}: ${status} ${status >= 500 ? text : ''}`
/** Checks eight at a time; answers what is wrong. */
const collect = async (list: Call[], check: (call: Call) => Promise<string | undefined>) => {
  const wrong: (string | undefined)[] = []
  for (let at = 0; at < list.length; at += 8) wrong.push(...(await Promise.all(list.slice(at, at + 8).map(check))))
  return wrong.filter(Boolean)
}

describe.each(Object.entries(versions))('the contract of %s', (version, served) => {
  let all: Call[]
  beforeAll(async () => {
    all = await calls(version)
  })

  test('names the same operations as the code', () => {
    const documented = all.map(({ operation }) => operation.operationId)
    expect(documented.length).toBeGreaterThan(10)
    expect(documented.toSorted()).toEqual(Object.keys(served.handlers).toSorted())
    expect(new Set(documented).size).toBe(documented.length)
  })

  test('every operation that reads takes the scope read, every other one write, and says 401 and 403', async () => {
    const { body } = await world.anonymous.get(`/openapi/${version}.json`)
    const wrong = all.filter(({ method, operation }) => {
      const security = operation.security ?? body.security
      const scopes = security.flatMap(({ oauth = [] }: { oauth?: string[] }) => oauth)
      const declared = ['401', '403'].every((status) => status in operation.responses)
      return security.length > 0 && !(scopes.join() === (method === 'GET' ? 'read' : 'write') && declared)
    })
    expect(wrong.map(({ operation }) => operation.operationId)).toEqual([])
    const { scopes } = body.components.securitySchemes.oauth.flows.authorizationCode
    expect(Object.keys(scopes)).toEqual(['read', 'write'])
  })

  test('every operation answers without its last slash too, and asks strangers who they are', async () => {
    const guarded = all.filter(({ operation }) => operation.security?.length !== 0)
    const wrong = await collect(guarded, async (call) => {
      for (const path of [call.path, call.path.replace(/\/(?=\?|$)/, '')]) {
        const reply = await world.anonymous.send(call.method, path, call.sent)
        if (reply.status !== 401 || reply.headers.get('www-authenticate') !== 'Basic realm="api"')
          return say(reply, call)
      }
      return undefined
    })
    expect(wrong).toEqual([])
  })

  test('what belongs to another account is missing on every path', async () => {
    const owned = all.filter(({ pattern }) => pattern.includes('{') && !pattern.includes('{plan_name}'))
    const wrong = await collect(owned, async (call) => {
      const reply = await bob.send(call.method, call.path, call.sent)
      return reply.status === 404 && reply.body.code !== 'not_found' ? undefined : say(reply, call)
    })
    expect(wrong).toEqual([])
    expect((await ann.get(`/api/v3/surveys/${hers.survey_id}/`)).body).toMatchObject({ name: 'Hers', live: 1 })
  })

  test('what no id can name is missing on every path', async () => {
    const numbered = all.filter(({ pattern }) => pattern.includes('_id}'))
    const wrong = await collect(numbered, async (call) => {
      for (const id of ['x', '0', '-1', '1.5', '99999999999999999999', '%00', '%ZZ', '..%2F']) {
        const path = `/api/${version}${call.pattern.replace(/\{\w+\}/g, id)}`
        const reply = await ann.send(call.method, path, call.sent)
        if (reply.status !== 404) return `${id}: ${say(reply, call)}`
      }
      return undefined
    })
    expect(wrong).toEqual([])
  })

  test('a method that is not there is refused with Allow', async () => {
    const paths = Map.groupBy(all, ({ pattern }) => pattern)
    const wrong = await collect(
      [...paths.values()].map(([first]) => first!),
      async (call) => {
        const there = paths.get(call.pattern)!.map(({ method }) => method)
        const allowed = there.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).toSorted()
        for (const method of METHODS.map((one) => one.toUpperCase()).filter((one) => !there.includes(one))) {
          const reply = await ann.send(method, call.path)
          if (reply.status !== 405 || reply.headers.get('allow')?.split(', ').toSorted().join() !== allowed.join())
            return `${method} ${say(reply, call)}`
        }
        return undefined
      },
    )
    expect(wrong).toEqual([])
  })

  test('HEAD works where GET does, without a body', async () => {
    const wrong = await collect(
      all.filter(({ method }) => method === 'GET'),
      async (call) => {
        const [get, head] = [await ann.get(call.path), await ann.head(call.path)]
        const type = 'content-type'
        const same = get.status === head.status && get.headers.get(type) === head.headers.get(type) && head.text === ''
        return same && head.status < 500 ? undefined : say(head, call)
      },
    )
    expect(wrong).toEqual([])
  })

  test('an answer is private, varies, and names its request', async () => {
    const reply = await ann.get(`/api/${version}/surveys/`, { headers: { 'x-request-id': 'abc-123' } })
    expect(reply.headers.get('cache-control')).toBe('private, no-cache')
    expect(reply.headers.get('vary')).toMatch(/Accept, Authorization/)
    expect(reply.headers.get('x-request-id')).toBe('abc-123')
  })
})
