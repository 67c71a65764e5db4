import { queryString } from '../../sdk/typescript/src/query.ts'
import { literal, type Writing } from './literal.ts'
import type { Call, Json } from './operation.ts'

const writing: Writing = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  word: String,
  padding: '',
  last: '',
  step: 2,
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Leaves comparisons unencoded, so that they are easy to read. */
const readable = (query: Record<string, Json>) =>
  queryString(query, new Set()).replaceAll('%3C', '<').replaceAll('%3E', '>').replaceAll('%3A', ':')

/** Returns the call as a shell command. */
export function curlSample({ version, method, path, pathValues, query, body, contentType }: Call): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])))
  const asked = readable(query)
  const word = method === 'get' || (method === 'post' && body !== undefined) ? '' : ` -X ${method.toUpperCase()}`
  const url = `"$CANVASS_URL/api/${version}${address}${asked && `?${asked}`}"`
  const first = `curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD"${word}`
  const lines = first.length + url.length < 66 ? [`${first} ${url}`] : [first, url]
  if (body !== undefined) lines.push(`-H 'Content-Type: ${contentType}'`, dataOf(body))
  return lines.join(' \\\n  ')
}

function dataOf(body: Json): string {
  if (typeof body === 'string') return `--data-binary $${quoted(JSON.stringify(body).slice(1, -1))}`
  return `-d ${quoted(literal(writing, body))}`
}
