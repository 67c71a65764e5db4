import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import { MAX_RULES, MAX_SEARCH_RULES } from '../cost.ts'
import { reservedKeys } from '../meta-fields.ts'
import type { Rule } from '../questionnaire.ts'
import { isServiceParameter, reservedIdText } from '../reserved-ids.ts'
import { MAX_PLACEHOLDERS } from '../text.ts'
import type { ChoiceList } from './choices.ts'
import { conditionOf, type Find, join, type Referable, type Result } from './condition.ts'
import { type Expression, parseExpression } from './expression.ts'
import type { Issues } from './issues.ts'
import { rowTypeOf } from './row-type.ts'
import type { FormText, TableRow } from './table.ts'

/** A form that is being converted. */
export interface Form {
  issues: Issues
  defaultLanguage: string
  /** The codes of all languages. */
  languages: readonly string[]
  lists: ReadonlyMap<string, ChoiceList>
  /**
   * Counts a use of a list. Each question has its own copy of the choices, so the length of all copies is limited.
   * @throws {WorkbookError} `too_large`
   */
  useList(list: ChoiceList): void
  /**
   * Counts the rules of a condition. Each question of a group has its own copy of the condition of the group.
   * @throws {WorkbookError} `too_large`
   */
  useRules(condition: Result): void
  /** Returns whether a structure can have the rules of a condition that search an answer. */
  canUse(condition: Result): boolean
  /** IDs of questions by row. */
  ids: ReadonlyMap<number, string>
  /** The names of all rows. */
  names: ReadonlySet<string>
  /** The names to which calculations refer. */
  calculated: ReadonlySet<string>
  /** Parses an expression; undefined for one that cannot be converted. */
  parse(text: string): Expression | undefined
  /** Returns the last question with a name that has been converted so far. */
  find: Find
  /** Adds a converted question. */
  addReferable(name: string, question: Referable): void
  /** The names of rows whose value is the day of the response. */
  todays: ReadonlySet<string>
  /** The appearances and parameters that have been reported. */
  reported: Set<string>
}

const MAX_ID_CHARACTERS = 100
/** Maximum number of characters of all expressions of a form. */
const MAX_EXPRESSION_CHARACTERS = 1_000_000

/**
 * Returns a parser for the expressions of a form. After a million characters, the parser converts no further
 * expressions.
 */
export function expressionParser(): Form['parse'] {
  let remaining = MAX_EXPRESSION_CHARACTERS
  return (text) => {
    remaining -= text.length
    return remaining < 0 ? undefined : parseExpression(text)
  }
}

/** Maximum number of look-ups of questions by all expressions and texts of a form. */
const MAX_LOOKUPS = 1_000_000

/**
 * Returns the converted questions by name. After a million look-ups, expressions find no further questions: the parts of
 * a calculation are inserted wherever its name is used.
 */
export function referables(): Pick<Form, 'find' | 'addReferable'> {
  const questions = new Map<string, Referable>()
  let remaining = MAX_LOOKUPS
  return {
    find: (name) => (--remaining < 0 ? undefined : questions.get(name)),
    addReferable: (name, question) => {
      if (name !== '') questions.set(name, question)
    },
  }
}

/** Returns the names of the rows whose value is the day of the response. */
export const todaysOf = (rows: readonly TableRow[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) => {
      const type = rowTypeOf(row.get('type'))
      const isToday =
        type.kind === 'plain' && (type.name === 'today' || /^(?:today|now)\(\)$/.test(row.get('calculation')))
      return isToday ? [row.get('name')] : []
    }),
  )

/** Returns the names to which the calculations of a form refer. */
export function calculatedNames(rows: readonly TableRow[]): ReadonlySet<string> {
  const texts = rows.map((row) => row.get('calculation')).filter((text) => text !== '')
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/\$\{\s*([^{}]{1,255}?)\s*\}|\/([\p{L}_][\p{L}\p{N}_.-]{0,255})/gu)].map(
        ([, name, step]) => (name ?? step)!,
      ),
    ),
  )
}

/** Returns a function that throws an error when the conditions with which it was called have too many rules together. */
export function ruleCounter(): Pick<Form, 'useRules' | 'canUse'> {
  let rules = 0
  let searches = 0
  return {
    useRules(condition) {
      const used = rulesIn(condition)
      rules += used.length
      searches += used.filter(isSearch).length
      if (rules > MAX_RULES) throw new WorkbookError('too_large', { max: MAX_RULES, unit: 'rules' })
    },
    canUse: (condition) => {
      const added = rulesIn(condition).filter(isSearch).length
      return added === 0 || searches + added <= MAX_SEARCH_RULES
    },
  }
}

const rulesIn = (condition: Result): Rule[] => {
  if (typeof condition === 'boolean') return []
  if ('all' in condition) return condition.all.flatMap(rulesIn)
  return 'any' in condition ? condition.any.flatMap(rulesIn) : [condition]
}

const isSearch = ({ op }: Rule): boolean => op === 'contains' || op === 'not_contains'

/**
 * Assigns an ID to each row. The ID is the name of the row. If the name is reserved or used twice, the ID is the name
 * with a number. If the name is missing, the ID contains the number of the row.
 */
