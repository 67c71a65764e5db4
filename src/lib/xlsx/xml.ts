import type { SaxesTagNS } from 'saxes'
import { WorkbookError } from './workbook-error.ts'
import type { ZipArchive } from './zip.ts'

/**
 * Receives the elements of an XML file. Element names have no namespace prefix; attribute names keep theirs (`r:id`).
 */
export interface XmlHandler {
  open(name: string, attribute: (name: string) => string | undefined): void
  text?(text: string): void
  close?(name: string): void
}

/** Maximum depth of nested elements. A workbook has fewer than ten. */
const MAX_DEPTH = 50
/** Maximum number of attributes of an element. The time that the parser needs grows with the square of the number. */
const MAX_ATTRIBUTES = 200
/** Maximum number of characters of the comments and processing instructions of a file. A workbook has hardly any. */
const MAX_COMMENT_CHARACTERS = 65_536
/**
 * Maximum number of characters between two events of the parser: of a comment, an attribute or a text that has not
 * ended yet. A cell has up to 32,767 characters, each of which can be written with ten.
 */
const MAX_PENDING_CHARACTERS = 400_000

/**
 * Parses an XML file of an archive while it is inflated. A file with a document type is rejected, so only the entities
 * of XML itself can occur.
 * @throws {WorkbookError}
 */
export async function parseXml(zip: ZipArchive, name: string, handler: XmlHandler): Promise<void> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser({ xmlns: true })
  const fail = () => {
    throw new WorkbookError('damaged')
  }
  let depth = 0
  let attributes = 0
  let comments = 0
  let lastEvent = 0
  parser.on('error', fail)
  parser.on('doctype', fail)
  const countComment = (text: string) => {
    comments += text.length
    if (comments > MAX_COMMENT_CHARACTERS)
      throw new WorkbookError('too_large', { max: MAX_COMMENT_CHARACTERS, unit: 'characters in comments' })
    lastEvent = parser.position
  }
  parser.on('comment', countComment)
  parser.on('processinginstruction', ({ body }) => countComment(body))
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES)
      throw new WorkbookError('too_large', { max: MAX_ATTRIBUTES, unit: 'attributes of an element' })
    lastEvent = parser.position
  })
  parser.on('opentag', (tag: SaxesTagNS) => {
    attributes = 0
    lastEvent = parser.position
    if (++depth > MAX_DEPTH) fail()
    handler.open(tag.local, (attribute) => tag.attributes[attribute]?.value)
  })
  parser.on('text', (text) => handler.text?.(text))
  parser.on('cdata', (text) => handler.text?.(text))
  parser.on('closetag', (tag) => {
    lastEvent = parser.position
    depth--
    handler.close?.(tag.local)
  })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of zip.read(name)) {
    parser.write(decode(decoder, chunk))
    if (parser.position - lastEvent > MAX_PENDING_CHARACTERS) fail()
  }
  parser.write(decode(decoder)).close()
}

/** @throws {WorkbookError} for a text that is not UTF-8 */
function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw new WorkbookError('damaged')
  }
}
