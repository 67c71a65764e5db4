import { kindOf, type SettingName, textSettings } from '../../../questions/index.ts'
import { isImage } from '../choice-image.ts'
import type { LanguageText } from '../questionnaire.ts'
import { optionOf, settingOf } from '../setting.ts'
import type { Structure, StructureItem, StructureQuestion } from '../structure.ts'
import { type Json, uidOf } from '../walk.ts'
import { mergeText } from './merge.ts'

/** A text of a structure that can be translated. */
export interface TranslatableText {
  /** Identifies the text. The name does not change when questions and choices are moved. */
  name: string
  /** Members and positions that lead from the structure to the text. */
  path: readonly (string | number)[]
  text: LanguageText
  /** Kind of the text, such as a title, a description or a choice. */
  kind: 'title' | 'description' | 'choice' | 'alt' | 'row' | 'label' | 'message'
  /** Position of the page that contains the text, counted from 0; undefined for a text outside the pages. */
  page: number | undefined
}

type Part = Pick<TranslatableText, 'kind'> & { key: string; path: (string | number)[]; value: LanguageText | undefined }

/** Returns all texts of a structure that respondents see, in their order. */
export function translatableTexts(structure: Structure): TranslatableText[] {
  const texts: TranslatableText[] = []
  const add = (owner: string, at: (string | number)[], parts: readonly Part[], page?: number) => {
    // The labels of a question of an unknown type can have any form.
    for (const { key, path, value, kind } of parts)
      if (value && typeof value === 'object')
        texts.push({ name: `${owner}:${key}`, path: [...at, ...path], text: value, kind, page })
  }
  add('survey', [], headings(structure))
  for (const [index, page] of structure.form.entries()) {
    add(`page:${index}`, ['form', index], headings(page), index)
    for (const [at, question] of page.children.entries())
      add(`question:${question.id}`, ['form', index, 'children', at], questionParts(question), index)
  }
  for (const [index, quota] of (structure.quotas ?? []).entries())
    add(`quota:${index}`, ['quotas', index], [part('message', quota)])
  return texts
}

const part = <Kind extends 'title' | 'description' | 'message'>(
  kind: Kind,
  owner: { [Name in Kind]?: LanguageText | undefined },
): Part => ({
  kind,
  key: kind,
  path: [kind],
  value: owner[kind],
})

const headings = (owner: Pick<Structure, 'description'> & { title?: LanguageText | undefined }): Part[] => [
  part('title', owner),
  part('description', owner),
]

function questionParts(question: StructureQuestion): Part[] {
  const option = optionOf(question)
  /** Returns the path of a setting, which is on the option object or on the question. */
  const at = (name: string): (string | number)[] =>
    (option?.[name] ?? undefined) === undefined ? [name] : ['children', 0, name]
  const items = (kind: 'choice' | 'row', path: (string | number)[], list: readonly StructureItem[]): Part[] =>
    list.flatMap((item, index) => {
      const key = `${kind}:${uidOf(item, index)}`
      const label: Part = { kind, key, path: [...path, index, 'label'], value: item.label }
      if (!isImage(item.image)) return [label]
      const { alt } = item.image
      return [label, { kind: 'alt', key: `${key}:alt`, path: [...path, index, 'image', 'alt'], value: alt }]
    })
  const names = new Set<SettingName>(['leftLabel', 'rightLabel', ...textSettings(kindOf(question.idname))])
  const labels = [...names].map(
    (name): Part => ({
      kind: 'label',
      key: name,
      path: at(name),
      value: settingOf(question, name) as LanguageText | undefined,
    }),
  )
  const validation = settingOf(question, 'validation')
  return [
    ...headings(question),
    ...(option ? [] : items('row', ['children'], question.children)),
    ...items('choice', at('choices'), settingOf(question, 'choices') ?? []),
    ...labels,
    ...(validation ? [{ ...part('message', validation), path: [...at('validation'), 'message'] }] : []),
  ]
}

/**
 * Returns a structure with translations into a language. Texts that no longer exist are ignored.
 * @param translations the translations by the name of the text; '' removes a translation
 */
export function translate(
  structure: Structure,
  code: string,
  translations: Readonly<Record<string, string>>,
): Structure {
  const after = structuredClone(structure)
  for (const { name, path, text } of translatableTexts(structure)) {
    const translation = Object.hasOwn(translations, name) ? translations[name] : undefined
    if (translation === undefined) continue
    let owner: Json = after
    for (const step of path.slice(0, -1)) owner = owner[step] as Json
    owner[path.at(-1)!] = mergeText(text, { [code]: translation })
  }
  return after
}
