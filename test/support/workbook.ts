import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { columnLetters } from '../../src/lib/xlsx/sheet.ts'

/** The texts of a sheet by row, from row 1. An empty text creates no cell. */
export type SheetCells = readonly (readonly string[])[]

const HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const NAMESPACE = 'http://schemas.openxmlformats.org'
export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Returns a ZIP archive of files. */
export async function makeZip(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return Buffer.from(await buffer(zip.outputStream))
}

/** Returns the files of a workbook as spreadsheet programs write them: texts are shared by all sheets. */
export function workbookFiles(sheets: Readonly<Record<string, SheetCells>>): Record<string, string> {
  const names = Object.keys(sheets)
  const texts: string[] = []
  const shared = (text: string) => (texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1)
  const files: Record<string, string> = {}
  for (const [index, cells] of Object.values(sheets).entries()) {
    const rows = cells.map((row, y) => {
      const written = row.flatMap((text, x) =>
        text === '' ? [] : [`<c r="${columnLetters(x)}${y + 1}" t="s"><v>${shared(text)}</v></c>`],
      )
      return `<row r="${y + 1}">${written.join('')}</row>`
    })
    files[`xl/worksheets/sheet${index + 1}.xml`] =
      `${HEADER}<worksheet xmlns="${NAMESPACE}/spreadsheetml/2006/main"><sheetData>${rows.join('')}</sheetData></worksheet>`
  }
  files['[Content_Types].xml'] =
    `${HEADER}<Types xmlns="${NAMESPACE}/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`
  const relationship = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${NAMESPACE}/officeDocument/2006/relationships/${type}" Target="${target}"/>`
  const relationships = (content: string) =>
    `${HEADER}<Relationships xmlns="${NAMESPACE}/package/2006/relationships">${content}</Relationships>`
  files['_rels/.rels'] = relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml'))
  files['xl/_rels/workbook.xml.rels'] = relationships(
    names.map((_, index) => relationship(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`)).join('') +
      relationship('rIdTexts', 'sharedStrings', 'sharedStrings.xml'),
  )
  files['xl/workbook.xml'] =
    `${HEADER}<workbook xmlns="${NAMESPACE}/spreadsheetml/2006/main" xmlns:r="${NAMESPACE}/officeDocument/2006/relationships"><sheets>${names
      .map((name, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`
  files['xl/sharedStrings.xml'] =
    `${HEADER}<sst xmlns="${NAMESPACE}/spreadsheetml/2006/main">${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`
  return files
}

/** Returns a workbook (.xlsx) with sheets. */
export const makeWorkbook = (sheets: Readonly<Record<string, SheetCells>>): Promise<Buffer<ArrayBuffer>> =>
  makeZip(workbookFiles(sheets))
