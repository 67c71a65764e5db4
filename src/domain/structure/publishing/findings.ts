import { kindOf, typeOf } from '../../../questions/index.ts'
import { scoreOf } from '../choices.ts'
import { compile } from '../compile.ts'
import type { NumberedStructure } from '../numbering.ts'
import { settingOf } from '../setting.ts'
import type { Structure, StructureQuestion, StructureWarning } from '../structure.ts'
import { arrayOf, isRecord } from '../walk.ts'
import { SCORE_ORDER_MESSAGE, structureWarnings } from '../warnings.ts'
import { type DeadPart, deadParts } from './paths.ts'
import { orderDependentParts } from './random-order.ts'
import { defaultChoices, missingSystemTexts, noQuestions, untitledQuestions, untranslatedTexts } from './texts.ts'

/** What is unfinished or probably wrong in a structure that an author wants to publish. */
export interface PublishingCheck {
  /** The findings, those that stop publishing first. Of each kind, at most {@link MAX_FINDINGS_OF_KIND} are listed. */
  findings: StructureWarning[]
  /** The number of findings, with those that are not listed. */
  total: number
}

const MAX_FINDINGS_OF_KIND = 50

/** The findings with which respondents could not answer. */
const STOPPING: ReadonlySet<StructureWarning['code']> = new Set(['no_questions', 'untitled_question'])

/** Returns whether the pages of authors refuse to publish a structure with a finding. */
export const stopsPublishing = ({ code }: Pick<StructureWarning, 'code'>): boolean => STOPPING.has(code)

/** What the check needs to know beside the structure. */
interface PublishingContext {
  /** The published structure. */
  published: Structure
  /** Returns whether the service has buttons and messages in a language, or the owner has written them. */
  hasSystemTexts(code: string): boolean
}

/**
 * Checks a structure before it is published. The check is a product of the service and not a rule: programs can publish
 * every valid structure.
 */
export function checkForPublishing(
  { structure, removed }: NumberedStructure,
  { published, hasSystemTexts }: PublishingContext,
): PublishingCheck {
  const q = compile(structure, removed)
  const kinds = [
    noQuestions(structure),
    untitledQuestions(structure),
    defaultChoices(structure),
    deadParts(q).map((part) => deadPartWarning(part)),
    orderDependentParts(q),
    scoresOutOfOrder(structure, published),
    structureWarnings(structure),
    missingSystemTexts(structure, hasSystemTexts),
    untranslatedTexts(structure, MAX_FINDINGS_OF_KIND),
  ]
  return {
    findings: kinds.flatMap((found) => ('listed' in found ? found.listed : found.slice(0, MAX_FINDINGS_OF_KIND))),
    total: kinds.reduce((sum, found) => sum + ('listed' in found ? found.total : found.length), 0),
  }
}

const DEAD_PART_CODES = {
  page: 'unreachable_page',
  question: 'unreachable_question',
  skip: 'unreachable_skip',
  quota: 'contradictory_rules',
} as const

const DEAD_PART_MESSAGES: Readonly<Record<'contradictory_rules' | (typeof DEAD_PART_CODES)[DeadPart['part']], string>> =
  {
    contradictory_rules: 'No answers fulfil all these rules together.',
    unreachable_page: 'No respondent can reach this page. Every path with the answers that it needs ends or skips it.',
    unreachable_question: 'No respondent can see this question: on this page, no one has the answers that it needs.',
    unreachable_skip: 'This skip never applies: no one who leaves this page has the answers that it needs.',
  }

function deadPartWarning({ pointer, reason, part }: DeadPart): StructureWarning {
  const code = reason === 'rules' ? 'contradictory_rules' : DEAD_PART_CODES[part]
  return { pointer, code, message: DEAD_PART_MESSAGES[code], values: {} }
}

/**
 * Returns a finding for each list of choices whose scores were positions once and no longer follow the order: the
 * author moved choices, or added some between others. Scores in descending order are a reversed scale, unless the
 * published structure has the same choices with ascending scores.
 */
function scoresOutOfOrder(structure: Structure, published: Structure): StructureWarning[] {
  const before = new Map(published.form.flatMap(({ children }) => children.map((question) => [question.id, question])))
  return structure.form.flatMap(({ children }, page) =>
    children.flatMap((question, index): StructureWarning[] => {
      const earlier = before.get(question.id)
      const scores = scoresIn(question)
      if (!isShuffled(scores) && !(isReversed(scores) && earlier && isAscending(scoresIn(earlier)))) return []
      return [
        { pointer: `/form/${page}/children/${index}`, code: 'score_order', message: SCORE_ORDER_MESSAGE, values: {} },
      ]
    }),
  )
}

const scoresIn = (question: StructureQuestion): number[] =>
  typeOf(kindOf(question.idname))?.unscored
    ? []
    : arrayOf(settingOf(question, 'choices'))
        .filter(isRecord)
        .map((choice, index) => scoreOf(choice, index + 1))

/** Returns whether scores are different natural numbers in neither ascending nor descending order, as after a move. */
const isShuffled = (scores: readonly number[]): boolean =>
  new Set(scores).size === scores.length &&
  scores.every((score) => Number.isInteger(score) && score > 0 && score <= scores.length * 2) &&
  !isAscending(scores) &&
  !isReversed(scores)

const isAscending = (scores: readonly number[]): boolean =>
  scores.every((score, index) => index === 0 || score > scores[index - 1]!)

const isReversed = (scores: readonly number[]): boolean =>
  scores.length > 1 && scores.every((score, index) => index === 0 || score < scores[index - 1]!)
