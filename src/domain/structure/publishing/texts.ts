import { hasSetting, isAutomatic, kindOf, typeOf } from '../../../questions/index.ts'
import { translatableTexts } from '../edit/translations.ts'
import { partWord, textOf } from '../language-text.ts'
import { settingOf } from '../setting.ts'
import type { Structure, StructureItem, StructureLanguage, StructureQuestion, StructureWarning } from '../structure.ts'
import { type Json, membersOf, under } from '../walk.ts'

/** Maximum length of a text that a finding quotes. */
const MAX_QUOTED_CHARACTERS = 60

const quoted = (text: string): string => text.trim().slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()

/** Returns whether a structure has a question that respondents can answer. */
export const hasAnswerableQuestion = ({ form }: Pick<Structure, 'form'>): boolean =>
  form.some(({ children }) => children.some(({ idname }) => isAnswerable(idname)))

/** Returns whether respondents can answer questions of a type. */
export function isAnswerable(idname: unknown): boolean {
  const kind = kindOf(idname)
  return Boolean(typeOf(kind)?.fieldType) && !isAutomatic(kind)
}

/** Returns a finding if respondents could not answer anything. */
export const noQuestions = (structure: Structure): StructureWarning[] =>
  hasAnswerableQuestion(structure)
    ? []
    : [
        {
          pointer: '/form',
          code: 'no_questions',
          message: 'The survey has no question that respondents can answer.',
          values: {},
        },
      ]

const questionsOf = ({ form }: Structure): { question: StructureQuestion; pointer: string }[] =>
  form.flatMap(({ children }, page) =>
    children.map((question, index) => ({ question, pointer: `/form/${page}/children/${index}` })),
  )

const isBlank = (text: unknown): boolean =>
  typeof text === 'string' ? text.trim() === '' : Object.values(membersOf(text)).every(isBlank)

/** Returns a finding for each question that shows neither a title nor a description. */
export const untitledQuestions = (structure: Structure): StructureWarning[] =>
  questionsOf(structure).flatMap(({ question, pointer }): StructureWarning[] => {
    const kind = kindOf(question.idname)
    const texts = [
      question.title,
      question.description,
      hasSetting(kind, 'statement') && settingOf(question, 'statement'),
    ]
    if (isAutomatic(kind) || !texts.every(isBlank)) return []
    const message = 'The question has no text. Write what is asked.'
    return [{ pointer, code: 'untitled_question', message, values: {} }]
  })

/** Reports whether a label is the one that the builder gives to a new choice or row (edit/new-question.ts). */
export const isDefaultLabel = (text: unknown, code: string, noun: 'new choice' | 'new row'): boolean => {
  const [, word] = typeof text === 'string' ? (/^(\S+) \d{1,4}$/.exec(text.trim()) ?? []) : []
  return word !== undefined && (word === partWord(noun, code) || word === partWord(noun, 'en'))
}

/** Returns a finding for each choice, row or column that still has the label of a new one. */
export const defaultChoices = (structure: Structure): StructureWarning[] =>
  questionsOf(structure).flatMap(({ question, pointer }) => {
    const isGrid = typeOf(kindOf(question.idname))?.grid === true
    const isOnOption = !isGrid && Array.isArray(question.children[0]?.choices)
    return [
      ...labelsIn(
        settingOf(question, 'choices') ?? [],
        `${pointer}${isOnOption ? '/children/0' : ''}/choices`,
        'new choice',
      ),
      ...(isGrid ? labelsIn(question.children, `${pointer}/children`, 'new row') : []),
    ]
  })

const labelsIn = (
  list: readonly StructureItem[],
  pointer: string,
  noun: 'new choice' | 'new row',
): StructureWarning[] =>
  list.flatMap((item, index): StructureWarning[] => {
    const label = Object.entries(textOf(item.label))
    const [, name] = label.find(([code, text]) => isDefaultLabel(text, code, noun)) ?? []
    if (name === undefined) return []
    const message = `“${String(name)}” is the label of a new choice. Write the label that respondents should see.`
    return [{ pointer: under(pointer, index), code: 'default_choice', message, values: { name: String(name) } }]
  })

/** Findings of one kind, of which only the first are listed. */
export interface ListedFindings {
  listed: StructureWarning[]
  total: number
}

/**
 * Returns a finding for each text of the default language that has no translation into another language of the survey.
 * Reads each stored text once, whatever the number of languages.
 */
export function untranslatedTexts(structure: Structure, max: number): ListedFindings {
  const code = structure.languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  const others = structure.languages.filter((language) => language.code !== code)
  const codes = new Set(others.map((language) => language.code))
  const findings: ListedFindings = { listed: [], total: 0 }
  if (others.length === 0) return findings
  for (const { text, path } of translatableTexts(structure)) {
    if (isBlank(text) || isBlank(ownText(text, code))) continue
    const translated = Object.entries(text).filter(([own, value]) => codes.has(own) && !isBlank(value)).length
    findings.total += others.length - translated
    if (translated === others.length || findings.listed.length >= max) continue
    const pointer = path.reduce<string>(under, '')
    for (const language of others)
      if (findings.listed.length < max && isBlank(ownText(text, language.code)))
        findings.listed.push(untranslated(pointer, quoted(String(ownText(text, code))), language))
  }
  return findings
}

const ownText = (text: Json, code: string): unknown => (Object.hasOwn(text, code) ? text[code] : undefined)

const untranslated = (pointer: string, name: string, { name: language }: StructureLanguage): StructureWarning => ({
  pointer,
  code: 'untranslated_text',
  message: `“${name}” is not translated into ${quoted(language)}.`,
  values: { name, language: quoted(language) },
})

/** Returns a finding for each language in which respondents see buttons and messages in English. */
export const missingSystemTexts = (
  { languages }: Structure,
  hasSystemTexts: (code: string) => boolean,
): StructureWarning[] =>
  languages.flatMap(({ code, name }, index): StructureWarning[] => {
    if (hasSystemTexts(code)) return []
    const language = quoted(name)
    return [
      {
        pointer: `/languages/${index}`,
        code: 'missing_system_texts',
        message: `Canvass has no buttons and messages in ${language}. Respondents see them in English, unless you write them.`,
        values: { language },
      },
    ]
  })
