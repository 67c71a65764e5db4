/** A parsed expression of an XLSForm. */
export type Expression =
  | { kind: 'or' | 'and'; parts: Expression[] }
  | { kind: 'compare'; op: Comparison; left: Expression; right: Expression }
  | { kind: 'call'; name: string; args: Expression[] }
  | { kind: 'question'; name: string }
  /** The answer to the question itself: `.` */
  | { kind: 'self' }
  | { kind: 'literal'; value: string | number }

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='

const MAX_CHARACTERS = 10_000
const MAX_DEPTH = 50
const MAX_TOKENS = 2000

const TOKEN =
  /\s*(?:(\$\{([^{}]{1,255})\})|("[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’)|(-?\d{1,15}(?:\.\d{0,15})?)|(!=|<=|>=|=|<|>|\(|\)|,)|([A-Za-z][A-Za-z0-9_:-]*)|(\.))/y

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
    const [, , question, string, number, symbol, name] = match
    if (question !== undefined) tokens.push({ type: 'question', text: question.trim() })
    else if (string !== undefined) tokens.push({ type: 'string', text: string.slice(1, -1) })
    else if (number !== undefined) tokens.push({ type: 'number', value: Number(number) })
    else if (name !== undefined) tokens.push({ type: 'name', text: name })
    else tokens.push({ type: 'symbol', text: symbol ?? '.' })
  }
  return tokens
}

/**
 * Parses the part of XPath that conditions of XLSForms usually need: comparisons, `and`, `or` and calls of functions.
 * @returns undefined for an expression with anything else, such as arithmetic or paths
 */
export function parseExpression(text: string): Expression | undefined {
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
    const left = this.#operand(depth)
    const token = this.#tokens[this.#position]
    if (token?.type !== 'symbol' || !/^(?:!=|<=|>=|=|<|>)$/.test(token.text)) return left
    this.#position++
    return { kind: 'compare', op: token.text as Comparison, left, right: this.#operand(depth) }
  }

  #operand(depth: number): Expression {
    const token = this.#tokens[this.#position++]
    switch (token?.type) {
      case 'question':
        return { kind: 'question', name: token.text }
      case 'string':
        return { kind: 'literal', value: token.text }
      case 'number':
        return { kind: 'literal', value: token.value }
      case 'name':
        return this.#call(token.text.toLowerCase(), depth)
      case 'symbol':
        if (token.text === '.') return { kind: 'self' }
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

  #skipSymbol(symbol: string): boolean {
    const token = this.#tokens[this.#position]
    const isSymbol = token?.type === 'symbol' && token.text === symbol
    if (isSymbol) this.#position++
    return isSymbol
  }

  #expect(symbol: string): void {
    if (!this.#skipSymbol(symbol)) throw new NotSupported()
  }
}
