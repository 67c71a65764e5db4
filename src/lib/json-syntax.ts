import { type JSONVisitor, type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
import { exceedsJsonLimits, HEAVY } from './json-limits.ts'
import { placeAt, type TextRange } from './text-range.ts'

/** A syntax error in a range of a text. */
export interface TextFault extends TextRange {
  message: string
}

/** Further syntax errors mostly follow from the first ones. */
const MAX_ERRORS = 10

/** Strict RFC 8259: comments and trailing commas are errors. */
const strictly = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

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
  InvalidCharacter: 'Write this character as \\n, \\t or \\u followed by four digits.',
}

/**
 * Parses a text into a tree with offsets, as far as it can be read.
 * @param errors receives the syntax errors
 * @returns undefined where the text is empty or nested too deeply
 */
export function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, strictly)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the syntax errors of a JSON text; an empty list for a valid one. */
export function syntaxFaults(text: string): TextFault[] {
  const heavy = exceedsJsonLimits(text)
  if (heavy) return [{ message: `This ${HEAVY[heavy]}.`, ...placeAt(text, 0) }]
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    const errors: ParseError[] = []
    treeOf(text, errors)
    const faults = errors.slice(0, MAX_ERRORS).map(({ error, offset, length }) => ({
      message: messages[printParseErrorCode(error)] ?? 'This is not JSON.',
      ...placeAt(text, offset, offset + length),
    }))
    if (faults.length > 0) return withoutRepeats(faults)
    return [{ message: `This is not JSON: ${(error as Error).message}`, ...placeAt(text, 0) }]
  }
}

/** Keeps one error per position. */
const withoutRepeats = (errors: TextFault[]): TextFault[] =>
  errors.filter(({ from }, index) => errors.findIndex((other) => other.from === from) === index)

/** Reports duplicate members of an object: only the last one would count, and the others would be lost unnoticed. */
export function repeatedMembers(text: string): TextFault[] {
  const errors: TextFault[] = []
  const open: Set<string>[] = []
  const visitor: JSONVisitor = {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, offset, length) => {
      if (open.at(-1)?.has(name) && errors.length < MAX_ERRORS)
        errors.push({
          message: `The member "${name}" stands here twice; only one of them can count.`,
          ...placeAt(text, offset, offset + length),
        })
      open.at(-1)?.add(name)
    },
  }
  try {
    visit(text, visitor, strictly)
  } catch (error) {
    // Nested too deep to be walked: that is told as the fault that it is.
    if (!(error instanceof RangeError)) throw error
  }
  return errors
}
