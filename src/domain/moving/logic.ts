import type { Json } from '../structure/walk.ts'

/** A question to which a condition of another tool refers. */
export interface Subject {
  /** Its ID, or its response key. */
  question: string
  /** `choice`: one choice; `choices`: several; `tick`: one choice of several, which is chosen or not; `value`: any other. */
  kind: 'choice' | 'choices' | 'tick' | 'value'
  /** The codes of its choices by the value that the other tool compares. */
  codes?: ReadonlyMap<string, string>
  /** The code of the choice of a tick. */
  code?: string
  /** The value of a tick that is chosen. */
  ticked?: string
}

/** Finds the question to which a reference refers; undefined for one that comes later or was left out. */
export type Resolve = (reference: string) => Subject | undefined

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains' | 'notcontains' | 'empty' | 'notempty'

/** Returns the rule for one comparison; undefined if there is none. */
export function ruleOf(subject: Subject | undefined, op: Comparison, value: string): Json | undefined {
  if (!subject) return undefined
  const { question, kind, codes, code, ticked = '1' } = subject
  if (kind === 'tick') {
    if (op === 'empty' || op === 'notempty') return { question, op: op === 'empty' ? 'not_contains' : 'contains', code }
    if (op !== '=' && op !== '!=') return undefined
    const isChosen = (value === ticked) === (op === '=')
    return { question, op: isChosen ? 'contains' : 'not_contains', code }
  }
  if (op === 'empty' || (op === '=' && value === '')) return { question, op: 'unanswered' }
  if (op === 'notempty' || (op === '!=' && value === '')) return { question, op: 'answered' }
  if (codes) {
    const own = codes.get(value)
    switch (op) {
      case '=':
      case 'contains':
        return own === undefined ? undefined : { question, op: kind === 'choices' ? 'contains' : 'eq', code: own }
      case '!=':
      case 'notcontains':
        return own === undefined ? undefined : { question, op: kind === 'choices' ? 'not_contains' : 'ne', code: own }
      default: {
        const met = [...codes].filter(([one]) => one.trim() !== '' && compares(Number(one), op, Number(value)))
        const any = met.map(([, one]) => ({ question, op: kind === 'choices' ? 'contains' : 'eq', code: one }))
        return any.length > 0 && any.length <= MAX_CHOICES ? { any } : undefined
      }
    }
  }
  const number = Number(value)
  const own = value.trim() !== '' && Number.isFinite(number) ? number : value
  switch (op) {
    case '=':
      return { question, op: 'eq', value: own }
    case '!=':
      return { question, op: 'ne', value: own }
    case 'contains':
      return { question, op: 'contains', value }
    case 'notcontains':
      return { question, op: 'not_contains', value }
    case '<':
    case '>':
      return { question, op: op === '<' ? 'lt' : 'gt', value: own }
    default: {
      const strict = { question, op: op === '<=' ? 'lt' : 'gt', value: own }
      return { any: [strict, { question, op: 'eq', value: own }] }
    }
  }
}

/** Returns the rule that compares the answers to two questions; undefined if there is none. */
function pairOf(one: Subject | undefined, op: Comparison, other: Subject | undefined): Json | undefined {
  if (one?.kind !== 'value' || other?.kind !== 'value') return undefined
  const rule = (name: string) => ({ question: one.question, op: name, answer: other.question })
  switch (op) {
    case '=':
    case '!=':
      return rule(op === '=' ? 'eq' : 'ne')
    case '<':
    case '>':
      return rule(op === '<' ? 'lt' : 'gt')
    case '<=':
    case '>=':
      return { any: [rule(op === '<=' ? 'lt' : 'gt'), rule('eq')] }
    default:
      return undefined
  }
}

/** Maximum number of choices that a comparison such as `< 5` lists. */
const MAX_CHOICES = 50

function compares(one: number, op: Comparison, other: number): boolean {
  switch (op) {
    case '<':
      return one < other
    case '<=':
      return one <= other
    case '>':
      return one > other
    default:
      return one >= other
  }
}

/** Joins conditions; undefined if one of them cannot be converted. */
export function join(member: 'all' | 'any', parts: readonly (Json | undefined)[]): Json | undefined {
  if (parts.some((part) => part === undefined)) return undefined
  const flat = parts.flatMap((part) => (Array.isArray(part![member]) ? (part![member] as Json[]) : [part!]))
  return flat.length === 1 ? flat[0] : { [member]: flat }
}

const OPPOSITES: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  contains: 'not_contains',
  not_contains: 'contains',
  answered: 'unanswered',
  unanswered: 'answered',
}

/** Returns the opposite of a condition. */
export function negated(condition: Json | undefined): Json | undefined {
  if (!condition) return undefined
  if (Array.isArray(condition.all)) return join('any', (condition.all as Json[]).map(negated))
  if (Array.isArray(condition.any)) return join('all', (condition.any as Json[]).map(negated))
  const opposite = OPPOSITES[String(condition.op)]
  if (opposite) return { ...condition, op: opposite }
  return {
    any: [
      { ...condition, op: condition.op === 'lt' ? 'gt' : 'lt' },
      { ...condition, op: 'eq' },
    ],
  }
}

/** A member `condition`; empty if there is none. A single rule becomes a list. */
export const conditionMember = (condition: Json | undefined): { condition?: Json } =>
  condition ? { condition: 'question' in condition ? { all: [condition] } : condition } : {}

type Token =
  | { kind: 'reference' | 'string' | 'word' | 'symbol'; text: string }
  | { kind: 'list'; text: string; items: string[] }

