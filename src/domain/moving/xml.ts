import { loadPackage } from '../../lib/lazy.ts'
import { LIMITS, MovingError, type SourceFile } from './source.ts'

/** An element of an XML file that has only texts: their values by the name of the element. */
export type XmlRow = ReadonlyMap<string, string>

/** Maximum number of characters of a comment or a processing instruction, and of attributes of an element. */
const MAX_COMMENT_CHARACTERS = 65_536
const MAX_ATTRIBUTES = 200

/**
 * Reads an XML file whose sections contain rows: `<document><section><rows><row><name>value</name></row></rows>`. A file
 * with a document type is rejected, so only the entities of XML itself can occur.
 * @returns the rows by section, and the texts directly in the document by name
 * @throws {MovingError} `damaged_survey_file`, `too_deep`
 */
export function readXmlRows({ name, text }: Pick<SourceFile, 'name' | 'text'>): {
  sections: ReadonlyMap<string, XmlRow[]>
  texts: XmlRow
} {
  const { SaxesParser } = loadPackage<typeof import('saxes')>('saxes')
  const parser = new SaxesParser()
  const path: string[] = []
  const sections = new Map<string, XmlRow[]>()
  const texts = new Map<string, string>()
  let row: Map<string, string> | undefined
  let value = ''
  let attributes = 0
  const fail = (place = `${parser.line}:${parser.column}`): never => {
    throw new MovingError('damaged_survey_file', name, { place })
  }
  parser.on('error', () => fail())
  parser.on('doctype', () => fail('DOCTYPE'))
  parser.on('comment', (comment) => comment.length > MAX_COMMENT_CHARACTERS && fail())
  parser.on('attribute', () => ++attributes > MAX_ATTRIBUTES && fail())
  parser.on('opentag', (tag) => {
    attributes = 0
    value = ''
    path.push(tag.name)
    if (path.length > LIMITS.depth) throw new MovingError('too_deep', name, { max: LIMITS.depth })
    if (tag.name === 'row' && path.length === 4) row = new Map()
  })
  const add = (part: string) => {
    value += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', (tag) => {
    const section = path[1]
    path.pop()
    if (path.length === 4 && row) row.set(tag.name, value)
    else if (path.length === 1) texts.set(tag.name, value)
    else if (path.length === 3 && tag.name === 'row' && row && section !== undefined) {
      const rows = sections.get(section) ?? []
      sections.set(section, rows)
      rows.push(row)
      row = undefined
    }
    value = ''
  })
  parser.write(text ?? '').close()
  return { sections, texts }
}
