import { describe, expect, test } from '@jest/globals'
import { submitPage } from '../../../src/domain/respondent/page-submission.ts'
import type { Answers, Questionnaire } from '../../../src/domain/structure/questionnaire.ts'
import { shownQuestions } from '../../../src/domain/structure/validate-answers.ts'
import { answersOnPath } from '../../../src/domain/structure/visibility.ts'
import fc from '../../support/fast-check.ts'
import { compiled } from '../structure/sample.ts'

/** `make test-slow` sets this to 10,000. */
const WALKS = Number(process.env.PROPERTY_RUNS ?? 200)

/** A rule, a question and a page of the random surveys, as the model sees them. */
interface Rule {
  question: string
  op: 'eq' | 'ne' | 'answered' | 'unanswered'
  value?: number
}
type When = { all: Rule[] } | { any: Rule[] }
interface Item {
  id: string
  kind: 'single' | 'text' | 'hidden' | 'sum'
  /** The questions that a calculation adds up. */
  of: string[]
  condition?: When
  /** An earlier question, and its choices to which each choice belongs; undefined for a choice that is always offered. */
  filter?: { question: string; choices: (number[] | undefined)[] }
}
interface Sheet {
  items: Item[]
  condition?: When
  skip: { when?: When; to: number | 'complete' | 'terminate' }[]
}

type Typed = Readonly<Record<string, string>>

const HIDDEN_VALUE = 'mail'

/**
 * The model: what a survey with these values contains, computed from nothing but the values. It knows neither the order
 * in which they were typed nor the pages that were seen.
 */
function modelOf(sheets: readonly Sheet[], typed: Typed) {
  const answers: Record<string, unknown> = {}
  /** The values that each visible question offers. */
  const offered = new Map<string, string[]>()
  for (const { items } of sheets) for (const { id, kind } of items) if (kind === 'hidden') answers[id] = HIDDEN_VALUE
  const isTrue = ({ question, op, value }: Rule) => {
    const answer = answers[question]
    if (op === 'answered') return answer !== undefined
    if (op === 'unanswered') return answer === undefined
    return (answer === value) === (op === 'eq')
  }
  const holds = (when: When | undefined) => !when || ('all' in when ? when.all.every(isTrue) : when.any.some(isTrue))
  const pages: number[] = []
  let from = 1
  for (const [index, { items, condition, skip }] of sheets.entries()) {
    const number = index + 1
    if (number < from || !holds(condition)) continue
    let isSeen = false
    // A page with hidden fields and calculations only is passed, but its skips are followed.
    let hasContent = false
    for (const item of items) {
      if (!holds(item.condition)) continue
      const { filter } = item
      const values = ['0', '1', '2'].filter((_, choice) => {
        const belongsTo = filter?.choices[choice]
        return !belongsTo || belongsTo.includes(answers[filter!.question] as number)
      })
      if (values.length === 0) continue
      isSeen = true
      hasContent ||= item.kind === 'single' || item.kind === 'text'
      offered.set(item.id, values)
      const value = item.kind !== 'single' || values.includes(typed[item.id] ?? '') ? typed[item.id] : undefined
      if (item.kind === 'single' && value) answers[item.id] = Number(value)
      if (item.kind === 'text' && value) answers[item.id] = value
      // The score of the choice n is n + 1.
      const summands = item.of.flatMap((id) => (typeof answers[id] === 'number' ? [answers[id] + 1] : []))
      if (item.kind === 'sum' && summands.length === item.of.length)
        answers[item.id] = summands.reduce((sum, one) => sum + one, 0)
    }
    if (!isSeen) continue
    if (hasContent) pages.push(number)
    const taken = skip.find(({ when, to }) => (typeof to === 'string' || to > number) && holds(when))
    if (typeof taken?.to === 'string') break
    from = taken?.to ?? number + 1
  }
  return { pages, answers, offered }
}

const structureOf = (sheets: readonly Sheet[]) => ({
  title: 'T',
  form: sheets.map(({ items, condition, skip }) => ({
    ...(condition && { condition }),
    skip,
    children: items.map(({ id, kind, of, condition: own, filter }) => ({
      id,
      title: id,
      ...(own && { condition: own }),
      ...questionOf(kind, of, filter),
    })),
  })),
})

