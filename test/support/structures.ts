import { checkStructure } from '../../src/domain/structure/check.ts'
import { questionTypes } from '../../src/questions/index.ts'
import fc from './fast-check.ts'

const text = fc.oneof(fc.string(), fc.dictionary(fc.constantFrom('en', 'fr', 'pt-BR'), fc.string()))
const id = fc.constantFrom('a', 'b', 'c', 'd', 'constructor', 'a_0', 'b\\other')
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const choice = fc.record({
  label: text,
  score: maybe(fc.integer()),
  other: maybe(fc.boolean()),
  exclusive: maybe(fc.boolean()),
  code: maybe(fc.string({ maxLength: 3 })),
})
const rule = fc.record({
  question: id,
  op: fc.constantFrom('eq', 'ne', 'lt', 'gt', 'contains', 'answered', 'unanswered'),
  value: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.string(), fc.boolean()),
})
const condition = fc.oneof(
  rule,
  fc.record({ all: fc.array(rule) }),
  fc.record({ any: fc.array(rule, { minLength: 1 }) }),
)
const option = fc.record(
  {
    label: text,
    required: fc.boolean(),
    choices: fc.array(choice, { minLength: 2, maxLength: 2 }),
    validation: fc.record({ kind: fc.constantFrom('email', 'number', 'letters'), message: text }),
    leftLabel: text,
  },
  { requiredKeys: ['choices'] },
)
const question = fc.record(
  {
    idname: fc.oneof(fc.constantFrom(...Object.keys(questionTypes)), fc.constant('star-map')),
    id,
    title: text,
    condition: maybe(condition),
    choices: fc.array(choice, { minLength: 2, maxLength: 3 }),
    children: fc.array(option, { minLength: 1, maxLength: 3 }),
    extra: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ['idname', 'choices', 'children'] },
)
const skip = fc.record({
  when: maybe(condition),
  to: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom('complete', 'terminate')),
})
const page = fc.record({
  children: fc.uniqueArray(question, { maxLength: 4, selector: ({ id }) => id ?? {} }),
  skip: maybe(fc.array(skip, { maxLength: 2 })),
})
const structure = fc.record({
  title: fc.constantFrom('T', { en: 'T' }),
  form: fc.array(fc.oneof({ weight: 5, arbitrary: page }, question), { maxLength: 4 }),
})
/** Valid and invalid structures. Members that are undefined are removed by converting a structure to JSON and back. */
export const anyStructure = structure.map((value) => JSON.parse(JSON.stringify(value)) as unknown)

interface UncheckedNode {
  idname?: string
  id?: string
  condition?: { question?: string; all?: UncheckedNode[]; any?: UncheckedNode[] }
  children: UncheckedNode[]
  skip?: { to: number | string; when?: UncheckedNode['condition'] }[]
}

/** Replaces IDs, and the targets of conditions and skips, with valid values, so that most structures are valid. */
function withValidReferences(json: unknown): unknown {
  const { form } = json as { form: UncheckedNode[] }
  const ids = ['a', 'constructor', 'b', 'c', 'd', ...Array.from({ length: 20 }, (_, index) => `q${index}`)]
  const earlier: string[] = []
  const setTarget = (condition: UncheckedNode['condition'], offset: number): void => {
    if (condition?.question) condition.question = earlier[offset % earlier.length]!
    for (const part of [...(condition?.all ?? []), ...(condition?.any ?? [])])
      setTarget(part as UncheckedNode['condition'], offset + 1)
  }
  for (const [index, entry] of form.entries()) {
    for (const question of entry.idname ? [entry] : entry.children) {
      question.id = ids.shift()!
      if (earlier.length === 0) delete question.condition
      else setTarget(question.condition, index)
      if (question.idname !== 'section-separator' && question.idname !== 'star-map') earlier.push(question.id)
    }
    for (const skip of entry.skip ?? []) {
      if (earlier.length === 0) delete skip.when
      else setTarget(skip.when, index)
      const ahead = form.length - index - 1
      if (typeof skip.to === 'number') skip.to = ahead > 0 ? index + 2 + (skip.to % ahead) : 'complete'
    }
  }
  return json
}

/** Valid structures. */
export const validStructure = anyStructure
  .map(withValidReferences)
  .filter((value) => checkStructure(value).length === 0)
