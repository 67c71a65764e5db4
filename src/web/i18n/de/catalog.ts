import { readdirSync, readFileSync } from 'node:fs'
import type { Catalog } from '../catalog.ts'
import { details } from './details.ts'
import { errors } from './errors.ts'
import { issues, syntax, warnings, warningsWithSuggestion } from './imports.ts'
import { plurals } from './plurals.ts'
import { problems } from './problems.ts'

const read = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<string, string>

/** The German translations. Each folder of pages has a file of translations. */
export const de: Catalog = {
  texts: new Map(
    readdirSync(new URL('texts/', import.meta.url)).flatMap((name) => Object.entries(read(`texts/${name}`))),
  ),
  plurals,
  scripts: read('scripts.json'),
  errors,
  details,
  problems,
  syntax,
  warnings,
  warningsWithSuggestion,
  issues,
}