function questionOf(kind: Item['kind'], of: readonly string[], filter: Item['filter']): object {
  switch (kind) {
    case 'single': {
      const choices = ['A', 'B', 'C'].map((label, index) => {
        const belongsTo = filter?.choices[index]
        return { label, ...(belongsTo && { attributes: { a: belongsTo.map((choice) => choice + 1) } }) }
      })
      const choiceFilter = filter && [{ question: filter.question, attribute: 'a' }]
      return { idname: 'single-choice', children: [{ choices, ...(choiceFilter && { choiceFilter }) }] }
    }
    case 'text':
      return { idname: 'text-response', children: [{}] }
    case 'hidden':
      return { idname: 'hidden-field', children: [{}] }
    case 'sum':
      return { idname: 'calculation', expression: of.map((id) => `{{ ${id} }}`).join(' + ') }
  }
}

const MAX_PAGES = 6
const MAX_ITEMS = 3

/** Random surveys. Rules refer to earlier questions only, as in every survey that is accepted. */
const survey = fc
  .array(
    fc.array(fc.constantFrom('single', 'single', 'text', 'hidden', 'sum'), { minLength: 1, maxLength: MAX_ITEMS }),
    {
      minLength: 2,
      maxLength: MAX_PAGES,
    },
  )
  .chain((kinds) => {
    const ids = kinds.map((page, index) => page.map((_, at) => `q${index}_${at}x`))
    const singles = (before: number, at: number) =>
      kinds.flatMap((page, index) =>
        page.flatMap((kind, own) =>
          kind === 'single' && (index < before || (index === before && own < at)) ? [ids[index]![own]!] : [],
        ),
      )
    const when = (names: string[]): fc.Arbitrary<When | undefined> =>
      names.length === 0
        ? fc.constant(undefined)
        : fc.option(
            fc
              .tuple(fc.boolean(), fc.array(rule(names), { minLength: 1, maxLength: 2 }))
              .map(([all, rules]) => (all ? { all: rules } : { any: rules })),
            { nil: undefined },
          )
    const sheets = kinds.map((page, index) =>
      fc.record({
        items: fc.tuple(
          ...page.map((kind, at) =>
            fc.record({
              id: fc.constant(ids[index]![at]!),
              kind: fc.constant(kind === 'sum' && singles(index, at).length === 0 ? 'text' : (kind as Item['kind'])),
              of:
                kind === 'sum' && singles(index, at).length > 0
                  ? fc.uniqueArray(fc.constantFrom(...singles(index, at)), { minLength: 1, maxLength: 2 })
                  : fc.constant([]),
              condition: when(singles(index, at)),
              filter: kind === 'single' ? filter(singles(index, at)) : fc.constant(undefined),
            }),
          ),
        ),
        condition: when(singles(index, 0)),
        skip: fc.array(
          fc.record({
            when: when(singles(index, MAX_ITEMS)),
            to: fc.constantFrom<Sheet['skip'][number]['to']>(
              ...Array.from({ length: kinds.length - 1 - index }, (_, further) => index + 2 + further),
              'complete',
              'terminate',
            ),
          }),
          { maxLength: 2 },
        ),
      }),
    )
    return fc.tuple(...sheets) as fc.Arbitrary<Sheet[]>
  })

const filter = (names: string[]): fc.Arbitrary<Item['filter']> =>
  names.length === 0
    ? fc.constant(undefined)
    : fc.option(
        fc
          .record({
            question: fc.constantFrom(...names),
            choices: fc.array(fc.option(fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }), { nil: undefined }), {
              minLength: 3,
              maxLength: 3,
            }),
          })
          .filter(({ choices }) => choices.some((belongsTo) => belongsTo !== undefined)),
        { nil: undefined },
      )

