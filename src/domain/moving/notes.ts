const define = <Code extends string>(codes: Record<Code, string>): Readonly<Record<Code, string>> => codes

/** Every code of a note about an imported survey, with its text. */
export const noteCodes = define({
  type_not_supported: 'The question was left out. Canvass has no question of this type.',
  type_replaced: 'The question has a similar type.',
  question_refused: 'The question was left out, because a survey cannot contain it.',
  condition_not_supported: 'The condition was left out. The question is always shown.',
  condition_simplified: 'The condition was replaced with a similar one.',
  skip_not_supported: 'The jump to another page was left out.',
  setting_not_supported: 'The setting was left out.',
  validation_not_supported: 'The check of the answer was left out.',
  quota_not_supported: 'The quota was left out.',
  required_removed: 'The question is optional, because its condition was left out.',
  name_changed: 'The name is missing, reserved or used twice. The question has another one.',
  code_changed: 'The code of the choice occurs twice or is too long. The choice has another one.',
  formatting_removed: 'HTML was removed, because texts of surveys are plain text.',
  placeholder_removed: 'A reference in the text was left as it is, because it names no earlier question.',
  label_missing: 'The question has no text. Its name is its title.',
  language_assumed: 'The file does not say in which language the survey is. It was read as English.',
  choices_inferred: 'The file does not list the choices. They are the values that occur in the responses.',
  type_inferred: 'The file does not say what kind of question this is. The answers decided.',
  answer_not_a_choice: 'The answer was left out. It is none of the choices.',
  answer_not_accepted: 'The answer was left out. It does not fit the question.',
  answer_without_question: 'The answer was left out. The survey does not have its question.',
  file_not_imported: 'The answer was left out. Uploaded files are not imported.',
  column_ignored: 'The column was left out. It belongs to no question.',
  response_ignored: 'The response was left out.',
  time_zone_assumed: 'The time of the response has no time zone. It was read as UTC.',
  time_not_read: 'The time of the response cannot be read. The response has the time of the import.',
  too_many_notes: 'Further notes are not listed.',
})

export type NoteCode = keyof typeof noteCodes

/** A part of an imported survey, or an answer, that was left out or changed. */
export interface Note {
  code: NoteCode
  /** The name of the question, setting or variable in the file; null for the whole file. */
  item: string | null
  /** The column of the table of responses, or the variable of a response. */
  column: string | null
  /** The row as a spreadsheet shows it, or the position of the response from 1: the first one that the note is about. */
  row: number | null
  /** The content, shortened. */
  value: string | null
  /** How often this happened. */
  count: number
  message: string
}

/** Where something was left out or changed. */
export type NotePlace = Partial<Pick<Note, 'item' | 'column' | 'row' | 'value'>>

const MAX_NOTES = 1_000
/** Maximum number of different values that are listed for each code and column; others are counted together. */
const MAX_VALUES = 20
const MAX_VALUE_CHARACTERS = 200

/** Collects notes. Notes that differ only in the row are one note with a count, so that no answer is lost silently. */
export class Notes {
  readonly list: Note[] = []
  readonly #byPlace = new Map<string, Note>()
  readonly #values = new Map<string, number>()

  add(code: NoteCode, { item, column, row, value }: NotePlace = {}): void {
    const group = JSON.stringify([code, item, column])
    const known = this.#byPlace.get(group + shorten(value))
    const values = this.#values.get(group) ?? 0
    const note = known ?? (values >= MAX_VALUES ? this.#byPlace.get(`${group}*`) : undefined)
    if (note) {
      note.count += 1
      return
    }
    this.#values.set(group, values + 1)
    const isFull = this.list.length >= MAX_NOTES
    const place = isFull
      ? { item: null, column: null, row: null, value: null }
      : {
          item: shorten(item),
          column: shorten(column),
          row: row ?? null,
          value: values >= MAX_VALUES ? null : shorten(value),
        }
    if (isFull && this.list.at(-1)!.code === 'too_many_notes') {
      this.list.at(-1)!.count += 1
      return
    }
    const noted = isFull ? 'too_many_notes' : code
    const added: Note = { code: noted, ...place, count: 1, message: noteCodes[noted] }
    this.list.push(added)
    if (!isFull) this.#byPlace.set(values >= MAX_VALUES ? `${group}*` : group + shorten(value), added)
  }
}

function shorten(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null
  return value.length > MAX_VALUE_CHARACTERS ? `${value.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…` : value
}
