import { readFileSync } from 'node:fs'

/** A request that a command of a guide has sent. */
export interface GuideRequest {
  method: string
  url: URL
  /** The members of the JSON body or of the form. */
  body: Record<string, unknown>
}

/**
 * Reads the requests in a log of calls of `curl`.
 * @param log the arguments, each followed by NUL, and another NUL after each call
 */
export const guideRequests = (log: string): GuideRequest[] =>
  log
    .split('\0\0')
    .filter((call) => call !== '')
    .map((call) => requestOf(call.split('\0')))

function requestOf(args: readonly string[]): GuideRequest {
  const valuesOf = (...options: string[]) => args.filter((_, index) => options.includes(args[index - 1] ?? ''))
  const url = new URL(args.find((arg) => /^https?:/.test(arg))!)
  const data = valuesOf('-d', '--data-urlencode')
  const [method = data.length > 0 || args.includes('-F') ? 'POST' : 'GET'] = valuesOf('-X')
  return { method, url, body: bodyOf(data) }
}

function bodyOf(data: readonly string[]): Record<string, unknown> {
  if (data[0]?.startsWith('{')) return JSON.parse(data.join('&'))
  return Object.fromEntries(
    data
      .filter((field) => !field.startsWith('@'))
      .map((field) => {
        const [name = '', ...value] = field.split('=')
        return [name, value.join('=')]
      }),
  )
}

interface Schema {
  $ref?: string
  properties?: Record<string, unknown>
  additionalProperties?: unknown
  anyOf?: Schema[]
  allOf?: Schema[]
}

type Operation = {
  requestBody?: { content: Record<string, { schema: Schema }> }
  parameters?: { name?: string; $ref?: string }[]
}

const documents = new Map(
  ['v2', 'v3'].map((version) => [version, JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8'))]),
)

/**
 * Returns the members of a request to the API that its operation does not describe, and therefore ignores. Answers of
 * responses, and structures outside of an envelope, can have any member.
 */
export function ignoredMembers({ method, url, body }: GuideRequest): string[] {
  const [, version = '', path = ''] = /^\/api\/(v\d)(\/.*)$/.exec(url.pathname) ?? []
  const document = documents.get(version)
  if (!document) return []
  const operation = operationOf(document.paths, method, path)
  const schema = Object.values(operation?.requestBody?.content ?? {})[0]?.schema
  const known = schema && propertiesOf(schema, document)
  if (known === 'any') return []
  return Object.keys(body)
    .filter((name) => !known?.has(name))
    .map((name) => `${method} ${url.pathname}: ${name}`)
}

function operationOf(
  paths: Record<string, Record<string, Operation>>,
  method: string,
  path: string,
): Operation | undefined {
  const candidates = Object.keys(paths).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )
  const template = candidates.find((candidate) => candidate === path) ?? candidates[0]
  return template === undefined ? undefined : paths[template]![method.toLowerCase()]
}

function propertiesOf(schema: Schema, document: { components: unknown }): ReadonlySet<string> | 'any' {
  if (schema.$ref) {
    const steps = schema.$ref.replace(/^#\//, '').split('/')
    const target = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document)
    return propertiesOf(target as Schema, document)
  }
  if (schema.additionalProperties) return 'any'
  const names = new Set(Object.keys(schema.properties ?? {}))
  for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) {
    const more = propertiesOf(part, document)
    if (more === 'any') return 'any'
    for (const name of more) names.add(name)
  }
  return names
}
