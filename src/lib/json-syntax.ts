import { type JSONVisitor, type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'
import { exceedsJsonLimits, HEAVY } from './json-limits.ts'
import { placeAt, type TextRange } from './text-range.ts'

/** What is wrong at a place of a text. */
export interface TextFault extends TextRange {
  message: string
}

/** More faults of syntax than these mostly follow from the first. */
const MAX_ERRORS = 10

/** RFC 8259, no more: comments and trailing commas are faults. */
const strictly = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is no value: texts stand in double quotes.',
  InvalidNumberFormat: 'This is no number.',
  PropertyNameExpected: 'A member is missing here: "name": value. After the last one there is no comma.',
  ValueExpected: 'A value is missing here. After the last one there is no comma.',
  ColonExpected: 'A colon is missing here.',
  CommaExpected: 'A comma is missing before this.',
  CloseBraceExpected: 'The closing } is missing.',
  CloseBracketExpected: 'The closing ] is missing.',
  EndOfFileExpected: 'The text should end before this.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfString: 'The closing quotation mark is missing.',
  UnexpectedEndOfNumber: 'This number is not finished.',
  InvalidUnicode: 'After \\u stand four hexadecimal digits.',
  InvalidEscapeCharacter: 'After \\ may stand one of " \\ / b f n r t u.',
  InvalidCharacter: 'This character may only stand in a text as \\n, \\t or \\u followed by four digits.',
}

/**
 * The text as a tree with offsets, as far as it can be read; nothing where it is empty or nested too deep to be walked.
 * @param errors what is wrong with it is added here
 */
export function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, strictly)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Where and why a text is no JSON that is read here; nothing for one that is. */
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

/** Two faults at one place say the same twice. */
const withoutRepeats = (errors: TextFault[]): TextFault[] =>
  errors.filter(({ from }, index) => errors.findIndex((other) => other.from === from) === index)

/** Members that stand twice in one object: only the last one would count, and the others would be lost unseen. */
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
