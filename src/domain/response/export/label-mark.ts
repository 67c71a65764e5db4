import { anyChoiceIndex, parseAnswer } from '../../structure/parse-answer.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { textIn } from '../../structure/text.ts'
import type { ExportOptions } from './options.ts'

/** Reports whether an import of an export could read a label as the position of another choice. */
export function needsMark(q: Questionnaire, options: ExportOptions): boolean {
  const { labels, scores, codes, titles, keysInHeader, language = q.defaultLanguage } = options
  const isImportable = !titles || keysInHeader
  return labels && !scores && !codes && isImportable && q.fields.some((field) => hasLabelOfAnother(field, language, q))
}

function hasLabelOfAnother(field: Field, language: string, q: Questionnaire): boolean {
  if (field.type !== 'single' && field.type !== 'multi' && field.type !== 'boolean') return false
  return field.choices.some(({ index, label }) => {
    const parsed = parseAnswer(field, textIn(label, language, q), { lookup: anyChoiceIndex, values: 'auto' })
    if ('error' in parsed) return parsed.error.code === 'ambiguous_choice'
    const read = [parsed.value].flat()[0]
    return read !== undefined && read !== (field.type === 'boolean' ? index === 0 : index)
  })
}
