import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from '@jest/globals'

const text = (file: string): string => readFileSync(file, 'utf8')

/** Matches paths in backticks: paths that begin with one of these folders, and names of files in the root folder. */
const PATH =
  /`((?:docs|findings|generated|openapi|scripts|sdk|src|test|tools)\/[^`\s]*|[A-Z][A-Za-z]*\.md|compose\.yaml|package\.json)`/g

/** Returns the paths in backticks of a document. In a path, `<name>` matches any name. */
const pathsIn = (file: string): string[] =>
  [...text(file).matchAll(PATH)].map(([, path]) => path!.replace(/<[^>]+>/g, '*'))

/**
 * Returns the targets of the relative links of a document, as paths from the root folder. Links that begin with a slash
 * are ignored, because they are addresses of the service.
 */
const linksIn = (file: string): string[] =>
  [...text(file).matchAll(/\]\(([^)#:/\s][^)#:\s]*)(?:#[^)]*)?\)/g)].map(([, target]) => join(dirname(file), target!))

const documents = globSync(['*.md', '.github/**/*.md', 'docs/**/*.md', '{tools,findings}/**/*.md'])

describe('the documents', () => {
  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only paths that exist', (file) => {
    const paths = pathsIn(file)
    expect(paths.length).toBeGreaterThan(3)
    expect(paths.filter((path) => globSync(path).length === 0)).toEqual([])
  })

  it('link only to files that exist', () => {
    const broken = documents.flatMap((file) => linksIn(file).filter((target) => !existsSync(target)))
    expect(broken).toEqual([])
  })

  it('list every decision in the index, with its title', () => {
    const index = text('docs/adr/README.md')
    const records = globSync('docs/adr/[0-9]*.md')
    expect(records.length).toBeGreaterThan(20)
    expect(records.length).toBeLessThanOrEqual(30)
    const missing = records.filter((file) => {
      const [, number, title] = /^# (\d{4})\. (.+)$/m.exec(text(file)) ?? []
      return !number || !index.includes(`- [${number}](${file.slice('docs/adr/'.length)}) ${title}\n`)
    })
    expect(missing).toEqual([])
  })
})
