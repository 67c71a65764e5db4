import { literal, type Writing } from './literal.ts'
import type { Call } from './operation.ts'

const text = (value: string): string => {
  const inside = JSON.stringify(value).slice(1, -1)
  return `'${inside.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

const writing: Writing = {
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
  const given = Object.keys(options).length > 0 ? literal(writing, options, 0, 30) : ''
  const call = `${version}.${paged ? 'paginate.' : ''}${operationId}(${given})`
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
