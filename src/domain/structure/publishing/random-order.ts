import { namesOf } from '../condition.ts'
import { randomBlocks } from '../page-order.ts'
import type { Condition, LanguageText, Page, Question, Questionnaire, Rule } from '../questionnaire.ts'
import type { StructureWarning } from '../structure.ts'
import { namesWithoutDefault, questionNamed } from '../text.ts'

/**
 * Returns a finding for each part of a page in random order that needs another page of its block: for some respondents,
 * the other page comes later. Skips are evaluated after the last page of the block, so only that page may have some.
 */
export const orderDependentParts = (q: Questionnaire): StructureWarning[] =>
  randomBlocks(q).flatMap((block) => {
    const first = block[0]!.number
    const last = block.at(-1)!.number
    return block.flatMap((page) => [
      ...partsOf(q, page, (other) => other >= first && other <= last && other !== page.number),
      ...(page.number === last ? [] : page.skips.map((_, index) => skipFinding(page, index))),
    ])
  })

function partsOf(q: Questionnaire, page: Page, isInBlock: (page: number) => boolean): StructureWarning[] {
  const pointer = `/form/${page.at}`
  return [
    ...finding(q, isInBlock, `${pointer}/condition`, namesInCondition(page.condition)),
    ...finding(q, isInBlock, pointer, [...namesInText(page.title), ...namesInText(page.description)]),
    ...page.questions.flatMap((question) => [
      ...finding(q, isInBlock, `${question.pointer}/condition`, namesInCondition(question.condition)),
      ...finding(q, isInBlock, question.pointer, namesInQuestion(question)),
    ]),
  ]
}

const namesInQuestion = ({ title, description, choiceFilter = [] }: Question): string[] => [
  ...namesInText(title),
  ...namesInText(description),
  ...choiceFilter.map(({ question }) => question),
]

const namesInText = (text: LanguageText): string[] => Object.values(text).flatMap(namesWithoutDefault)

function namesInCondition(condition: Condition | Rule | undefined): readonly string[] {
  if (!condition) return []
  if ('all' in condition) return condition.all.flatMap(namesInCondition)
  if ('any' in condition) return condition.any.flatMap(namesInCondition)
  return namesOf(condition)
}

function finding(
  q: Questionnaire,
  isInBlock: (page: number) => boolean,
  pointer: string,
  names: readonly string[],
): StructureWarning[] {
  const name = names.find((one) => isInBlock(questionNamed(one, q)?.page ?? 0))
  if (name === undefined) return []
  const shown = name.slice(0, 60).toWellFormed()
  const message = `“${shown}” is on another page of the block in random order, which some respondents see later.`
  return [{ pointer, code: 'order_dependent', message, values: { name: shown } }]
}

const skipFinding = ({ at }: Page, index: number): StructureWarning => ({
  pointer: `/form/${at}/skip/${index}`,
  code: 'order_dependent_skip',
  message:
    'The skips of a page in random order apply after its whole block. Move this skip to the last page of the block.',
  values: {},
})
