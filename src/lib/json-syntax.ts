import { type JSONVisitor, type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
import { exceededJsonLimit, MAX_DEPTH, MAX_VALUES } from './json-limits.ts'
import { rangeAt, type TextRange } from './text-range.ts'

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
  message: syntaxErrorTexts[code].replace(/\{(\w+)\}/g, (found, name: string) => String(values[name] ?? found)),
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
export function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
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
