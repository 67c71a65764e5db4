/** A parsed expression of an XLSForm. */
export type Expression =
  | { kind: 'or' | 'and'; parts: Expression[] }
  | { kind: 'compare'; op: Comparison; left: Expression; right: Expression }
  | { kind: 'binary'; op: Arithmetic; left: Expression; right: Expression }
  | { kind: 'negative'; of: Expression }
  | { kind: 'call'; name: string; args: Expression[] }
  | { kind: 'question'; name: string }
  /** A column of the choices, in a choice filter. */
  | { kind: 'column'; name: string }
  /** The answer to the question itself: `.` */
  | { kind: 'self' }
  | { kind: 'literal'; value: string | number }

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='
export type Arithmetic = '+' | '-' | '*' | 'div' | 'mod'

const MAX_CHARACTERS = 10_000
const MAX_DEPTH = 50
const MAX_TOKENS = 2000

/** A name of XPath; it can contain `-` and `.`, but does not end with them. */
const NAME = String.raw`[\p{L}_](?:[\p{L}\p{N}_:.-]*[\p{L}\p{N}_])?`
/** A path to a question, such as `../age`, `./age` and `/data/group/age`, of which the last name counts. */
const PATH = String.raw`\.{0,2}\/(?:(?:\.\.|${NAME})\/){0,20}(${NAME})`
const TOKEN = new RegExp(
  String.raw`\s*(?:(\$\{([^{}]{1,255})\})|${PATH}|("[^"]*"|'[^']*')|(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})|(!=|<=|>=|=|<|>|\(|\)|,|\+|-|\*)|(${NAME})|(\.))`,
  'uy',
)

type Token =
  | { type: 'question' | 'string' | 'name'; text: string }
  | { type: 'number'; value: number }
  | { type: 'symbol'; text: string }

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (const source = text.trimEnd(); TOKEN.lastIndex < source.length; ) {
    const match = TOKEN.exec(source)
    if (!match || tokens.length >= MAX_TOKENS) return undefined
    const [, , question, step, string, number, symbol, name] = match
    if (question !== undefined) tokens.push({ type: 'question', text: question.trim() })
    else if (step !== undefined) tokens.push({ type: 'question', text: step })
    else if (string !== undefined) tokens.push({ type: 'string', text: string.slice(1, -1) })
    else if (number !== undefined) tokens.push({ type: 'number', value: Number(number) })
    else if (name !== undefined) tokens.push({ type: 'name', text: name })
    else tokens.push({ type: 'symbol', text: symbol ?? '.' })
  }
  return tokens
}

/** Cells that pyxform reads as constants. */
const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ['yes', 'true'],
  ['true', 'true'],
  ['no', 'false'],
  ['false', 'false'],
])

/**
 * Parses the part of XPath that XLSForms usually need: comparisons, `and`, `or`, arithmetic, calls of functions and paths
 * to other questions.
 * @param text with straight quotes
 * @returns undefined for an expression with anything else, such as predicates
 */
export function parseExpression(text: string): Expression | undefined {
  const constant = CONSTANTS.get(text.trim().toLowerCase())
  if (constant !== undefined) return { kind: 'call', name: constant, args: [] }
  const tokens = text.length > MAX_CHARACTERS ? undefined : tokensOf(text)
  if (!tokens || tokens.length === 0) return undefined
  const parser = new Parser(tokens)
  try {
    const expression = parser.or(0)
    return parser.isAtEnd ? expression : undefined
  } catch (error) {
    if (error instanceof NotSupported) return undefined
    throw error
  }
}

class NotSupported extends Error {}

class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get isAtEnd(): boolean {
    return this.#position === this.#tokens.length
  }

  or(depth: number): Expression {
    if (depth > MAX_DEPTH) throw new NotSupported()
    return this.#joined('or', () => this.#joined('and', () => this.#comparison(depth)))
  }

  #joined(word: 'or' | 'and', next: () => Expression): Expression {
    const parts = [next()]
    while (this.#skipWord(word)) parts.push(next())
    return parts.length === 1 ? parts[0]! : { kind: word, parts }
  }

  #comparison(depth: number): Expression {
    const left = this.#sum(depth)
    const token = this.#tokens[this.#position]
    if (token?.type !== 'symbol' || !/^(?:!=|<=|>=|=|<|>)$/.test(token.text)) return left
    this.#position++
    return { kind: 'compare', op: token.text as Comparison, left, right: this.#sum(depth) }
  }

  #sum(depth: number): Expression {
    let left = this.#product(depth)
    for (let op = this.#operator('+', '-'); op; op = this.#operator('+', '-'))
      left = { kind: 'binary', op, left, right: this.#product(depth) }
    return left
  }

  #product(depth: number): Expression {
    let left = this.#operand(depth)
    for (let op = this.#operator('*', 'div', 'mod'); op; op = this.#operator('*', 'div', 'mod'))
      left = { kind: 'binary', op, left, right: this.#operand(depth) }
    return left
  }

  /** Returns the next token if it is one of these operators, and skips it. */
  #operator(...operators: Arithmetic[]): Arithmetic | undefined {
    const token = this.#tokens[this.#position]
    if (token?.type !== 'symbol' && token?.type !== 'name') return undefined
    const found = operators.find((operator) => operator === token.text)
    if (found) this.#position++
    return found
  }

  #operand(depth: number): Expression {
    if (depth > MAX_DEPTH) throw new NotSupported()
    const token = this.#tokens[this.#position++]
    switch (token?.type) {
      case 'question':
        return { kind: 'question', name: token.text }
      case 'string':
        return { kind: 'literal', value: token.text }
      case 'number':
        return { kind: 'literal', value: token.value }
      case 'name':
        return this.#isSymbol('(')
          ? this.#call(token.text.toLowerCase(), depth)
          : { kind: 'column', name: token.text.toLowerCase() }
      case 'symbol':
        if (token.text === '.') return { kind: 'self' }
        if (token.text === '-') {
          const of = this.#operand(depth + 1)
          return of.kind === 'literal' && typeof of.value === 'number'
            ? { kind: 'literal', value: -of.value }
            : { kind: 'negative', of }
        }
        if (token.text === '(') {
          const inner = this.or(depth + 1)
          this.#expect(')')
          return inner
        }
    }
    throw new NotSupported()
  }

  #call(name: string, depth: number): Expression {
    this.#expect('(')
    const args: Expression[] = []
    if (this.#skipSymbol(')')) return { kind: 'call', name, args }
    do args.push(this.or(depth + 1))
    while (this.#skipSymbol(','))
    this.#expect(')')
    return { kind: 'call', name, args }
  }

  #skipWord(word: string): boolean {
    const token = this.#tokens[this.#position]
    const isWord = token?.type === 'name' && token.text.toLowerCase() === word
    if (isWord) this.#position++
    return isWord
  }

  #isSymbol(symbol: string): boolean {
    const token = this.#tokens[this.#position]
    return token?.type === 'symbol' && token.text === symbol
  }

  #skipSymbol(symbol: string): boolean {
    const isSymbol = this.#isSymbol(symbol)
    if (isSymbol) this.#position++
    return isSymbol
  }

  #expect(symbol: string): void {
    if (!this.#skipSymbol(symbol)) throw new NotSupported()
  }
}
