import {
  findNodeAtLocation,
  type JSONVisitor,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser'
import { fillPlaceholders } from './placeholders.ts'
import { rangeAt, type TextRange } from './strings.ts'

/** Maximum depth of nested arrays and objects. A deeper value would overflow the stack of recursive functions. */
export const MAX_DEPTH = 64

/**
 * Maximum number of values in a JSON text. Each value takes a few microseconds to parse and check, which blocks other
 * requests: ten megabytes of `[],[],[]` contain three million values. The largest possible structure has 5,000
 * questions; this limit allows 20 values for each question.
 */
export const MAX_VALUES = 100_000

/** The error message for each limit of {@link exceededJsonLimit}. */
const JSON_LIMIT_MESSAGES = {
  depth: `must be nested at most ${MAX_DEPTH} levels deep`,
  values: `must have at most ${MAX_VALUES.toLocaleString('en')} values`,
} as const

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns the limit that JSON texts exceed: together they have more than {@link MAX_VALUES} values, or one of them is
 * deeper than {@link MAX_DEPTH}. Takes a fraction of the time of parsing. If the texts together are too short to
 * contain so many values, nothing is checked, not even the depth. The result for a text that is not JSON is
 * unspecified.
 */
export function exceededJsonLimit(...texts: readonly string[]): keyof typeof JSON_LIMIT_MESSAGES | undefined {
  let length = 0
  for (const text of texts) length += text.length
  if (length <= MAX_VALUES) return undefined
  let values = 0
  for (const text of texts) {
    const counted = countValues(text, values)
    if (typeof counted === 'string') return counted
    values = counted
  }
  return undefined
}

/**
 * Adds the number of values in a JSON text to the number of values in the texts before it.
 * @returns the sum, or the limit that is exceeded
 */
function countValues(text: string, others: number): number | keyof typeof JSON_LIMIT_MESSAGES {
  let [depth, values] = [0, others + 1]
  for (let position = 0; position < text.length; position++) {
    switch (text.charCodeAt(position)) {
      case QUOTE:
        position = endOfText(text, position)
        break
      case COMMA:
        if (++values > MAX_VALUES) return 'values'
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return 'depth'
        if (++values > MAX_VALUES) return 'values'
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
    }
  }
  return values
}

/** Returns the position of the closing quotation mark of a string, or the end of the text if there is none. */
function endOfText(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === QUOTE) return position
    if (code === BACKSLASH) position++
  }
  return text.length
}

/** A syntax error in a range of a text. */
export interface TextError extends TextRange {
  code: SyntaxErrorCode
  /** In English. */
  message: string
  values?: Readonly<Record<string, string | number>>
}

/** Maximum number of errors. Most further syntax errors are consequences of the first ones. */
const MAX_ERRORS = 10

/** Strict RFC 8259: comments and trailing commas are errors. */
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

/** The messages of all syntax errors. `{name}` is replaced with a value. */
export const syntaxErrorTexts = {
  InvalidSymbol: 'Invalid value. Strings must be in double quotes.',
  InvalidNumberFormat: 'Invalid number.',
  PropertyNameExpected: 'Expected a member: "name": value. Remove the comma after the last member.',
  ValueExpected: 'Expected a value. Remove the comma after the last value.',
  ColonExpected: 'Expected a colon.',
  CommaExpected: 'Expected a comma before this.',
  CloseBraceExpected: 'Expected a closing }.',
  CloseBracketExpected: 'Expected a closing ].',
  EndOfFileExpected: 'Expected the end of the text before this.',
  InvalidCommentToken: 'Comments are not allowed in JSON.',
  UnexpectedEndOfString: 'Expected a closing quotation mark.',
  UnexpectedEndOfNumber: 'The number is incomplete.',
  InvalidUnicode: '\\u must be followed by four hexadecimal digits.',
  InvalidEscapeCharacter: '\\ must be followed by one of " \\ / b f n r t u.',
  InvalidCharacter: 'Write this character as \\n, \\t or \\u followed by four hexadecimal digits.',
  Depth: 'This must be nested at most {max} levels deep.',
  Values: 'This must have at most {max} values.',
  DuplicateMember: 'Duplicate member: "{name}". Remove or rename one of them.',
  Other: 'This is not JSON: {reason}',
}

