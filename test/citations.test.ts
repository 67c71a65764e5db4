import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { sectionTitles } from '../scripts/section-titles.ts'

const documents = ['docs/specification.md', 'docs/decisions.md'] as const
const texts = globSync(['{src,test,scripts,tools,openapi,sdk}/**/*.{ts,py,yaml,md}', 'docs/**/*.md', '*.md'], {
  exclude: (name) => name.includes('node_modules'),
}).map((file) => ({ file, text: readFileSync(file, 'utf8') }))

const SECTIONS = String.raw`\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*`

/**
 * Returns the sections that texts cite, for example as “docs/specification.md 7.3, 7.4”. Each section comes with the
 * file that cites it. A citation may span several lines of a comment.
 */
const citations = (document: string) =>
  texts.flatMap(({ file, text }) =>
    [
      ...text.matchAll(new RegExp(String.raw`${document.replace('.', String.raw`\.`)}[\s*#/]+(${SECTIONS})`, 'g')),
    ].flatMap(([, sections]) => sections!.split(/, | and /).map((section) => ({ file, section }))),
  )

describe.each(documents)('citations of %s', (document) => {
  const titles = sectionTitles(document)

  it('name a section if they are in a comment of src', () => {
    const withoutSection = new RegExp(String.raw`${document.replace('.', String.raw`\.`)}(?![\s*#/]+\d)`)
    const files = texts.filter(({ file, text }) => file.startsWith('src/') && withoutSection.test(text))
    expect(files.map(({ file }) => file)).toEqual([])
  })

  it('name sections that exist', () => {
    expect(titles.size).toBeGreaterThan(50)
    expect(citations(document).filter(({ section }) => !titles.has(section))).toEqual([])
  })
})

describe('comments of src', () => {
  it('cite the specification by its file name, not only as “the specification”', () => {
    const vague = /^\s*(?:\/?\*|\/\/).*\bspecification\b(?!\.md)/im
    const files = texts.filter(({ file, text }) => file.startsWith('src/') && vague.test(text))
    expect(files.map(({ file }) => file)).toEqual([])
  })
})

describe('docs/decisions.md', () => {
  it('names sections of the specification that exist', () => {
    const titles = sectionTitles('docs/specification.md')
    const text = readFileSync('docs/decisions.md', 'utf8')
    const cited = [...text.matchAll(new RegExp(String.raw`\(specification\s+(${SECTIONS})`, 'g'))].flatMap(
      ([, sections]) => sections!.split(/, | and /),
    )
    expect(cited.length).toBeGreaterThan(40)
    expect(cited.filter((section) => !titles.has(section))).toEqual([])
  })
})
