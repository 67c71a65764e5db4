import type { Issues } from './issues.ts'
import type { Table } from './table.ts'

/** The settings of a form that are converted. */
export interface FormSettings {
  title: string
  /** The default language as written; '' if there is none. */
  language: string
  /** The row of the settings; undefined if there is none. */
  row: number | undefined
  /** Whether each question has a page of its own, unless it is in a group. */
  isPaged: boolean
}

const TITLES = ['form_title', 'title', 'set_form_title', 'form_id', 'set_form_id', 'id_string', 'name']

/** What happens without a setting, for settings whose loss authors should know. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  public_key: 'Answers are not encrypted with this key. Everyone who can see the responses can read them.',
  submission_url: 'Responses are stored in Canvass and not sent to this address. Use a webhook to send them.',
  instance_name: 'Responses have no name of their own.',
  auto_send: 'Answers are stored with each page.',
  auto_delete: 'Responses are not deleted automatically.',
  version: 'Canvass counts the versions of a survey itself.',
  form_id: 'Canvass gives each survey an ID of its own.',
  id_string: 'Canvass gives each survey an ID of its own.',
  set_form_id: 'Canvass gives each survey an ID of its own.',
  sms_keyword: 'Answers cannot be sent by SMS.',
  clean_text_values: 'Spaces and quotes in the cells are always cleaned.',
}

/** Reads the settings, and adds an issue for each cell that is not converted. */
export function readSettings(table: Table, issues: Issues): FormSettings {
  const [row, ...more] = table.rows
  const titled = TITLES.find((name) => row?.getText(name))
  const style = row?.get('style') ?? ''
  const used = new Set(['default_language', 'allow_choice_duplicates', ...(titled ? [titled] : [])])
  if (/^pages(?: no-text-transform)?$/.test(style)) used.add('style')
  for (const { index, name, heading } of table.columns) {
    const cell = row?.cellAt(index) ?? ''
    if (cell === '' || used.has(name)) continue
    const consequence = CONSEQUENCES[name] ?? (name === 'style' ? 'Only the style “pages” has a counterpart.' : '')
    issues.add(
      'setting_ignored',
      row!.atColumn(index),
      `The setting “${heading}” has no counterpart and was left out.${consequence && ` ${consequence}`}`,
      cell,
    )
  }
  for (const extra of more)
    issues.add('setting_ignored', extra.at(), 'Only the first row of settings counts. This row was left out.')
  return {
    title: (titled && row?.getText(titled)) || 'Untitled survey',
    language: row?.get('default_language') ?? '',
    row: row?.number,
    isPaged: /\bpages\b/.test(style),
  }
}
