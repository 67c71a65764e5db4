import type { LanguageText } from '../../../domain/structure/questionnaire.ts'
import { settingOf } from '../../../domain/structure/setting.ts'
import type { Structure, StructureItem, StructurePage, StructureQuestion } from '../../../domain/structure/structure.ts'
import { mapPlaceholders } from '../../../domain/structure/text.ts'
import { type StoredText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'

/** Returns the code of the survey's default language. */
export const defaultCode = ({ languages }: Structure): string =>
  languages.find(({ isDefault }) => isDefault)?.code ?? 'en'

/** Returns a text in a language; '' if there is no translation into that language. */
export const textOf = (text: LanguageText | undefined, code: string): string =>
  text && Object.hasOwn(text, code) ? String(text[code]) : ''

/** Returns a text in a language. If there is no translation into that language, returns the text in any language. */
export const anyText = (text: LanguageText | undefined, code: string): string =>
  // The labels of a question of an unknown type can have any form.
  textOf(text, code) || String((text && typeof text === 'object' && Object.values(text).find((one) => one)) || '')

/** Returns the title of a question; `Untitled question` if it has none. */
export const titleOfQuestion = (question: StructureQuestion, code: string): string =>
  anyText(question.title, code).trim() || t('Untitled question')

/**
 * Replaces each placeholder in a text with the title of the question that the placeholder refers to, in angle quotes.
 */
export const withLabels = (text: string, structure: Structure, code: string): string =>
  mapPlaceholders(text, (name) => {
    const named = questionNamed(name, structure)
    return named && named.row === undefined
      ? mapPlaceholders(titleOfQuestion(named.question, code), () => '…')
      : name.replace('invite.', '')
  })

/** Returns the title of a question as its card shows it. */
export const cardTitle = (question: StructureQuestion, structure: Structure, code: string): string =>
  withLabels(titleOfQuestion(question, code), structure, code)

/** Returns the name of a page: its number, and its title if it has one. */
export const nameOfPage = (page: Pick<StructurePage, 'title'>, index: number, code: string): string => {
  const title = anyText(page.title, code).trim()
  return title ? t('Page {index}: {title}', { index: index + 1, title }) : t('Page {index}', { index: index + 1 })
}

const MAX_SHORT_NAME_CHARACTERS = 80

/** Returns the name of a page, truncated, for lists of many pages. */
export function shortNameOfPage(page: Pick<StructurePage, 'title'>, index: number, code: string): string {
  const name = nameOfPage(page, index, code)
  return name.length > MAX_SHORT_NAME_CHARACTERS ? `${name.slice(0, MAX_SHORT_NAME_CHARACTERS).toWellFormed()}…` : name
}

/** Returns the name of a page as a stored text, which is translated when it is shown. */
export const storedNameOfPage = (page: Pick<StructurePage, 'title'>, index: number, code: string): StoredText => {
  const title = anyText(page.title, code).trim().slice(0, 80)
  return title
    ? storedText('Page {index}: {title}', { index: index + 1, title })
    : storedText('Page {index}', { index: index + 1 })
}

/** Returns the choices of a question. The choices of a grid are its columns. */
export const choicesOf = (question: StructureQuestion): readonly StructureItem[] => settingOf(question, 'choices') ?? []

/** Returns the ID of the card of a question, for links to it. */
export const cardId = (id: string): string => `question-${encodeURIComponent(id)}`

/** A question, or a row of a grid, to which a rule or a placeholder refers. */
interface NamedQuestion {
  question: StructureQuestion
  /** Position of the row, from 0. */
  row?: number
}

const indexes = new WeakMap<Structure, ReadonlyMap<unknown, NamedQuestion>>()

/** Returns the question with an ID or an identifier, or the row of a grid with a response key. */
export function questionNamed(name: unknown, structure: Structure): NamedQuestion | undefined {
  const index = indexes.get(structure) ?? indexOf(structure)
  indexes.set(structure, index)
  return index.get(name)
}

function indexOf({ form }: Structure): ReadonlyMap<unknown, NamedQuestion> {
  const questions = form.flatMap(({ children }) => children)
  const index = new Map<unknown, NamedQuestion>()
  const add = (name: unknown, named: NamedQuestion) => index.has(name) || index.set(name, named)
  for (const question of questions) add(question.id, { question })
  for (const question of questions) if (question.identifier) add(question.identifier, { question })
  for (const question of questions) {
    if (!question.idname.endsWith('-grid')) continue
    for (const row of question.children.keys()) add(`${question.id}_${row}`, { question, row })
  }
  return index
}
