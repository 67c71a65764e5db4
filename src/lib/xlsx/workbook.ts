import { posix } from 'node:path'
import { MAX_CELLS, MAX_CHARACTERS, readSharedTexts, readSheet, type SheetRow } from './sheet.ts'
import { readCellFormats } from './styles.ts'
import { WorkbookError } from './workbook-error.ts'
import { parseXml } from './xml.ts'
import { openZip, type ZipArchive } from './zip.ts'

/** A workbook of which only some sheets are read. */
export interface Workbook {
  /** The names of all sheets, as written. */
  names: string[]
  /** The rows of the sheets that the caller requested, by name in lower case. A sole sheet has the first of these names. */
  sheets: ReadonlyMap<string, SheetRow[]>
}

/** Magic bytes of the container that Excel uses for .xls files and for encrypted .xlsx files. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
/** The name of the stream that holds an encrypted workbook. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/**
 * Reads sheets of an Excel workbook (.xlsx). Formulas are never computed, and no other file is opened.
 * @param wanted names of sheets in lower case. If the workbook has a single sheet with another name, it is read as the
 *   first of them.
 * @throws {WorkbookError}
 */
export async function readWorkbook(bytes: Buffer, wanted: readonly string[]): Promise<Workbook> {
  const declared = await openWorkbook(bytes)
  const budget = newBudget()
  const sheets = new Map<string, SheetRow[]>()
  for (const { name, read } of declared) {
    const own = name.trim().toLowerCase()
    const key = declared.length === 1 && !wanted.includes(own) ? wanted[0]! : own
    if (!wanted.includes(key) || sheets.has(key)) continue
    const rows = await read(budget)
    if (rows) sheets.set(key, rows)
  }
  return { names: declared.map(({ name }) => name), sheets }
}

/** A sheet that has not been read yet. */
export interface DeclaredSheet {
  name: string
  isHidden: boolean
  /**
   * Returns the rows; undefined if the workbook does not contain the sheet.
   * @throws {WorkbookError}
   */
  read(budget?: Budget): Promise<SheetRow[] | undefined>
}

/** The numbers of cells and characters that may still be read. */
interface Budget {
  cells: number
  characters: number
}

const newBudget = (): Budget => ({ cells: MAX_CELLS, characters: MAX_CHARACTERS })

/**
 * Opens an Excel workbook (.xlsx), as {@link readWorkbook} does.
 * @returns at least one sheet
 * @throws {WorkbookError}
 */
export async function openWorkbook(bytes: Buffer): Promise<DeclaredSheet[]> {
  if (bytes.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE))
    throw new WorkbookError(bytes.includes(ENCRYPTED_PACKAGE) ? 'password_protected' : 'old_format')
  const zip = await openZip(bytes)
  const root = await relationshipsOf(zip, '')
  const workbook = [...root.values()].find(({ type }) => type === 'officeDocument')?.target
  if (workbook === undefined || !zip.has(workbook)) throw new WorkbookError('not_a_workbook')
  const targets = await relationshipsOf(zip, workbook)
  const { declared, from1904 } = await sheetsOf(zip, workbook)
  if (declared.length === 0) throw new WorkbookError('not_a_workbook')
  const partOf = (part: string) => [...targets.values()].find(({ type, target }) => type === part && zip.has(target))
  const [shared, styles] = [partOf('sharedStrings'), partOf('styles')]
  const content = {
    sharedTexts: shared ? await readSharedTexts(zip, shared.target) : [],
    formats: styles ? await readCellFormats(zip, styles.target) : [],
    from1904,
  }
  return declared.map(({ name, id, isHidden }) => ({
    name,
    isHidden,
    async read(budget = newBudget()) {
      const target = targets.get(id)?.target
      return target === undefined ? undefined : readSheet(zip, target, content, budget)
    },
  }))
}

async function sheetsOf(zip: ZipArchive, workbook: string) {
  const declared: { name: string; id: string; isHidden: boolean }[] = []
  let from1904 = false
  await parseXml(zip, workbook, {
    open(element, attribute) {
      // All known programs use the prefix `r` for the XML namespace of relationships.
      if (element === 'sheet')
        declared.push({
          name: attribute('name') ?? '',
          id: attribute('r:id') ?? '',
          isHidden: /^(?:h|veryH)idden$/.test(attribute('state') ?? ''),
        })
      if (element === 'workbookPr') from1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '')
    },
  })
  return { declared, from1904 }
}

/** Returns the files to which a file of the archive refers, by ID; `''` is the archive itself. */
async function relationshipsOf(
  zip: ZipArchive,
  source: string,
): Promise<Map<string, { type: string; target: string }>> {
  const folder = posix.dirname(source)
  const name = posix.join(folder, '_rels', `${posix.basename(source)}.rels`)
  const relationships = new Map<string, { type: string; target: string }>()
  if (!zip.has(name)) return relationships
  await parseXml(zip, name, {
    open(element, attribute) {
      const [id, type, target] = [attribute('Id'), attribute('Type'), attribute('Target')]
      if (element !== 'Relationship' || id === undefined || type === undefined || target === undefined) return
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      relationships.set(id, { type: posix.basename(type), target: path })
    },
  })
  return relationships
}

/**
 * Returns whether a file begins like a workbook. A workbook is a ZIP archive (.xlsx), or has the binary format of .xls
 * files and encrypted .xlsx files.
 */
export const isWorkbook = (file: Buffer): boolean => /^(?:504b0304|d0cf11e0)/.test(file.subarray(0, 4).toString('hex'))
