import { queryString } from '../../sdk/typescript/src/query.ts'
import { type LiteralSyntax, literal } from './literal.ts'
import type { Call, Json } from './operation.ts'

const syntax: LiteralSyntax = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  word: String,
  padding: '',
  last: '',
  step: 2,
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns a query string in which `<`, `>` and `:` are not encoded, so that it is easy to read. */
const readable = (query: Record<string, Json>) =>
  queryString(query, new Set()).replaceAll('%3C', '<').replaceAll('%3E', '>').replaceAll('%3A', ':')

/** Returns the call as a shell command. */
export function curlSample({ version, method, path, pathValues, query, body, contentType }: Call): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])))
  const queryText = readable(query)
  const methodOption =
    method === 'get' || (method === 'post' && body !== undefined) ? '' : ` -X ${method.toUpperCase()}`
  const url = `"$CANVASS_URL/api/${version}${address}${queryText && `?${queryText}`}"`
  const command = `curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD"${methodOption}`
  const lines = command.length + url.length < 66 ? [`${command} ${url}`] : [command, url]
  if (body !== undefined) lines.push(`-H 'Content-Type: ${contentType}'`, dataOf(body))
  return lines.join(' \\\n  ')
}

function dataOf(body: Json): string {
  if (typeof body === 'string') return `--data-binary $${quoted(JSON.stringify(body).slice(1, -1))}`
  return `-d ${quoted(literal(syntax, body))}`
}
