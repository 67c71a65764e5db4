import { createHash, randomInt } from 'node:crypto'
import { randomKey } from '../../lib/secrets.ts'
import { typeOf } from '../../questions/index.ts'
import type { Answer, Answers, Question, Questionnaire } from './questionnaire.ts'
import { answersOnPath } from './visibility.ts'

/** Reports whether the service assigns the answers to questions of a type. */
export const isAssigned = (kind: string): boolean => typeOf(kind)?.answeredBy === 'assignment'

const assignedQuestions = new WeakMap<Questionnaire, readonly Question[]>()

function questionsOf(q: Questionnaire): readonly Question[] {
  const questions =
    assignedQuestions.get(q) ?? q.questions.filter(({ kind, choices }) => isAssigned(kind) && choices.length > 0)
  assignedQuestions.set(q, questions)
  return questions
}

const weightsOf = ({ choices }: Question): number[] => choices.map(({ weight = 1 }) => weight)
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Reports whether a survey assigns respondents to groups. */
export const hasGroups = (q: Questionnaire): boolean => questionsOf(q).length > 0

/**
 * Returns answers with the groups to which a respondent belongs. A group that is among the answers stays.
 * @param seed the key of the response. The groups depend only on it, so they are the same before the response is stored.
 */
export function withGroups(q: Questionnaire, answers: Answers, seed: string | undefined): Answers {
  const missing = questionsOf(q).filter(({ id }) => !Object.hasOwn(answers, id))
  if (missing.length === 0 || seed === undefined) return answers
  const groups = missing.map((question): [string, Answer] => [question.id, groupOf(question, seed)])
  return { ...answers, ...Object.fromEntries(groups) }
}

/** Does the same as {@link withGroups}, without the groups whose question is not on the path of a finished response. */
export function withGroupsOnPath(q: Questionnaire, answers: Answers, seed: string): Answers {
  const all = withGroups(q, answers, seed)
  if (all === answers) return answers
  const onPath = answersOnPath(q, all)
  return Object.fromEntries(
    Object.entries(all).filter(([key]) => Object.hasOwn(answers, key) || Object.hasOwn(onPath, key)),
  )
}

/** Returns the index of the group of a question that a key means. */
function groupOf(question: Question, seed: string): number {
  const weights = weightsOf(question)
  const hash = createHash('sha256').update(`group\n${seed}\n${question.id}`).digest()
  let rest = (hash.readUIntBE(0, 6) / 2 ** 48) * sumOf(weights)
  const index = weights.findIndex((weight) => {
    rest -= weight
    return rest < 0
  })
  return index === -1 ? weights.length - 1 : index
}

/** Maximum number of keys of which on average one means the groups that are due. */
const MAX_EXPECTED_TRIES = 64
const MAX_TRIES = 8 * MAX_EXPECTED_TRIES
/** Maximum number of respondents of a block. With larger weights, groups are drawn one by one. */
const MAX_BLOCK = 10_000

/** The groups that are due for the next respondents, by question, in random order. */
const blocks = new WeakMap<Question, number[]>()

/**
 * Returns a new key for a response. The groups that it means are balanced: of each block of as many respondents as the
 * sum of the weights, each group gets as many as its weight, in random order. Each process has blocks of its own.
 * @param given answers that can contain groups, which are then not drawn
 */
export function drawKey(q: Questionnaire, given: Answers = {}): Buffer {
  const due: { question: Question; group: number }[] = []
  let expectedTries = 1
  for (const question of questionsOf(q)) {
    if (Object.hasOwn(given, question.id)) continue
    const weights = weightsOf(question)
    expectedTries *= sumOf(weights) / Math.min(...weights)
    if (expectedTries > MAX_EXPECTED_TRIES || sumOf(weights) > MAX_BLOCK) break
    due.push({ question, group: nextGroup(question, weights) })
  }
  for (let attempt = 1; ; attempt++) {
    const key = randomKey()
    const seed = due.length > 0 ? key.toString('hex') : ''
    if (attempt === MAX_TRIES || due.every(({ question, group }) => groupOf(question, seed) === group)) return key
  }
}

function nextGroup(question: Question, weights: readonly number[]): number {
  const block = blocks.get(question) ?? []
  if (block.length === 0) {
    for (const [group, weight] of weights.entries()) for (let count = 0; count < weight; count++) block.push(group)
    for (let last = block.length - 1; last > 0; last--) {
      const other = randomInt(last + 1)
      ;[block[last], block[other]] = [block[other]!, block[last]!]
    }
    blocks.set(question, block)
  }
  return block.pop()!
}
