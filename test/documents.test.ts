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

const documents = globSync([
  '*.md',
  '.github/**/*.md',
  'docs/**/*.md',
  'openapi/README.md',
  '{src,tools,findings}/**/*.md',
])

const wordsOf = (file: string): number => text(file).split(/\s+/).length

/** Returns the names that a document says are in a file or folder: “`name` in `src/folder/`”, “`a` and `b` in …”. */
const placesIn = (file: string): { name: string; path: string }[] =>
  [...text(file).matchAll(/((?:`\w+`(?: and )?)+) in `(src\/[^`]+)`/g)].flatMap(([, names, path]) =>
    [...names!.matchAll(/\w+(?=`)/g)].map(([name]) => ({ name, path: path! })),
  )

/** Returns the text of a file, or of all TypeScript files of a folder. */
const sourceOf = (path: string): string =>
  path.endsWith('/')
    ? globSync(`${path}**/*.ts`)
        .map((file) => text(file))
        .join('\n')
    : text(path)

describe('the documents', () => {
  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only paths that exist', (file) => {
    const paths = pathsIn(file)
    expect(paths.length).toBeGreaterThan(3)
    expect(paths.filter((path) => globSync(path).length === 0)).toEqual([])
  })

  it('of the rooms name only paths that exist', () => {
    const rooms = ['openapi/README.md', ...globSync('src/**/README.md')]
    const missing = rooms.flatMap((file) => pathsIn(file).filter((path) => globSync(path).length === 0))
    expect(missing).toEqual([])
  })

  it('say where things are, and they are there', () => {
    const places = placesIn('ARCHITECTURE.md')
    expect(places.length).toBeGreaterThan(10)
    expect(places.filter(({ name, path }) => !new RegExp(`\\b${name}\\b`).test(sourceOf(path)))).toEqual([])
  })

  it('stay short enough to be read', () => {
    expect(wordsOf('ARCHITECTURE.md')).toBeLessThan(1300)
    expect(wordsOf('CONTRIBUTING.md')).toBeLessThan(1300)
    const rooms = globSync('src/**/README.md')
    expect(rooms.length).toBeGreaterThan(10)
    expect(rooms.filter((file) => text(file).trimEnd().split('\n').length > 15)).toEqual([])
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