export function assignIds(rows: readonly TableRow[], issues: Issues): Pick<Form, 'ids' | 'names'> {
  const ids = new Map<number, string>()
  const names = new Set<string>()
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  for (const row of rows) {
    const type = rowTypeOf(row.get('type'))
    if (row.get('type') === '' || type.kind === 'end') continue
    const name = row.get('name')
    const base =
      name.slice(0, MAX_ID_CHARACTERS).toWellFormed() || `${type.kind === 'begin' ? 'group' : 'question'}_${row.number}`
    let id = base
    for (let count = counts.get(base) ?? 2; taken.has(id) || reservedKeys.has(id); count++) {
      id = `${base}_${count}`
      counts.set(base, count + 1)
    }
    taken.add(id)
    ids.set(row.number, id)
    if (name !== '') names.add(name)
    const isVisible = type.kind !== 'begin' && !(type.kind === 'plain' && type.name === 'note')
    if (isVisible && isServiceParameter(id)) issues.add('reserved_id', row.at('name'), reservedIdText(id), name)
    if (id === name || !isVisible) continue
    const reason =
      name === '' ? 'The row has no name.' : `The name “${name.slice(0, 60)}” cannot be used or is used twice.`
    issues.add(
      'name_changed',
      row.at('name'),
      `${reason} The ID of the question is “${id}”. Change the ID before you collect responses.`,
      name,
    )
  }
  return { ids, names }
}

/** Matches a reference to an answer in a text. */
const REFERENCE = /\$\{([^{}]{1,255})\}/g

/** Returns the names to which the texts of a row, and of the choices of its list, refer. */
export function namesIn(texts: readonly (FormText | undefined)[]): string[] {
  return texts.flatMap((text) =>
    Object.values(typeof text === 'object' ? text : { text: text ?? '' }).flatMap((translation) =>
      translation.includes('${') ? [...translation.matchAll(REFERENCE)].map(([, name = '']) => name.trim()) : [],
    ),
  )
}

/** Returns a text with references to answers as placeholders: `${name}` becomes `{{ name }}`. */
export function textOf(row: TableRow, column: string, form: Form): FormText | undefined {
  const text = row.text(column, form.defaultLanguage)
  return text && withPlaceholders(text, row, column, form)
}

/** Replaces the references to answers in a text. A reference without an answer is removed and reported. */
export function withPlaceholders(text: FormText, row: TableRow, column: string, form: Form): FormText {
  if (typeof text !== 'string')
    return Object.fromEntries(
      Object.entries(text).map(([code, translation]) => [code, replaceReferences(translation, row, column, form)]),
    )
  return replaceReferences(text, row, column, form)
}

function replaceReferences(text: string, row: TableRow, column: string, form: Form): string {
  if (!text.includes('${')) return text
  let count = 0
  return text.replace(REFERENCE, (reference, content: string) => {
    const name = content.trim()
    const question = pipedQuestion(name, form)
    const isAnswer = question !== undefined && !question.formula
    if (isAnswer && ++count <= MAX_PLACEHOLDERS) return `{{ ${question.key} }}`
    const shown = `“${name.slice(0, 60)}”`
    const reason = isAnswer
      ? `The text refers to more than ${MAX_PLACEHOLDERS} questions.`
      : question || form.names.has(name)
        ? `The text refers to ${shown}, which has no answer before this question.`
        : `The text refers to ${shown}, which is not a question of the survey.`
    form.issues.add(
      'reference_not_found',
      row.at(column),
      `${reason} The reference was removed. Edit the text.`,
      reference,
    )
    return ''
  })
}

/**
 * Returns the question whose answer a reference in a text shows. A calculation that repeats an answer, or names the
 * choice (`jr:choice-name`), shows this answer.
 */
function pipedQuestion(name: string, form: Form): Referable | undefined {
  const question = form.find(name)
  const formula = question?.formula
  const source = formula?.kind === 'call' && formula.name === 'jr:choice-name' ? formula.args[0] : formula
  const answer = source?.kind === 'question' ? form.find(source.name) : undefined
  return answer && !answer.formula ? answer : question
}

/** A condition of a row or of the groups around it. */
export interface Relevance {
  /** The condition; true if there is none. */
  result: Result
  /** The expression of the condition; undefined if a part of it cannot be parsed. */
  expression: Expression | undefined
  /** Whether a part of the condition could not be converted. */
  isIncomplete: boolean
}

/** The expression of a condition that always holds. */
export const ALWAYS: Expression = { kind: 'call', name: 'true', args: [] }
/** The condition of a row without one. */
export const UNCONDITIONAL: Relevance = { result: true, expression: ALWAYS, isIncomplete: false }

/** Returns the condition of a row, together with that of the groups around it. */
export function relevanceOf(
  row: TableRow,
  form: Form,
  around: Relevance,
  shown: 'question' | 'group of questions',
): Relevance {
  const text = row.get('relevant')
  if (text === '') return around
  const expression = form.parse(text)
  const converted = expression && conditionOf(expression, form.find)
  const result = converted !== undefined && form.canUse(converted) ? converted : undefined
  if (result === undefined)
    form.issues.add(
      'expression_not_supported',
      row.at('relevant'),
      `The condition cannot be converted, so the ${shown} is always shown${shown === 'question' ? '' : ' unless the groups around it are hidden'}. Add a condition in the builder.`,
      text,
    )
  const both = result === undefined ? around.result : join('all', [around.result, result])!
  return {
    result: both,
    expression:
      expression &&
      around.expression &&
      (around.expression === ALWAYS ? expression : { kind: 'and', parts: [around.expression, expression] }),
    isIncomplete: around.isIncomplete || result === undefined,
  }
}

/** Returns the member `condition`; none for a condition that always holds. */
export function conditionMember(result: Result, form: Form): { condition?: unknown } {
  if (result === true) return {}
  form.useRules(result)
  // An empty `any` is always false.
  return { condition: result === false ? { any: [] } : result }
}