const SYMBOL = /&&|\|\||==|!=|<>|<=|>=|[=<>!(),]/y
const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"|'([^'\\]*(?:\\.[^'\\]*)*)'/y
const LIST = /\[\s*((?:'[^']*'|"[^"]*"|-?[\w.]+)(?:\s*,\s*(?:'[^']*'|"[^"]*"|-?[\w.]+))*)\s*\]/y
const WORD = /-?[\p{L}\p{N}_.]+/uy
const SPACE = /\s+/y

/** The operators before a list. In other places, brackets are around references. */
const LIST_OPERATORS = new Set(['anyof', 'allof', 'noneof'])

const MAX_CHARACTERS = 20_000
const MAX_DEPTH = 32

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '==': '=',
  eq: '=',
  equal: '=',
  '!=': '!=',
  '<>': '!=',
  ne: '!=',
  notequal: '!=',
  '<': '<',
  lt: '<',
  less: '<',
  '<=': '<=',
  le: '<=',
  lessorequal: '<=',
  '>': '>',
  gt: '>',
  greater: '>',
  '>=': '>=',
  ge: '>=',
  greaterorequal: '>=',
  contains: 'contains',
  contain: 'contains',
  notcontains: 'notcontains',
  notcontain: 'notcontains',
}

/**
 * Converts a condition in infix notation, as LimeSurvey, REDCap and SurveyJS write it.
 * @param reference matches a reference, whose name is the first group
 * @returns undefined for a condition that cannot be converted
 */
export function parseLogic(text: string, reference: RegExp, resolve: Resolve): Json | undefined {
  const tokens = text.length > MAX_CHARACTERS ? undefined : tokensOf(text, reference)
  if (!tokens || tokens.length === 0) return undefined
  let at = 0
  const peek = () => tokens[at]
  const isWord = (...words: string[]) => {
    const token = peek()
    return token !== undefined && token.kind !== 'string' && words.includes(token.text.toLowerCase())
  }
  const take = (...words: string[]) => isWord(...words) && Boolean(++at)

  function either(depth: number): Json | undefined {
    const parts = [both(depth)]
    while (take('or', '||')) parts.push(both(depth))
    return join('any', parts)
  }
  function both(depth: number): Json | undefined {
    const parts = [one(depth)]
    while (take('and', '&&')) parts.push(one(depth))
    return join('all', parts)
  }
  function one(depth: number): Json | undefined {
    if (depth > MAX_DEPTH) return undefined
    if (take('!', 'not')) return negated(one(depth + 1))
    if (take('(')) {
      const inner = either(depth + 1)
      if (!take(')')) return undefined
      return inner
    }
    if (isWord('is_empty', 'empty', 'isempty') && tokens![at + 1]?.text === '(') {
      at += 2
      const subject = operand()
      if (!take(')') || subject?.kind !== 'reference') return undefined
      return ruleOf(resolve(subject.text), 'empty', '')
    }
    return comparison()
  }
  function comparison(): Json | undefined {
    const left = operand()
    if (!left) return undefined
    if (take('empty')) return left.kind === 'reference' ? ruleOf(resolve(left.text), 'empty', '') : undefined
    if (take('notempty')) return left.kind === 'reference' ? ruleOf(resolve(left.text), 'notempty', '') : undefined
    const op = peek()
    if (!op || op.kind === 'string' || op.kind === 'reference') return undefined
    const name = op.text.toLowerCase()
    at++
    const right = operand()
    if (!right) return undefined
    if (name === 'anyof' || name === 'allof' || name === 'noneof') {
      if (left.kind !== 'reference' || right.kind !== 'list') return undefined
      const rules = right.items.map((item) => ruleOf(resolve(left.text), 'contains', item))
      const joined = join(name === 'allof' ? 'all' : 'any', rules)
      return name === 'noneof' ? negated(joined) : joined
    }
    const compared = COMPARISONS[name]
    if (!compared) return undefined
    if (left.kind === 'reference' && right.kind !== 'reference' && right.kind !== 'list')
      return ruleOf(resolve(left.text), compared, right.text)
    if (left.kind === 'reference' && right.kind === 'reference')
      return pairOf(resolve(left.text), compared, resolve(right.text))
    if (right.kind === 'reference' && left.kind !== 'reference' && left.kind !== 'list')
      return ruleOf(resolve(right.text), MIRRORED[compared] ?? compared, left.text)
    return undefined
  }
  function operand(): Token | undefined {
    const token = peek()
    if (!token || token.kind === 'symbol') return undefined
    at++
    return token
  }
  const condition = either(0)
  return at === tokens.length ? condition : undefined
}

const MIRRORED: Partial<Record<Comparison, Comparison>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function tokensOf(text: string, reference: RegExp): Token[] | undefined {
  const ownReference = new RegExp(
    reference.source,
    reference.flags.includes('y') ? reference.flags : `${reference.flags}y`,
  )
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < text.length) {
    if (match(SPACE)) continue
    const string = match(STRING)
    if (string) {
      tokens.push({ kind: 'string', text: (string[1] ?? string[2] ?? '').replace(/\\(.)/gs, '$1') })
      continue
    }
    const list = match(LIST)
    if (list && LIST_OPERATORS.has(tokens.at(-1)?.text.toLowerCase() ?? '')) {
      const items = [...list[1]!.matchAll(/'([^']*)'|"([^"]*)"|(-?[\w.]+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
      tokens.push({ kind: 'list', text: '', items })
      continue
    }
    if (list) at -= list[0].length
    const name = match(ownReference)
    if (name) {
      tokens.push({ kind: 'reference', text: name[1] ?? name[0] })
      continue
    }
    const symbol = match(SYMBOL)
    if (symbol) {
      tokens.push({ kind: 'symbol', text: symbol[0] })
      continue
    }
    const word = match(WORD)
    if (!word) return undefined
    tokens.push({ kind: 'word', text: word[0] })
  }
  return tokens
}