export type SyntaxErrorCode = keyof typeof syntaxErrorTexts

const textError = (code: SyntaxErrorCode, range: TextRange, values: TextError['values'] = {}): TextError => ({
  code,
  message: fillPlaceholders(syntaxErrorTexts[code], values),
  values,
  ...range,
})

/** Returns the code of a syntax error that the parser reports. */
function codeOf({ error }: ParseError): SyntaxErrorCode {
  const code = printParseErrorCode(error)
  return Object.hasOwn(syntaxErrorTexts, code) ? (code as SyntaxErrorCode) : 'InvalidSymbol'
}

/**
 * Parses a text into a tree with offsets, as far as possible.
 * @param errors receives the syntax errors
 * @returns undefined if the text is empty or nested too deeply
 */
function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, STRICT)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the syntax errors of a JSON text; an empty list for a valid one. */
export function syntaxErrorsOf(text: string): TextError[] {
  const limit = exceededJsonLimit(text)
  if (limit === 'depth') return [textError('Depth', rangeAt(text, 0), { max: MAX_DEPTH })]
  if (limit === 'values') return [textError('Values', rangeAt(text, 0), { max: MAX_VALUES.toLocaleString('en') })]
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    const errors: ParseError[] = []
    treeOf(text, errors)
    const textErrors = errors
      .slice(0, MAX_ERRORS)
      .map((one) => textError(codeOf(one), rangeAt(text, one.offset, one.offset + one.length)))
    if (textErrors.length > 0) return firstPerPosition(textErrors)
    return [textError('Other', rangeAt(text, 0), { reason: (error as Error).message })]
  }
}

/** Keeps one error per position. */
const firstPerPosition = (errors: TextError[]): TextError[] =>
  errors.filter(({ from }, index) => errors.findIndex((other) => other.from === from) === index)

/** Returns an error for each duplicate member of an object: JSON.parse would discard all but the last one. */
export function duplicateMembers(text: string): TextError[] {
  const errors: TextError[] = []
  const open: Set<string>[] = []
  const visitor: JSONVisitor = {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, offset, length) => {
      if (open.at(-1)?.has(name) && errors.length < MAX_ERRORS)
        errors.push(textError('DuplicateMember', rangeAt(text, offset, offset + length), { name }))
      open.at(-1)?.add(name)
    },
  }
  try {
    visit(text, visitor, STRICT)
  } catch (error) {
    // The text is nested too deeply to be searched for duplicates.
    if (!(error instanceof RangeError)) throw error
  }
  return errors
}

/** Returns the steps of a JSON pointer (RFC 6901); the pointer to the whole document has none. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * Returns a function that finds the text range of a JSON pointer. For a missing value it returns the range of the
 * innermost existing object or array. The range of an object or array is its first character, so that an editor does
 * not highlight all of it.
 */
export function rangeFinder(text: string): (pointer: string) => TextRange {
  let tree: Node | undefined
  return (pointer) => {
    tree ??= treeOf(text)
    let node = tree
    for (const step of stepsOf(pointer)) {
      const inner = node && childAt(node, step)
      if (!inner) break
      node = inner
    }
    if (!node) return rangeAt(text, 0)
    const isContainer = node.type === 'object' || node.type === 'array'
    return rangeAt(text, node.offset, node.offset + (isContainer ? 1 : node.length))
  }
}

/**
 * Returns the value that one step leads to. If an object has duplicate members, returns the last one, as JSON.parse
 * does.
 */
function childAt(node: Node, step: string): Node | undefined {
  if (node.type === 'array') return /^\d+$/.test(step) ? findNodeAtLocation(node, [Number(step)]) : undefined
  return node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1]
}
