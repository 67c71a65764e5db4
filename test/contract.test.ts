import { beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as versions from '../src/api/versions.ts'
import type { Reply, RequestOptions } from './support/client.ts'
import { type Person, useWorld } from './support/world.ts'

interface Media {
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
interface Operation {
  operationId: string
  deprecated?: boolean
  security?: { oauth?: string[] }[]
  requestBody?: { content: Record<string, Media> }
  parameters?: Parameter[]
  responses: object
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: { examples?: unknown[]; format?: string }
}
type Item = Record<string, Operation> & { parameters?: Parameter[] }
interface Document {
  paths: Record<string, Item>
  components: Record<string, Record<string, unknown>>
}

const world = useWorld()
let ann: Person
let bob: Person
/** The value of each path parameter: the ID of an object that belongs to ann. */
let ownIds: Record<string, string>
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  const create = async (path: string, json: object) => String((await ann.post(path, { json })).body.id)
  const survey = await create('/api/v3/surveys/', { name: 'Own' })
  ownIds = {
    survey_id: survey,
    collector_id: await create('/api/v3/collectors/', { name: 'Own', survey: Number(survey) }),
    template_id: await create('/api/v3/templates/', { name: 'Own', survey: Number(survey) }),
    embed_id: await create('/api/v3/embeds/', { kind: 'link', survey: Number(survey) }),
    user_id: String(ann.actor.id),
    plan_name: 'standard',
    file_key: '8e03978e40d543e8bc936894a57f9324',
  }
})

const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const

interface Call {
  method: string
  path: string
  pattern: string
  operation: Operation
  parameters: Parameter[]
  sent: RequestOptions
}

/**
 * Returns a request for each operation of a published OpenAPI document. The requests contain the examples of the
 * document.
 */
async function calls(version: string): Promise<Call[]> {
  const { body } = await world.anonymous.get(`/openapi/${version}.json`)
  const { paths, components } = body as Document
  const resolve = (parameter: Parameter & { $ref?: string }): Parameter =>
    parameter.$ref
      ? (components[parameter.$ref.split('/')[2]!]![parameter.$ref.split('/')[3]!] as Parameter)
      : parameter
  return Object.entries(paths).flatMap(([pattern, item]) =>
    METHODS.filter((method) => item[method]).map((method): Call => {
      const operation = item[method]!
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve)
      const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
      const search = required.map(({ name, schema }) => `${name}=${schema.examples?.[0]}`).join('&')
      const path = pattern.replace(/\{(\w+)\}/g, (_, name) => ownIds[name] ?? '1')
      const content = operation.requestBody?.content ?? {}
      const media = content['application/json']
      const json = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
      const file = { body: 'A file.', headers: { 'content-type': 'application/octet-stream' } }
      const sent = json !== undefined ? { json } : content['application/octet-stream'] ? file : {}
      return {
        method: method.toUpperCase(),
        path: `/api/${version}${path}${search && `?${search}`}`,
        pattern,
        operation,
        parameters,
        sent,
      }
    }),
  )
}

const describeReply = ({ status, text }: Reply, { method, path }: Call) =>
  `${method} ${path}: ${status} ${status >= 500 ? text : ''}`
/** Runs a check for all requests, eight at a time. @returns the violations */
const violationsOf = async (list: Call[], check: (call: Call) => Promise<string | undefined>) => {
  const violations: (string | undefined)[] = []
  for (let index = 0; index < list.length; index += 8)
    violations.push(...(await Promise.all(list.slice(index, index + 8).map(check))))
  return violations.filter(Boolean)
}

