import { isImage } from './choice-image.ts'
import { scoreOf } from './choices.ts'
import { RATING_STEPS } from './kind-settings.ts'
import { noText, textOf, yesText } from './language-text.ts'
import type { Choice, QuestionKind, RemovedChoice } from './questionnaire.ts'
import { arrayOf, codeMember, isRecord, type Json, settingOf, uidOf } from './walk.ts'

/** Returns the choices of a question in the order of the structure. If the kind has no choices, returns none. */
export function compileChoices(kind: QuestionKind, source: Json): Choice[] {
  switch (kind) {
    case 'single-choice':
    case 'multiple-choice':
    case 'dropdown-choice':
    case 'ranking':
      return parseChoices(settingOf(source, 'choices'))
    case 'single-choice-grid':
    case 'multiple-choice-grid':
    case 'dropdown-grid':
    case 'text-response-grid':
      return parseChoices(source.choices).map((choice) => ({ ...choice, other: false }))
    case 'boolean-choice':
      return booleanChoices(source)
    case 'net-promoter':
      return promoterChoices(source)
    case 'consent':
      return [{ index: 0, uid: 0, label: yesText, score: 1, other: false, exclusive: false }]
    case 'image-choice':
      return imageChoices(source)
    case 'rating':
      return ratingChoices(source)
    default:
      return []
  }
}

const numberChoice = (value: number): Choice => ({
  index: value,
  uid: value,
  label: { en: String(value) },
  score: value,
  other: false,
  exclusive: false,
})

/** Returns the choices of a rating: the numbers from 1 to the number of stars. */
function ratingChoices(source: Json): Choice[] {
  const steps = settingOf(source, 'steps')
  const { min, max, default: fallback } = RATING_STEPS
  // A question that was stored before ratings existed can have any value here.
  const count = Number.isInteger(steps) ? Math.min(max, Math.max(min, Number(steps))) : fallback
  return Array.from({ length: count }, (_, index) => numberChoice(index + 1))
}

/**
 * Returns the ratings above the present number of stars. Responses can contain them if an earlier version of the survey
 * had more stars.
 */
export const removedRatings = (choices: readonly Choice[]): RemovedChoice[] =>
  Array.from({ length: RATING_STEPS.max - choices.length }, (_, index) => numberChoice(choices.length + index + 1))

const parseChoices = (choices: unknown): Choice[] =>
  arrayOf(choices)
    .filter(isRecord)
    .map((choice, index) => ({
      index,
      uid: uidOf(choice, index),
      ...codeMember(choice),
      label: textOf(choice.label),
      score: scoreOf(choice, index + 1),
      other: choice.other === true,
      exclusive: choice.exclusive === true,
    }))

/** Returns choices with their images. */
function imageChoices(source: Json): Choice[] {
  const authored = arrayOf(settingOf(source, 'choices')).filter(isRecord)
  return parseChoices(authored).map((choice, index) => {
    const { image } = authored[index]!
    return { ...choice, other: false, ...(isImage(image) && { image: { url: image.url, alt: textOf(image.alt) } }) }
  })
}

/**
 * Returns the two choices of a boolean question. The answer true is the choice with index 0, and the answer false is
 * the choice with index 1. The default choices score 1 and 0, so that the mean is the share of yes.
 */
function booleanChoices(source: Json): Choice[] {
  const authored = parseChoices(settingOf(source, 'choices'))
  if (authored.length === 2) return authored.map((choice) => ({ ...choice, other: false, exclusive: false }))
  return [yesText, noText].map((label, index) => ({
    index,
    uid: index,
    label,
    score: 1 - index,
    other: false,
    exclusive: false,
  }))
}

/**
 * Returns the choices 0 to 10. In old structures, `categories` contains labels for these choices, from 10 down to 0.
 * The `score` beside a label is the number of the choice.
 */
function promoterChoices(source: Json): Choice[] {
  const labelled = arrayOf(settingOf(source, 'categories'))
    .filter(isRecord)
    .flatMap((category) => arrayOf(category.choices))
    .filter(isRecord)
  return Array.from({ length: 11 }, (_, value) => {
    const source = labelled.find((choice) => scoreOf(choice, Number.NaN) === value)
    const label = source ? textOf(source.label) : {}
    return { ...numberChoice(value), ...(Object.keys(label).length > 0 && { label }) }
  })
}
