import { type LiteralSyntax, literal } from './literal.ts'
import type { Call } from './operation.ts'

const text = (value: string): string => {
  const escaped = JSON.stringify(value).slice(1, -1)
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

const syntax: LiteralSyntax = {
  text,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)),
  word: String,
  padding: ' ',
  last: ',',
  step: 2,
}

/** Returns the call with the TypeScript client. */
export function typescriptSample({ version, operationId, pathValues, query, body, paged }: Call): string {
  const options = {
    ...(Object.keys(pathValues).length > 0 && { path: pathValues }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
  }
  const args = Object.keys(options).length > 0 ? literal(syntax, options, 0, 30) : ''
  const call = `${version}.${paged ? 'paginate.' : ''}${operationId}(${args})`
  return [
    "import { Canvass } from 'canvass-client'",
    '',
    '// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.',
    `const { ${version} } = new Canvass()`,
    ...(paged
      ? [`for await (const item of ${call})`, '  console.log(item)']
      : [`const result = await ${call}`, 'console.log(result)']),
  ].join('\n')
}
