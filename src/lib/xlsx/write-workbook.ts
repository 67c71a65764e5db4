import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { columnLetters } from './sheet.ts'

/** A cell: a text, a number, a boolean, a date or time in UTC, or nothing. */
export type WorkbookCell = string | number | boolean | null | { date: Date; format: DateFormat }

const DATE_FORMATS = ['yyyy-mm-dd hh:mm:ss', 'yyyy-mm-dd', 'hh:mm:ss'] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** A sheet whose rows are read once, while it is written. The first row is its header. */
export interface WorkbookSheet {
  name: string
  rows: AsyncIterable<readonly WorkbookCell[]> | Iterable<readonly WorkbookCell[]>
  /** Widths of columns in characters; undefined: the usual width. */
  widths: readonly (number | undefined)[]
}

/** Maximum number of rows of a sheet in Excel. Further rows follow in another sheet. */
const MAX_ROWS = 1_048_576
/** Maximum length of the name of a sheet in Excel. */
const MAX_NAME_CHARACTERS = 31
/** Characters of XML that are collected before they are compressed. */
const CHUNK_CHARACTERS = 64 * 1024

const HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/**
 * Writes an Excel workbook (Office Open XML, ECMA-376) as a stream. Memory does not grow with the number of rows.
 * @param maxRows the maximum number of rows of a sheet with its header
 */
export function writeWorkbook(sheets: readonly WorkbookSheet[], maxRows = MAX_ROWS): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const names: string[] = []

  /** Adds a sheet to the archive, and when it is written the next one. yazl reads one file after the other. */
  function addSheet(index: number, part: number, cursor: RowCursor): void {
    const { name, widths } = sheets[index]!
    names.push(part === 1 ? name : `${name.slice(0, MAX_NAME_CHARACTERS - 8)}_${part}`)
    const finish = async () => {
      if (await cursor.hasMore()) return addSheet(index, part + 1, cursor)
      if (index + 1 < sheets.length) return addSheet(index + 1, 1, new RowCursor(sheets[index + 1]!.rows))
      for (const [path, text] of Object.entries(partsOf(names))) zip.addBuffer(Buffer.from(HEADER + text), path)
      zip.end()
    }
    const xml = Readable.from(sheetXml(cursor, widths, maxRows, finish), { objectMode: false })
    xml.once('error', (error) => output.destroy(error))
    output.once('close', () => xml.destroy())
    zip.addReadStream(xml, `xl/worksheets/sheet${names.length}.xml`)
  }
  addSheet(0, 1, new RowCursor(sheets[0]!.rows))
  return output
}

/** Reads rows, one ahead, and remembers the first. */
class RowCursor {
  header: readonly WorkbookCell[] | undefined
  #next: Promise<IteratorResult<readonly WorkbookCell[]>> | undefined
  readonly #rows: AsyncIterator<readonly WorkbookCell[]> | Iterator<readonly WorkbookCell[]>

  constructor(rows: WorkbookSheet['rows']) {
    this.#rows = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  #peek() {
    this.#next ??= Promise.resolve(this.#rows.next())
    return this.#next
  }

  hasMore = async (): Promise<boolean> => !(await this.#peek()).done

  async next(): Promise<readonly WorkbookCell[] | undefined> {
    const { done, value } = await this.#peek()
    this.#next = undefined
    if (done) return undefined
    this.header ??= value
    return value
  }
}

async function* sheetXml(
  cursor: RowCursor,
  widths: readonly (number | undefined)[],
  maxRows: number,
  finish: () => Promise<void>,
): AsyncGenerator<string> {
  const columns = widths.flatMap((width, index) =>
    width === undefined ? [] : [`<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`],
  )
  let xml = `${HEADER}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`
  let number = 0
  const letters: string[] = []
  const add = (cells: readonly WorkbookCell[]) => {
    number += 1
    xml += `<row r="${number}">`
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column]
      if (cell === null || cell === undefined) continue
      letters[column] ??= columnLetters(column)
      xml += cellXml(`${letters[column]}${number}`, cell)
    }
    xml += '</row>'
  }
  if (cursor.header) add(cursor.header)
  while (number < maxRows) {
    const cells = await cursor.next()
    if (!cells) break
    add(cells)
    if (xml.length < CHUNK_CHARACTERS) continue
    yield xml
    xml = ''
  }
  yield `${xml}</sheetData></worksheet>`
  await finish()
}

function cellXml(reference: string, cell: Exclude<WorkbookCell, null>): string {
  switch (typeof cell) {
    case 'number':
      return `<c r="${reference}"><v>${cell}</v></c>`
    case 'boolean':
      return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`
    case 'string':
      return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
    default:
      return `<c r="${reference}" s="${DATE_FORMATS.indexOf(cell.format) + 1}"><v>${serialOf(cell)}</v></c>`
  }
}

/** Days since 1899-12-30, as Excel counts them; the part of a day for a time. */
const serialOf = ({ date, format }: { date: Date; format: DateFormat }): number =>
  Number(((date.getTime() - (format === 'hh:mm:ss' ? 0 : EPOCH_MS)) / DAY_MS).toFixed(10))
const DAY_MS = 86_400_000
const EPOCH_MS = Date.UTC(1899, 11, 30)

/**
 * Escapes a text for XML. A control character, and a text that looks like the escape of one, gets the escape of this
 * format: `_x0007_`. U+FFFE and U+FFFF, which no cell can contain, are replaced.
 */
function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[\uFFFE\uFFFF]/g, '\uFFFD')
    .replace(CONTROL, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (character) => ENTITIES[character]!)
}
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Characters that XML cannot contain, and CR. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F]/g
const SPECIAL = /[&<>\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]|_x/

/** Returns the files of a workbook other than its sheets. */
function partsOf(names: readonly string[]): Record<string, string> {
  const numbers = names.map((_, index) => index + 1)
  const override = (path: string, type: string) =>
    `<Override PartName="/${path}" ContentType="${CONTENT}.${type}+xml"/>`
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const relations = (all: string) => `<Relationships xmlns="${PACKAGE}/relationships">${all}</Relationships>`
  const attribute = (text: string) => escaped(text).replaceAll('"', '&quot;')
  return {
    'xl/styles.xml': stylesXml,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${names.map((name, index) => `<sheet name="${attribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      numbers.map((number) => relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`)).join('') +
        relation(`rId${names.length + 1}`, 'styles', 'styles.xml'),
    ),
    '_rels/.rels': relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')),
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('xl/workbook.xml', 'sheet.main')}${override('xl/styles.xml', 'styles')}${numbers.map((number) => override(`xl/worksheets/sheet${number}.xml`, 'worksheet')).join('')}</Types>`,
  }
}

/** The first own format of numbers; smaller ones are those of Excel. */
const FIRST_FORMAT = 164
const stylesXml = `<styleSheet xmlns="${MAIN}"><numFmts count="${DATE_FORMATS.length}">${DATE_FORMATS.map((format, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${format}"/>`).join('')}</numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${DATE_FORMATS.length + 1}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${DATE_FORMATS.map((_, index) => `<xf numFmtId="${FIRST_FORMAT + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