describe.each(Object.entries(versions))('the contract of %s', (version, api) => {
  let all: Call[]
  beforeAll(async () => {
    all = await calls(version)
  })

  test('has the same operations as the code [spec 1.3]', () => {
    const documented = all.map(({ operation }) => operation.operationId)
    expect(documented.length).toBeGreaterThan(10)
    expect(documented.toSorted()).toEqual(Object.keys(api.handlers).toSorted())
    expect(new Set(documented).size).toBe(documented.length)
  })

  test('declares for GET the scope read, for other methods the scope write, and always the statuses 401 and 403', async () => {
    const { body } = await world.anonymous.get(`/openapi/${version}.json`)
    const violations = all.filter(({ method, operation }) => {
      const security = operation.security ?? body.security
      const scopes = security.flatMap(({ oauth = [] }: { oauth?: string[] }) => oauth)
      const declared = ['401', '403'].every((status) => status in operation.responses)
      return security.length > 0 && !(scopes.join() === (method === 'GET' ? 'read' : 'write') && declared)
    })
    expect(violations.map(({ operation }) => operation.operationId)).toEqual([])
    const { scopes } = body.components.securitySchemes.oauth.flows.authorizationCode
    expect(Object.keys(scopes)).toEqual(['read', 'write'])
  })

  test('declares that text parameters in the query cannot contain U+0000', async () => {
    const { body } = await world.anonymous.get(`/openapi/${version}.json`)
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(body, 'contract')
    const violations = all.flatMap(({ operation, parameters }) =>
      parameters
        .filter(({ in: place, schema }) => place === 'query' && !schema.format)
        .filter(({ schema }) => {
          const resolved = JSON.stringify(schema).replaceAll('"#/', '"contract#/')
          return ajv.validate(JSON.parse(resolved), 'a\0b')
        })
        .map(({ name }) => `${operation.operationId}: ${name}`),
    )
    expect(violations).toEqual([])
  })

  test('marks aliases, and no other operations, as deprecated in the contract and in each reply', async () => {
    const violations = await violationsOf(all, async (call) => {
      const isAlias = call.operation.operationId.endsWith('Alias')
      const { headers } = await world.anonymous.send(call.method, call.path, call.sent)
      const sent = [headers.get('deprecation'), headers.get('link'), headers.get('sunset')]
      const link = `<${world.base}/docs/${version}/#/section/deprecation>; rel="deprecation"; type="text/html"`
      const expected = isAlias ? ['@1795305600', link, null] : [null, null, null]
      const { deprecated = false } = call.operation
      return isAlias === deprecated && sent.join() === expected.join()
        ? undefined
        : `${call.method} ${call.path}: ${sent}`
    })
    expect(violations).toEqual([])
    expect(all.filter(({ operation }) => operation.deprecated).length).toBeGreaterThan(5)
  })

  test('declares operations that return 401 without credentials, whether or not the URL ends with a slash', async () => {
    const secured = all.filter(({ operation }) => operation.security?.length !== 0)
    const violations = await violationsOf(secured, async (call) => {
      for (const path of [call.path, call.path.replace(/\/(?=\?|$)/, '')]) {
        const reply = await world.anonymous.send(call.method, path, call.sent)
        if (reply.status !== 401 || reply.headers.get('www-authenticate') !== 'Basic realm="api", Bearer realm="api"')
          return describeReply(reply, call)
      }
      return undefined
    })
    expect(violations).toEqual([])
  })

  test('declares operations that return 404 for objects of another account', async () => {
    const owned = all.filter(({ pattern }) => pattern.includes('{') && !pattern.includes('{plan_name}'))
    const violations = await violationsOf(owned, async (call) => {
      const reply = await bob.send(call.method, call.path, call.sent)
      return reply.status === 404 && reply.body.code !== 'not_found' ? undefined : describeReply(reply, call)
    })
    expect(violations).toEqual([])
    expect((await ann.get(`/api/v3/surveys/${ownIds.survey_id}/`)).body).toMatchObject({ name: 'Own', live: 1 })
  })

  test('declares operations that return 404 for invalid IDs', async () => {
    const numbered = all.filter(({ pattern }) => pattern.includes('_id}'))
    const violations = await violationsOf(numbered, async (call) => {
      for (const id of ['x', '0', '-1', '1.5', '99999999999999999999', '%00', '%ZZ', '..%2F']) {
        const path = `/api/${version}${call.pattern.replace(/\{\w+\}/g, id)}`
        const reply = await ann.send(call.method, path, call.sent)
        if (reply.status !== 404) return `${id}: ${describeReply(reply, call)}`
      }
      return undefined
    })
    expect(violations).toEqual([])
  })

  test('has paths that return 405 with Allow for undeclared methods', async () => {
    const paths = Map.groupBy(all, ({ pattern }) => pattern)
    const violations = await violationsOf(
      [...paths.values()].map(([first]) => first!),
      async (call) => {
        const declared = paths.get(call.pattern)!.map(({ method }) => method)
        const allowed = declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).toSorted()
        for (const method of METHODS.map((name) => name.toUpperCase()).filter((name) => !declared.includes(name))) {
          const reply = await ann.send(method, call.path)
          if (reply.status !== 405 || reply.headers.get('allow')?.split(', ').toSorted().join() !== allowed.join())
            return `${method} ${describeReply(reply, call)}`
        }
        return undefined
      },
    )
    expect(violations).toEqual([])
  })

  test('has paths that reply to HEAD with the headers of GET and without a body', async () => {
    const gets = all.filter(({ method }) => method === 'GET')
    // An export is logged once an hour, which changes the list of activity.
    for (const { path } of gets) await ann.get(path)
    const violations = await violationsOf(gets, async (call) => {
      const [get, head] = [await ann.get(call.path), await ann.head(call.path)]
      const names = ['content-type', 'cache-control', 'vary', 'etag', 'link', 'deprecation', 'content-disposition']
      const sameHeaders = names.every((name) => get.headers.get(name) === head.headers.get(name))
      const same = get.status === head.status && sameHeaders && head.text === ''
      return same && head.status < 500 ? undefined : describeReply(head, call)
    })
    expect(violations).toEqual([])
  })

  test('has replies with Cache-Control, Vary and X-Request-Id', async () => {
    const reply = await ann.get(`/api/${version}/surveys/`, { headers: { 'x-request-id': 'abc-123' } })
    expect(reply.headers.get('cache-control')).toBe('private, no-cache')
    expect(reply.headers.get('vary')).toMatch(/Accept, Authorization/)
    expect(reply.headers.get('x-request-id')).toBe('abc-123')
  })
})
