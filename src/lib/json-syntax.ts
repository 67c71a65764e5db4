import { type JSONVisitor, type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
import { exceededJsonLimit, JSON_LIMIT_MESSAGES } from './json-limits.ts'
import { rangeAt, type TextRange } from './text-range.ts'

/** A syntax error in a range of a text. */
export interface TextError extends TextRange {
  message: string
}

/** Most further syntax errors are consequences of the first ones. */
const MAX_ERRORS = 10

/** Strict RFC 8259: comments and trailing commas are errors. */
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

const messages: Readonly<Record<string, string>> = {
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
  if (limit) return [{ message: `This ${JSON_LIMIT_MESSAGES[limit]}.`, ...rangeAt(text, 0) }]
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    const errors: ParseError[] = []
    treeOf(text, errors)
    const textErrors = errors.slice(0, MAX_ERRORS).map(({ error, offset, length }) => ({
      message: messages[printParseErrorCode(error)] ?? 'This is not JSON.',
      ...rangeAt(text, offset, offset + length),
    }))
    if (textErrors.length > 0) return firstPerPosition(textErrors)
    return [{ message: `This is not JSON: ${(error as Error).message}`, ...rangeAt(text, 0) }]
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
        errors.push({
          message: `Duplicate member: "${name}". Remove or rename one of them.`,
          ...rangeAt(text, offset, offset + length),
        })
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
