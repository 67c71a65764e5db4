import { type LiteralSyntax, literal } from './literal.ts'
import type { Call, Json } from './operation.ts'

const syntax: LiteralSyntax = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  padding: '',
  last: ',',
  step: 4,
}

export const snake = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Returns the Python name of a parameter: a leading underscore becomes `meta_`, and built-in names get a suffix. */
const argument = (name: string): string =>
  snake(name)
    .replace(/^_/, 'meta_')
    .replace(/^filter$/, 'filter_')

/** Returns the call with the Python client. */
export function pythonSample({ version, operationId, pathValues, query, body, contentType, paged }: Call): string {
  const positional = Object.values(pathValues).map((value) => literal(syntax, value))
  const keyword: [string, Json][] = Object.entries(query).map(([name, value]) => [argument(name), value])
  if (contentType === 'text/csv') positional.push(literal(syntax, body!))
  else if (body !== undefined) keyword.push(['body', body])
  const line = [...positional, ...keyword.map(([name, value]) => `${name}=${literal(syntax, value, 0, 999)}`)].join(
    ', ',
  )
  const fits = line.length <= 36
  const lines = [...positional, ...keyword.map(([name, value]) => `${name}=${literal(syntax, value, 4)}`)]
  const args = fits ? line : `\n${lines.map((line) => `    ${line},`).join('\n')}\n`
  const call = `${version}.${paged ? 'paginate.' : ''}${snake(operationId)}(${args})`
  return [
    'from canvass_client import Canvass',
    '',
    '# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.',
    `${version} = Canvass().${version}`,
    ...(paged ? [`for item in ${call}:`, '    print(item)'] : [`result = ${call}`, 'print(result)']),
  ].join('\n')
}
