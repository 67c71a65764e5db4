import { checkStructure } from '../../src/domain/structure/check.ts'
import { convertXlsform } from '../../src/domain/structure/xlsform/read.ts'
import { readTextForm } from '../../src/domain/structure/xlsform/text-form.ts'
import { makeWorkbook, type SheetCells } from '../support/workbook.ts'

/** Returns the sheets of a form in the Markdown notation of pyxform. */
async function sheetsOf(markdown: string): Promise<Record<string, SheetCells>> {
  const { names, sheets } = await readTextForm(Buffer.from(markdown))
  const cellsOf = (name: string) =>
    (sheets.get(name.toLowerCase()) ?? []).map(({ cells }) =>
      Array.from({ length: Math.max(0, ...cells.keys()) + 1 }, (_, index) => cells.get(index) ?? ''),
    )
  return Object.fromEntries(names.map((name) => [name, cellsOf(name)]))
}

/**
 * Converts a form in the Markdown notation of pyxform, as text and as a workbook, and compares both. The API accepts the
 * structure.
 */
export async function readForm(markdown: string) {
  const { structure, issues } = await convertXlsform(await makeWorkbook(await sheetsOf(markdown)))
  const fromText = await convertXlsform(Buffer.from(markdown))
  const isSame = JSON.stringify(fromText) === JSON.stringify({ structure, issues })
  const questions = structure.form.flatMap(({ children }) => children)
  const byId = new Map(questions.map((question) => [question.id, question]))
  return {
    structure,
    questions,
    pages: structure.form.map((page) => page.children.map(({ id }) => id)),
    question: (id: string) => byId.get(id) as (typeof questions)[number],
    option: (id: string) =>
      byId.get(id)!.children[0] as Record<string, unknown> & { choices: Record<string, unknown>[] },
    /** The issues as `code sheet cell`. */
    issues: issues.map(({ code, sheet, row, column }) => `${code} ${sheet} ${column ?? ''}${row ?? ''}`.trim()),
    messages: issues.map(({ message }) => message),
    errors: [...(isSame ? [] : ['the text and the workbook differ']), ...checkStructure(structure)],
  }
}

/** Returns a rule of a condition. */
export const rule = (question: string, op: string, value?: unknown) => ({
  question,
  op,
  ...(value !== undefined && { value }),
})

/** The sheet of choices of the forms. */
export const CHOICES = `
| choices | | | |
| | list_name | name | label |
| | yn | yes | Yes |
| | yn | no | No |
| | many | a | Apples |
| | many | b | Bread |
| | many | none | None |
| | scale | 1 | Bad |
| | scale | 2 | Good |`