const rule = (names: string[]): fc.Arbitrary<Rule> =>
  fc.oneof(
    fc.record({ question: fc.constantFrom(...names), op: fc.constantFrom('eq', 'ne'), value: fc.nat({ max: 2 }) }),
    fc.record({ question: fc.constantFrom(...names), op: fc.constantFrom('answered', 'unanswered') }),
  ) as fc.Arbitrary<Rule>

/** What a respondent does on a page: the values of its questions (an absent one is not touched), and a button. */
const action = fc.record({
  values: fc.array(fc.constantFrom('', '0', '1', '2', undefined), { minLength: MAX_ITEMS, maxLength: MAX_ITEMS }),
  go: fc.constantFrom<'next' | 'back'>('next', 'next', 'next', 'back'),
})

const withoutCalculations = (q: Questionnaire, answers: Answers) =>
  Object.fromEntries(Object.entries(answers).filter(([key]) => q.byId.get(key)?.kind !== 'calculation'))

describe('a walk through a survey: forwards, back, and forwards again with changed answers', () => {
  test('stores everything typed while the response is incomplete, and what a model without a walk contains at the end', () => {
    let ended = 0
    let wentBack = 0
    let rejected = 0
    fc.assert(
      fc.property(survey, fc.array(action, { minLength: 8, maxLength: 20 }), (sheets, actions) => {
        const q = compiled(structureOf(sheets))
        const hidden = sheets.flatMap(({ items }) => items.filter(({ kind }) => kind === 'hidden'))
        let stored: { answers: Answers; pagepath: string | null } = {
          answers: Object.fromEntries(hidden.map(({ id }) => [id, HIDDEN_VALUE])),
          pagepath: null,
        }
        const typed: Record<string, string> = {}
        let page = modelOf(sheets, typed).pages[0]
        if (page === undefined) return
        for (const { values, go } of actions) {
          const shown = new Set(shownQuestions(q, page, stored.answers).map(({ id }) => id))
          const raw: Record<string, string> = {}
          const { offered: before } = modelOf(sheets, typed)
          for (const [at, { id, kind }] of sheets[page - 1]!.items.entries()) {
            if (!shown.has(id) || kind === 'hidden' || kind === 'sum') continue
            // An untouched question is sent as the page shows it: with what is stored, if it is still offered.
            const isShown = kind === 'text' || (before.get(id) ?? ['0', '1', '2']).includes(typed[id] ?? '')
            raw[id] = values[at] ?? (isShown ? (typed[id] ?? '') : '')
          }
          // A choice that is not offered is an error, and the previous answer is kept.
          const { offered } = modelOf(sheets, { ...typed, ...raw })
          for (const { id, kind } of sheets[page - 1]!.items) {
            const isRejected = kind === 'single' && raw[id] && offered.get(id)?.includes(raw[id]) === false
            if (isRejected) rejected++
            else if (raw[id] !== undefined) typed[id] = raw[id]
          }
          const { answers, change, next } = submitPage(q, stored, { page, raw, shown, go, language: 'en' })
          const model = modelOf(sheets, typed)
          const everything = Object.entries(typed).flatMap(([id, value]) => {
            const { kind } = sheets.flatMap(({ items }) => items).find((item) => item.id === id)!
            return value === '' ? [] : [[id, kind === 'single' ? Number(value) : value]]
          })
          const given = Object.fromEntries([...everything, ...hidden.map(({ id }) => [id, HIDDEN_VALUE])])
          expect(withoutCalculations(q, answers)).toEqual(given)
          expect({ ...answersOnPath(q, answers) }).toEqual(model.answers)
          if (next.to === 'end') {
            expect(change.pagepath).toBe(model.pages.join())
            ended++
            return
          }
          stored = { answers, pagepath: change.pagepath ?? stored.pagepath }
          if (next.to === 'page') {
            expect(model.pages).toContain(next.page)
            if (next.page < page) wentBack++
            page = next.page
          }
        }
      }),
      { numRuns: WALKS },
    )
    // The random walks are of the kinds that the test is about.
    expect(ended).toBeGreaterThan(WALKS / 3)
    expect(wentBack).toBeGreaterThan(WALKS / 10)
    expect(rejected).toBeGreaterThan(WALKS / 20)
  })
})
