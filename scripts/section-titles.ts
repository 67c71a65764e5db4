import { readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Returns the titles of the numbered sections of a document by number: `'7'` for “## 7. Responses”, `'7.3'` for
 * “### 7.3 Stored answers”.
 * @param document the path below the repository, such as `docs/specification.md`
 */
export function sectionTitles(document: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.resolve(import.meta.dirname, '..', document), 'utf8')
  return new Map([...text.matchAll(/^##+ (\d+(?:\.\d+)?)\.? (.+)$/gm)].map(([, number, title]) => [number!, title!]))
}
